package dev.walmerge.bench.demo;

/**
 * An edit whose way into {@code crdt.docs} is timed.
 *
 * @param documentIndex which document
 * @param committedNanos {@link System#nanoTime} when its INSERT had committed
 * @param lsn a position right after that commit: the first row version that says it holds every op up to here holds the
 *     edit
 */
record FreshnessSample(int documentIndex, long committedNanos, long lsn) {}
