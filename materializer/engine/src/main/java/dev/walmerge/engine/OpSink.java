package dev.walmerge.engine;

/**
 * Where the reader of the slot puts what it read, in commit order. All methods are called by that one thread.
 *
 * <p>A transaction is {@link #begin}, any number of the others, {@link #commit}. A reader that stops inside a
 * transaction simply never commits it: the slot sends it again.
 */
public interface OpSink {
    /**
     * A committed transaction starts.
     *
     * @param commitLsn where its commit record starts
     * @param commitTimeMicros its commit time, microseconds since the Unix epoch
     */
    void begin(long commitLsn, long commitTimeMicros);

    void op(Op op);

    /** Someone waits for all that was committed before: flush without delay. {@code doc} null means every document. */
    void barrier(String doc);

    /** A new version of a collection's settings, in force for every op after it. */
    void policy(String collection, Policy policy);

    /** An operator orders something, to be done where it stands among the ops. */
    void command(Command command);

    /** Ends the transaction. {@code endLsn} is where its commit record ends: what the slot may be told once written. */
    void commit(long endLsn);

    /** False while the spool is full: the reader stops reading, and goes on answering the server. Never blocks. */
    boolean hasRoom();
}
