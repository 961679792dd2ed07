package dev.walmerge.engine;

import java.nio.file.Path;

/**
 * The bounds of one engine. Settings of the process, not of a collection.
 *
 * @param journalDirectory the journal's own directory; wiped at each start
 * @param shards how many threads merge; a document belongs to one of them
 * @param journalMaxBytes unconsumed journal above which the sink has no room
 * @param behindBytes unconsumed journal above which every document is flushed as late as its policy allows
 * @param memoryBytes resident documents of all shards, above which clean ones are evicted and dirty ones flushed early
 * @param maxPayloadBytes larger updates are dead letters
 * @param parkedMaxCount causally early updates of one document; more are dead letters
 * @param parkedMaxBytes the same in bytes
 * @param inFlightMaxBytes what a shard hands to write-back before it waits
 * @param batchMaxBytes of one write-back transaction; a single larger document is one by itself
 * @param batchMaxWrites of one write-back transaction
 */
public record EngineSettings(
        Path journalDirectory,
        int shards,
        long journalMaxBytes,
        long behindBytes,
        long memoryBytes,
        int maxPayloadBytes,
        int parkedMaxCount,
        long parkedMaxBytes,
        long inFlightMaxBytes,
        long batchMaxBytes,
        int batchMaxWrites) {

    /** The defaults, for a journal in that directory. */
    public static EngineSettings defaults(Path journalDirectory) {
        return new EngineSettings(
                journalDirectory,
                1,
                256L << 20,
                16L << 20,
                256L << 20,
                64 << 20,
                1000,
                16L << 20,
                32L << 20,
                8L << 20,
                256);
    }

    public EngineSettings {
        requirePositive("shards", shards);
        requirePositive("journalMaxBytes", journalMaxBytes);
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

    public EngineSettings withShards(int shards) {
        return new EngineSettings(
                journalDirectory,
                shards,
                journalMaxBytes,
                behindBytes,
                memoryBytes,
                maxPayloadBytes,
                parkedMaxCount,
                parkedMaxBytes,
                inFlightMaxBytes,
                batchMaxBytes,
                batchMaxWrites);
    }

    public EngineSettings withMemoryBytes(long memoryBytes) {
        return new EngineSettings(
                journalDirectory,
                shards,
                journalMaxBytes,
                behindBytes,
                memoryBytes,
                maxPayloadBytes,
                parkedMaxCount,
                parkedMaxBytes,
                inFlightMaxBytes,
                batchMaxBytes,
                batchMaxWrites);
    }

    public EngineSettings withJournalMaxBytes(long journalMaxBytes) {
        return new EngineSettings(
                journalDirectory,
                shards,
                journalMaxBytes,
                Math.min(behindBytes, journalMaxBytes),
                memoryBytes,
                maxPayloadBytes,
                parkedMaxCount,
                parkedMaxBytes,
                inFlightMaxBytes,
                batchMaxBytes,
                batchMaxWrites);
    }

    public EngineSettings withMaxPayloadBytes(int maxPayloadBytes) {
        return new EngineSettings(
                journalDirectory,
                shards,
                journalMaxBytes,
                behindBytes,
                memoryBytes,
                maxPayloadBytes,
                parkedMaxCount,
                parkedMaxBytes,
                inFlightMaxBytes,
                batchMaxBytes,
                batchMaxWrites);
    }

    public EngineSettings withParkedMax(int count, long bytes) {
        return new EngineSettings(
                journalDirectory,
                shards,
                journalMaxBytes,
                behindBytes,
                memoryBytes,
                maxPayloadBytes,
                count,
                bytes,
                inFlightMaxBytes,
                batchMaxBytes,
                batchMaxWrites);
    }
}
