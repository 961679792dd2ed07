package dev.walmerge.engine.journal;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;

/** Receives the records of a {@link JournalReader}, on its thread, in the order they were appended. */
public interface JournalHandler {
    /** @param sequence of the op in its transaction, counted over all shards */
    void op(long commitLsn, int sequence, int hash, Op op);

    /** @param doc null means every document */
    void barrier(String doc);

    void policy(String collection, Policy policy);

    void command(long commitLsn, Command command);

    /** A version that was in force already where a file begins: what an earlier record or the engine's start said. */
    default void inForce(String collection, Policy policy) {}

    /** Ends what came since the last one. */
    void commit(long endLsn, boolean hasOps, boolean hasBarrier);

    /** What came since the last commit will come again. */
    void abandon();
}
