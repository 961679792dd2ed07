package dev.walmerge.engine;

import dev.walmerge.engine.journal.Journal;
import dev.walmerge.engine.journal.JournalHome;
import dev.walmerge.engine.journal.JournalState;
import dev.walmerge.engine.journal.JournalWriter;
import dev.walmerge.engine.journal.SyncPoint;
import dev.walmerge.engine.retention.Retention;
import dev.walmerge.engine.retention.RetentionThread;
import dev.walmerge.engine.shard.LastShard;
import dev.walmerge.engine.shard.ShardThread;
import dev.walmerge.engine.shard.Signal;
import dev.walmerge.engine.shard.WriteBackThread;
import dev.walmerge.engine.targets.TargetThread;
import dev.walmerge.engine.writeback.ConnectionSource;
import dev.walmerge.engine.writeback.JournalMark;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.PublicationChangedException;
import dev.walmerge.engine.writeback.ServerNotReadyException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns ops into documents in Postgres: journal, shards, write-back, and retention of the ops. One engine serves one slot for as long as its lease
 * holds; after another incarnation or a lost lease, close it and start a new one.
 *
 * <p>Thread-safe, but for what {@link #sink} says.
 */
public final class Engine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final long STOP_NANOS = 2_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;
    private static final Duration RETENTION_PERIOD = Duration.ofSeconds(10);
    private static final String DEFAULT_COLLECTION = "default";
    /** The journal is forced so often at most, or after so many bytes. */
    private static final long GROUP_NANOS = 5_000_000;

    private static final long GROUP_BYTES = 1 << 20;
    private static final long GROUP_AGAIN_NANOS = 2_000_000_000L;

    private final Journal journal;
    private final JournalHome home;
    private final JournalSync journalSync;
    private final long journalAboveBytes;
    private final JournalWriter sink;
    private final ShardThread[] shards;
    private final WriteBackThread writeBack;
    private final TrackedConnections connections;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Map<String, Policy> policies;
    private RetentionThread retention;
    private TargetThread targets;
    private volatile boolean trimming = true;
    private boolean closed;
    private volatile long receivedLsn;
    private long groupNanos;
    private long groupBytes;
    private long groupLsn;
    /** Not the engine's own lock: that is held while threads are waited for which look at the watermarks. */
    private final Object watermarksLock = new Object();

    private Watermarks watermarks;

    private Engine(
            EngineSettings settings,
            ConnectionSource source,
            Lease lease,
            Map<String, Policy> policies,
            JournalHome home,
            Journal journal) {
        this.home = home;
        this.journal = journal;
        this.journalAboveBytes = settings.journalAboveBytes();
        this.receivedLsn = lease.written();
        this.watermarks = Watermarks.at(lease.written());
        this.connections = new TrackedConnections(source);
        this.policies = new ConcurrentHashMap<>(policies);
        this.shards = new ShardThread[settings.shards()];
        Signal signal = new Signal();
        LastShard lastShard = new LastShard(shards.length);
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new ShardThread(
                    i, settings, journal, lease.written(), this.policies, connections, signal, lastShard, this::fail);
        }
        this.writeBack = new WriteBackThread(settings, shards, connections, lease, signal, this::fail);
        this.sink = journal.writer(lease.written(), this::wakeShards);
        sink.inForce(policies);
        journal.follow(writeBack::persistedLsn);
        writeBack.announceNonces(home::expect);
        this.journalSync = new JournalSync(
                journal,
                home,
                new JournalMark(connections, lease),
                writeBack::persistedLsn,
                this::watermarks,
                this::fail);
        threads.add(new Thread(journalSync, "walmerge-journal"));
        threads.add(new Thread(writeBack, "walmerge-write-back"));
        for (int i = 0; i < shards.length; i++) {
            threads.add(new Thread(shards[i], "walmerge-shard-" + i));
        }
    }

    /** Starts an engine on a journal of its own, of which an earlier one is of no use. */
    public static Engine start(
            EngineSettings settings, ConnectionSource connections, Lease lease, Map<String, Policy> policies)
            throws IOException {
        JournalHome home = JournalHome.open(settings.journalDirectory(), "", 0, lease.slot());
        return start(settings, connections, lease, policies, home);
    }

    /**
     * Starts the threads.
     *
     * @param connections asked for a new connection by each thread that needs one, again after one was lost
     * @param lease of a take-over that is done
     * @param policies in force now, by collection; later versions come through the sink
     * @param home of the journal; the engine's from now on. If it has something to replay, feed that to the sink before
     *     anything else and call {@link #replayed}
     * @throws IOException if the journal's directory can't be used
     * @throws IllegalArgumentException if the collection {@code default} has no policy: its ops would all be refused
     */
    public static Engine start(
            EngineSettings settings,
            ConnectionSource connections,
            Lease lease,
            Map<String, Policy> policies,
            JournalHome home)
            throws IOException {
        if (!policies.containsKey(DEFAULT_COLLECTION)) {
            throw new IllegalArgumentException("no policy for the collection " + DEFAULT_COLLECTION);
        }
        Journal journal = openJournal(settings, lease, home);
        Engine engine = new Engine(settings, connections, lease, policies, home, journal);
        for (Thread thread : engine.threads) {
            thread.setDaemon(true);
            thread.start();
        }
        engine.startRetention(lease);
        engine.targets = TargetThread.start(engine.connections);
        return engine;
    }

    private static Journal openJournal(EngineSettings settings, Lease lease, JournalHome home) throws IOException {
        boolean opened = false;
        try {
            home.claim(lease.nonce());
            Journal journal = Journal.open(
                    home,
                    settings.shards(),
                    settings.journalMaxBytes(),
                    settings.journalReserveBytes(),
                    lease.written());
            opened = true;
            return journal;
        } finally {
            if (!opened) {
                home.close();
            }
        }
    }

    private void startRetention(Lease lease) {
        retention = RetentionThread.start(
                connections,
                new Retention(lease, this::writtenLsn, () -> trimming),
                () -> policies.getOrDefault(DEFAULT_COLLECTION, Policy.defaults())
                        .rotateAfter(),
                RETENTION_PERIOD,
                this::fail);
    }

    /** False while someone reads the op ring, as a resync or a verify does: nothing is trimmed. True at the start. */
    public void trimming(boolean allowed) {
        trimming = allowed;
    }

    /**
     * Whether the reader of the slot is far behind the server: documents are then written as late as their policy allows,
     * because what they cost is missing from what reads. Any thread.
     */
    public void readerIsBehind(boolean isBehind) {
        for (ShardThread shard : shards) {
            shard.readerIsBehind(isBehind);
        }
    }

    /** Where ops go in. For one thread at a time; a reader that lost its connection goes on with the same sink. */
    public OpSink sink() {
        return sink;
    }

    /** The end LSN of a commit such that it and every earlier one is written and committed. */
    public long writtenLsn() {
        return writeBack.writtenLsn();
    }

    /**
     * What the slot may be told: what is written, and when that would hold back too much WAL, what is journaled and on
     * the disk. For the thread that uses the sink, which should ask often.
     *
     * @param receivedLsn the furthest position the server sent; every commit that ended before it was handed to the sink,
     *     but for the one that is open
     * @param confirmedLsn what the slot was told last
     */
    public long durableLsn(long receivedLsn, long confirmedLsn) {
        long written = writeBack.writtenLsn();
        if (Lsn.isBefore(this.receivedLsn, receivedLsn)) {
            this.receivedLsn = receivedLsn;
        }
        boolean tooMuch = Lsn.isBefore(confirmedLsn, receivedLsn) && receivedLsn - confirmedLsn > journalAboveBytes;
        if (tooMuch && written != 0 && !sink.isOpen() && groupIsDue(receivedLsn)) {
            journalUpTo(Lsn.max(receivedLsn, sink.lastEndLsn()));
        }
        return Lsn.max(written, journalSync.syncedLsn());
    }

    private boolean groupIsDue(long receivedLsn) {
        long sinceNanos = System.nanoTime() - groupNanos;
        if (!Lsn.isBefore(groupLsn, receivedLsn)) {
            // Asked for already. What failed must be asked for again, though nothing else may come.
            return sinceNanos >= GROUP_AGAIN_NANOS && Lsn.isBefore(journalSync.syncedLsn(), groupLsn);
        }
        return sinceNanos >= GROUP_NANOS || journal.appendedBytes() - groupBytes >= GROUP_BYTES;
    }

    private boolean journalUpTo(long lsn) {
        SyncPoint point = journal.point(lsn);
        if (point == null) {
            return false;
        }
        groupNanos = System.nanoTime();
        groupBytes = journal.appendedBytes();
        groupLsn = lsn;
        journalSync.want(point);
        return true;
    }

    /**
     * Everything that was to be replayed was handed to the sink. For the thread that uses the sink.
     *
     * @param confirmedLsn up to where it was replayed
     */
    public void replayed(long confirmedLsn) {
        sink.abandon();
        if (home.keepsEarlier()) {
            // If it can't be, the earlier journal stays until all of it is written.
            journalUpTo(Lsn.max(confirmedLsn, sink.lastEndLsn()));
        }
    }

    /**
     * How far ops have come.
     *
     * @throws IllegalStateException if they went back, which would be a fault of the engine
     */
    public Watermarks watermarks() {
        synchronized (watermarksLock) {
            // The later ones first: each may move on meanwhile.
            long written = writeBack.writtenLsn();
            long merged = -1;
            for (ShardThread shard : shards) {
                merged = Lsn.min(merged, shard.counters().mergedLsn());
            }
            long journaled = sink.lastEndLsn();
            long received = Lsn.max(receivedLsn, journaled);
            watermarks = new Watermarks(received, journaled, merged, written).since(watermarks);
            return watermarks;
        }
    }

    /** Whether every transaction that was committed to the sink is written. */
    public boolean quiet() {
        return !Lsn.isBefore(writeBack.writtenLsn(), sink.lastEndLsn());
    }

    /**
     * Writes everything that was committed to the sink, without waiting for any policy. Call it after the thread that
     * uses the sink has ended; a transaction it left open is given up.
     *
     * @return true if all is written, false if the time was not enough or the engine has failed
     */
    public boolean drain(Duration timeout) {
        sink.abandon();
        for (ShardThread shard : shards) {
            shard.drain();
        }
        long end = System.nanoTime() + timeout.toNanos();
        while (failure() == null) {
            if (quiet() && writeBack.isPersisted()) {
                return true;
            }
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        return false;
    }

    /** Null, or why the engine stopped for good, such as a {@code FencedException}. */
    public Throwable failure() {
        return failure.get();
    }

    public EngineStats stats() {
        long ops = 0;
        long merged = 0;
        long flushes = 0;
        long folds = 0;
        long deadLetters = 0;
        long dirty = 0;
        long resident = 0;
        long residentBytes = 0;
        for (ShardThread shard : shards) {
            ops += shard.counters().ops();
            merged += shard.counters().merged();
            flushes += shard.counters().flushes();
            folds += shard.counters().folds();
            deadLetters += shard.counters().deadLetters();
            dirty += shard.counters().dirtyDocuments();
            resident += shard.counters().residentDocuments();
            residentBytes += shard.counters().residentBytes();
        }
        return new EngineStats(
                ops,
                merged,
                flushes,
                folds,
                deadLetters,
                dirty,
                resident,
                residentBytes,
                journal.backlogBytes(),
                journal.keptBytes(),
                journalSync.isFailing() ? JournalState.UNUSABLE : journal.state(),
                journalSync.syncedLsn(),
                watermarks(),
                trouble());
    }

    /** What stops reading or writing in the database now, the longest of several; null if there is nothing. Any thread. */
    public Trouble trouble() {
        Trouble longest = writeBack.trouble();
        for (ShardThread shard : shards) {
            longest = Trouble.longer(longest, shard.trouble());
        }
        return longest;
    }

    private void wakeShards() {
        for (ShardThread shard : shards) {
            shard.wake();
        }
    }

    private void fail(Throwable cause) {
        if (failure.compareAndSet(null, cause)) {
            if (cause instanceof ServerNotReadyException || cause instanceof PublicationChangedException) {
                LOG.warn("the engine stops: {}", cause.getMessage());
            } else {
                LOG.error("the engine stops: {}", cause.getClass().getName(), cause);
            }
            stopThreads();
        }
    }

    private void stopThreads() {
        for (ShardThread shard : shards) {
            shard.stop();
        }
        writeBack.stop();
        journalSync.stop();
    }

    /**
     * Stops the threads within seconds. Nothing more is flushed, see {@link #drain}; what is not committed comes again
     * through the slot. Call it after the thread that uses the sink has ended.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        stopThreads();
        boolean ended = join();
        if (!ended) {
            // Someone hangs in the database, behind a lock perhaps.
            connections.abort();
            ended = join();
        }
        retention.close();
        targets.close();
        if (ended) {
            journal.close();
        } else {
            LOG.error("a thread of the engine did not end: its files stay open");
        }
    }

    private boolean join() {
        long end = System.nanoTime() + STOP_NANOS;
        boolean interrupted = false;
        boolean ended = true;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                long leftMillis = (end - System.nanoTime()) / 1_000_000;
                if (leftMillis <= 0) {
                    ended = false;
                    break;
                }
                try {
                    thread.join(leftMillis);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return ended;
    }
}
