package dev.walmerge.engine.shard;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The two queues between a shard and write-back, and what the shard says of its watermarks.
 *
 * <p>Order matters: the shard queues a submission before it raises {@link #safeLsn} over it; write-back reads
 * {@code safeLsn} before it empties the queue. So what write-back read holds once all that it took is committed.
 */
final class Outbox {
    private final ConcurrentLinkedQueue<Submission> submitted = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Submission> written = new ConcurrentLinkedQueue<>();
    private volatile long safeLsn;
    private volatile long progressLsn;
    private volatile long urgentLsn;

    Outbox(long startLsn) {
        safeLsn = startLsn;
        progressLsn = startLsn;
        urgentLsn = startLsn;
    }

    // The shard's side
    // -------------------------------------------------------------------------------------------------

    void submit(Submission submission) {
        submitted.add(submission);
    }

    /** Something that was submitted and is committed now, or null. */
    Submission takeWritten() {
        return written.poll();
    }

    /**
     * @param safeLsn everything up to it is written once all that is submitted is
     * @param progressLsn the end of the last commit that held ops or a barrier
     * @param urgentLsn the end of the last commit that held a barrier
     */
    void publish(long safeLsn, long progressLsn, long urgentLsn) {
        if (urgentLsn != this.urgentLsn) {
            this.urgentLsn = urgentLsn;
        }
        if (progressLsn != this.progressLsn) {
            this.progressLsn = progressLsn;
        }
        // Last, and read first: whoever sees it also sees what should be persisted for it.
        if (safeLsn != this.safeLsn) {
            this.safeLsn = safeLsn;
        }
    }

    // Write-back's side
    // ------------------------------------------------------------------------------------------------

    long safeLsn() {
        return safeLsn;
    }

    long progressLsn() {
        return progressLsn;
    }

    long urgentLsn() {
        return urgentLsn;
    }

    Submission takeSubmitted() {
        return submitted.poll();
    }

    boolean hasSubmitted() {
        return !submitted.isEmpty();
    }

    void acknowledge(Submission submission) {
        written.add(submission);
    }
}
