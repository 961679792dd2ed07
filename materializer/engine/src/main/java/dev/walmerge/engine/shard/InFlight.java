package dev.walmerge.engine.shard;

/** What a shard handed to write-back and has not got back yet. Single thread. */
final class InFlight {
    private final Outbox outbox;
    private final long maxBytes;
    private int count;
    private long bytes;
    private boolean submittedSomething;

    /** @param maxBytes above which flushes wait; at twice that, merging does */
    InFlight(Outbox outbox, long maxBytes) {
        this.outbox = outbox;
        this.maxBytes = maxBytes;
    }

    void submit(Submission submission) {
        count++;
        bytes += submission.bytes;
        submittedSomething = true;
        outbox.submit(submission);
    }

    /** One that is committed, or null. */
    Submission takeWritten() {
        Submission done = outbox.takeWritten();
        if (done != null) {
            count--;
            bytes -= done.bytes;
        }
        return done;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean hasRoom() {
        return bytes < maxBytes;
    }

    boolean isCrowded() {
        return bytes >= 2 * maxBytes;
    }

    /** Whether something was submitted since the last call. */
    boolean takeSubmittedSomething() {
        boolean any = submittedSomething;
        submittedSomething = false;
        return any;
    }
}
