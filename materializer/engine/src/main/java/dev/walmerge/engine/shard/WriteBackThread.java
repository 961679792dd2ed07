package dev.walmerge.engine.shard;

import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.Trouble;
import dev.walmerge.engine.writeback.Committed;
import dev.walmerge.engine.writeback.ConnectionSource;
import dev.walmerge.engine.writeback.DeadLetter;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.Entry;
import dev.walmerge.engine.writeback.Erasure;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.Refused;
import dev.walmerge.engine.writeback.WriteBack;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits what the shards submit, in batches of whatever has come, each with the progress row. What is wrong with one
 * document is its own matter (see {@link WriteBack}); a batch that fails as a whole is tried again until it goes through:
 * a failure never switches write-back off.
 */
public final class WriteBackThread implements Runnable {
    private static final long MAX_WAIT_NANOS = 100_000_000;
    /** Progress without documents is committed at most so often, unless someone waits for it. */
    private static final long PROGRESS_NANOS = 100_000_000;

    private static final long REPORT_NANOS = 10_000_000_000L;
    private static final Logger LOG = LoggerFactory.getLogger(WriteBackThread.class);

    private record Pending(int shard, Submission submission) {}

    private final EngineSettings settings;
    private final ShardThread[] shards;
    private final WriteBack writeBack;
    private final BackOff backOff;
    private final Signal signal;
    private final Consumer<Throwable> failed;

    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final List<Pending> batch = new ArrayList<>();
    private final int[] pendingOfShard;
    /** What the shard said before its queue was emptied: true once all that was taken is committed. */
    private final long[] promisedLsn;
    /** What is committed. */
    private final long[] shardLsn;

    private volatile long progressLsn;
    private long urgentLsn;
    private long lastCommitNanos;
    private long lastReportNanos = System.nanoTime() - REPORT_NANOS;
    private long unreportedLetters;
    private String lastRule;
    private volatile long writtenLsn;
    private volatile long persistedLsn;
    private volatile boolean stopped;

    /** @param signal what wakes this thread; the shards have it too */
    public WriteBackThread(
            EngineSettings settings,
            ShardThread[] shards,
            ConnectionSource connections,
            Lease lease,
            Signal signal,
            Consumer<Throwable> failed) {
        this.settings = settings;
        this.shards = shards;
        this.writeBack = new WriteBack(connections, lease, settings.patience().lockTimeoutMillis());
        this.backOff = new BackOff("write-back", () -> stopped);
        this.signal = signal;
        this.failed = failed;
        this.pendingOfShard = new int[shards.length];
        this.promisedLsn = new long[shards.length];
        this.shardLsn = new long[shards.length];
        Arrays.fill(shardLsn, lease.written());
        this.progressLsn = lease.written();
        this.urgentLsn = lease.written();
        this.writtenLsn = lease.written();
        this.persistedLsn = lease.written();
    }

    @Override
    public void run() {
        try (writeBack) {
            boolean armed = false;
            while (!stopped) {
                if (round()) {
                    armed = false;
                } else if (!armed) {
                    signal.arm();
                    armed = true;
                } else {
                    signal.await(MAX_WAIT_NANOS);
                    armed = false;
                }
            }
        } catch (BackOff.StoppedException e) {
            // Asked for.
        } catch (Throwable e) {
            failed.accept(e);
        }
    }

    private boolean round() throws FencedException {
        collect();
        if (!pending.isEmpty()) {
            takeBatch();
            commit(settledLsn());
            return true;
        }
        settle();
        if (progressIsDue()) {
            commit(writtenLsn);
            return true;
        }
        return false;
    }

    private void collect() {
        for (int i = 0; i < shards.length; i++) {
            Outbox outbox = shards[i].outbox();
            long safe = outbox.safeLsn();
            long progress = outbox.progressLsn();
            long urgent = outbox.urgentLsn();
            for (Submission next = outbox.takeSubmitted(); next != null; next = outbox.takeSubmitted()) {
                pending.add(new Pending(i, next));
                pendingOfShard[i]++;
            }
            promisedLsn[i] = safe;
            progressLsn = Lsn.max(progressLsn, progress);
            urgentLsn = Lsn.max(urgentLsn, urgent);
        }
    }

    private void takeBatch() {
        batch.clear();
        long bytes = 0;
        boolean isErasing = false;
        while (!pending.isEmpty() && batch.size() < settings.batchMaxWrites()) {
            Submission following = pending.peek().submission;
            long more = following.bytes;
            if (!batch.isEmpty() && bytes + more > settings.batchMaxBytes()) {
                break;
            }
            if (isErasing && following.entry instanceof DeadLetter) {
                // A transaction writes letters before it erases: this one may have come after.
                break;
            }
            isErasing |= following.entry instanceof Erasure;
            Pending next = pending.remove();
            batch.add(next);
            pendingOfShard[next.shard]--;
            bytes += more;
        }
    }

    /** Up to where everything is written once the batch is: the least of the shards. */
    private long settledLsn() {
        long least = -1L;
        for (int i = 0; i < shards.length; i++) {
            least = Lsn.min(least, pendingOfShard[i] == 0 ? promisedLsn[i] : shardLsn[i]);
        }
        return Lsn.max(least, writtenLsn);
    }

    /** Notes what the shards promised, where all that was taken of them is committed. */
    private void settle() {
        writtenLsn = settledLsn();
        for (int i = 0; i < shards.length; i++) {
            if (pendingOfShard[i] == 0) {
                shardLsn[i] = promisedLsn[i];
            }
        }
    }

    /**
     * Whether the progress row should move though no document did: only for ops or barriers, because writing the row
     * makes WAL, which makes the server report a new position, and so on for ever.
     */
    private boolean progressIsDue() {
        if (!Lsn.isBefore(persistedLsn, writtenLsn) || !Lsn.isBefore(persistedLsn, progressLsn)) {
            return false;
        }
        return Lsn.isBefore(persistedLsn, urgentLsn) || System.nanoTime() - lastCommitNanos >= PROGRESS_NANOS;
    }

    private void commit(long lsn) throws FencedException {
        List<DocumentWrite> writes = new ArrayList<>(batch.size());
        List<Entry> entries = new ArrayList<>(0);
        for (Pending next : batch) {
            if (next.submission.write != null) {
                writes.add(next.submission.write);
            } else {
                entries.add(next.submission.entry);
            }
        }
        Committed committed = commit(writes, entries, lsn);
        lastCommitNanos = System.nanoTime();
        report(entries);
        settle();
        persistedLsn = lsn;
        acknowledge(committed);
    }

    /** Now and then: each of them is a row, and a client gone wrong makes thousands. */
    private void report(List<Entry> entries) {
        for (Entry entry : entries) {
            if (entry instanceof DeadLetter letter) {
                unreportedLetters++;
                lastRule = letter.rule();
            }
        }
        if (unreportedLetters > 0 && lastCommitNanos - lastReportNanos >= REPORT_NANOS) {
            LOG.warn(
                    "{} ops became dead letters, the last by the rule {}: see crdt.dead_letter",
                    unreportedLetters,
                    lastRule);
            unreportedLetters = 0;
            lastReportNanos = lastCommitNanos;
        }
    }

    private Committed commit(List<DocumentWrite> writes, List<Entry> entries, long lsn) throws FencedException {
        while (true) {
            try {
                Committed committed = writeBack.commit(writes, entries, lsn);
                backOff.succeeded();
                return committed;
            } catch (SQLException e) {
                backOff.failed(e);
            }
        }
    }

    private void acknowledge(Committed committed) {
        for (Pending next : batch) {
            Submission submission = next.submission;
            for (Refused refused : committed.refused()) {
                submission.note(refused);
            }
            shards[next.shard].outbox().acknowledge(submission);
        }
        batch.clear();
        for (ShardThread shard : shards) {
            shard.wake();
        }
    }

    /** Up to which commit end LSN everything is written. Any thread. */
    public long writtenLsn() {
        return writtenLsn;
    }

    /** Up to which commit end LSN the progress row says that everything is written. Any thread. */
    public long persistedLsn() {
        return persistedLsn;
    }

    /** See {@link WriteBack#announceNonces}. Before the thread starts. */
    public void announceNonces(Consumer<List<UUID>> listener) {
        writeBack.announceNonces(listener);
    }

    /** Whether the progress row says all it should, as far as {@link #writtenLsn} goes. Any thread. */
    public boolean isPersisted() {
        long written = writtenLsn;
        return !Lsn.isBefore(persistedLsn, Lsn.min(written, progressLsn));
    }

    /** What it can't commit, so that nothing is written; null if there is nothing. Any thread. */
    public Trouble trouble() {
        return backOff.trouble();
    }

    /** Ends the thread soon; a transaction under way may still be committed. Any thread. */
    public void stop() {
        stopped = true;
        signal.wake();
    }
}
