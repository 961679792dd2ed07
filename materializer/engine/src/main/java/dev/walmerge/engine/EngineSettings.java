package dev.walmerge.engine;

import java.nio.file.Path;

/**
 * The bounds of one engine. Settings of the process, not of a collection.
 *
 * @param journalDirectory the journal's own directory
 * @param shards how many threads merge; a document belongs to one of them
 * @param journalMaxBytes of journal on the disk, above which the sink has no room
 * @param journalReserveBytes what the journal leaves free on its disk, or the sink has no room
 * @param journalAboveBytes of WAL that the slot holds back, above which it is told what is journaled, not only what is
 *     written
 * @param behindBytes unconsumed journal above which every document is flushed as late as its policy allows
 * @param memoryBytes resident documents of all shards, above which clean ones rest or are evicted and dirty ones flushed early
 * @param maxPayloadBytes larger updates are dead letters
 * @param parkedMaxCount causally early updates of one document; more are dead letters
 * @param parkedMaxBytes the same in bytes
 * @param inFlightMaxBytes what a shard hands to write-back before it waits
 * @param batchMaxBytes of one write-back transaction; a single larger document is one by itself
 * @param batchMaxWrites of one write-back transaction
 * @param patience with documents that can't be written
 */
public record EngineSettings(
        Path journalDirectory,
        int shards,
        long journalMaxBytes,
        long journalReserveBytes,
        long journalAboveBytes,
        long behindBytes,
        long memoryBytes,
        int maxPayloadBytes,
        int parkedMaxCount,
        long parkedMaxBytes,
        long inFlightMaxBytes,
        long batchMaxBytes,
        int batchMaxWrites,
        Patience patience) {
    private static final long BEHIND_BYTES = 16L << 20;
    private static final long IN_FLIGHT_BYTES = 32L << 20;
    private static final long BATCH_BYTES = 8L << 20;
    private static final int BATCH_WRITES = 256;

    public EngineSettings {
        requirePositive("shards", shards);
        requirePositive("journalMaxBytes", journalMaxBytes);
        requireNotNegative("journalReserveBytes", journalReserveBytes);
        requireNotNegative("journalAboveBytes", journalAboveBytes);
        requirePositive("behindBytes", behindBytes);
        requirePositive("memoryBytes", memoryBytes);
        requirePositive("maxPayloadBytes", maxPayloadBytes);
        requirePositive("parkedMaxCount", parkedMaxCount);
        requirePositive("parkedMaxBytes", parkedMaxBytes);
        requirePositive("inFlightMaxBytes", inFlightMaxBytes);
        requirePositive("batchMaxBytes", batchMaxBytes);
        requirePositive("batchMaxWrites", batchMaxWrites);
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }

    private static void requireNotNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative, not " + value);
        }
    }

    /** The defaults, for a journal in that directory. */
    public static EngineSettings defaults(Path journalDirectory) {
        return with(journalDirectory).build();
    }

    /** Starts from the defaults, for a journal in that directory. */
    public static Builder with(Path journalDirectory) {
        return new Builder(journalDirectory);
    }

    /** What most callers have an opinion on; the other bounds are the defaults. */
    public static final class Builder {
        private final Path journalDirectory;
        private int shards = 1;
        private long journalMaxBytes = 256L << 20;
        private long journalReserveBytes = 64L << 20;
        private long journalAboveBytes = 1L << 30;
        private long memoryBytes = 256L << 20;
        private int maxPayloadBytes = 64 << 20;
        private int parkedMaxCount = 1000;
        private long parkedMaxBytes = 16L << 20;
        private Patience patience = Patience.DEFAULT;

        private Builder(Path journalDirectory) {
            this.journalDirectory = journalDirectory;
        }

        public Builder shards(int count) {
            shards = count;
            return this;
        }

        public Builder journalMaxBytes(long bytes) {
            journalMaxBytes = bytes;
            return this;
        }

        public Builder journalReserveBytes(long bytes) {
            journalReserveBytes = bytes;
            return this;
        }

        public Builder journalAboveBytes(long bytes) {
            journalAboveBytes = bytes;
            return this;
        }

        public Builder memoryBytes(long bytes) {
            memoryBytes = bytes;
            return this;
        }

        public Builder maxPayloadBytes(int bytes) {
            maxPayloadBytes = bytes;
            return this;
        }

        public Builder parkedMax(int count, long bytes) {
            parkedMaxCount = count;
            parkedMaxBytes = bytes;
            return this;
        }

        public Builder patience(Patience with) {
            patience = with;
            return this;
        }

        public EngineSettings build() {
            return new EngineSettings(
                    journalDirectory,
                    shards,
                    journalMaxBytes,
                    journalReserveBytes,
                    journalAboveBytes,
                    Math.min(BEHIND_BYTES, journalMaxBytes),
                    memoryBytes,
                    maxPayloadBytes,
                    parkedMaxCount,
                    parkedMaxBytes,
                    IN_FLIGHT_BYTES,
                    BATCH_BYTES,
                    BATCH_WRITES,
                    patience);
        }
    }
}
