package dev.walmerge.bench.soak;

import java.time.Duration;

/**
 * What a run is to be.
 *
 * @param duration of the writing; the check at the end comes on top
 * @param seed of documents, orders, transactions and faults
 * @param writers threads, of two connections each
 * @param documents written at the same time, by all writers together
 * @param opsPerSecond that the writers try for together
 * @param blowsMin with fewer blows the writing goes on, on a slow machine, up to four times as long; then it is a failure
 * @param journalAbove the setting of half of the sidecars: small, and restarts replay the journal; null for the default in all
 */
record SoakSettings(
        Duration duration, long seed, int writers, int documents, int opsPerSecond, int blowsMin, String journalAbove) {
    private static final int PATIENCE = 4;

    boolean isOver(long nanos, int blows) {
        return nanos >= duration.toNanos() && (blows >= blowsMin || nanos >= PATIENCE * duration.toNanos());
    }
}
