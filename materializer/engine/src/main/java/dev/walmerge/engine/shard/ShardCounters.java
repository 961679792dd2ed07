package dev.walmerge.engine.shard;

import java.util.concurrent.atomic.AtomicLong;

/** What a shard has done and holds. Written by its thread, read by any; each number is right by itself. */
public final class ShardCounters {
    final AtomicLong ops = new AtomicLong();
    final AtomicLong merged = new AtomicLong();
    final AtomicLong flushes = new AtomicLong();
    final AtomicLong folds = new AtomicLong();
    final AtomicLong deadLetters = new AtomicLong();
    final AtomicLong dirtyDocuments = new AtomicLong();
    final AtomicLong residentDocuments = new AtomicLong();
    final AtomicLong residentBytes = new AtomicLong();
    final AtomicLong mergedLsn = new AtomicLong();

    ShardCounters() {}

    static void add(AtomicLong counter, long more) {
        counter.lazySet(counter.get() + more);
    }

    void publish(long dirty, long resident, long bytes) {
        dirtyDocuments.lazySet(dirty);
        residentDocuments.lazySet(resident);
        residentBytes.lazySet(bytes);
    }

    public long ops() {
        return ops.get();
    }

    public long merged() {
        return merged.get();
    }

    public long flushes() {
        return flushes.get();
    }

    public long folds() {
        return folds.get();
    }

    public long deadLetters() {
        return deadLetters.get();
    }

    public long dirtyDocuments() {
        return dirtyDocuments.get();
    }

    public long residentDocuments() {
        return residentDocuments.get();
    }

    public long residentBytes() {
        return residentBytes.get();
    }

    /** The end of the last commit that is merged, unsigned. */
    public long mergedLsn() {
        return mergedLsn.get();
    }
}
