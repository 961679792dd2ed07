package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.Trouble;
import dev.walmerge.engine.journal.Journal;
import dev.walmerge.engine.journal.JournalReader;
import dev.walmerge.engine.writeback.CommandDone;
import dev.walmerge.engine.writeback.ConnectionSource;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentStore;
import dev.walmerge.engine.writeback.LetterKey;
import dev.walmerge.engine.writeback.StoredDocument;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one shard: reads the journal, does what is due, waits without spinning. It blocks on the database only to load a
 * document that is not in memory.
 */
public final class ShardThread implements Runnable {
    private static final int RECORDS_PER_ROUND = 64;
    private static final long MAX_WAIT_NANOS = 100_000_000;
    private static final Logger LOG = LoggerFactory.getLogger(ShardThread.class);

    private final Journal journal;
    private final EngineSettings settings;
    private final Outbox outbox;
    private final ShardCounters counters = new ShardCounters();
    private final Signal signal = new Signal();
    private final Signal writeBack;
    private final int number;
    private final Shard shard;
    private final Suspects suspects;
    private final Reprojection reprojection;
    private final LastShard lastShard;
    private final JournalReader reader;
    private final DocumentStore store;
    private final BackOff backOff;
    private final Consumer<Throwable> failed;
    private final long originNanos = System.nanoTime();
    private boolean behind;
    private boolean resumed;
    private volatile boolean readerBehind;
    private volatile boolean stopped;
    private volatile boolean draining;

    /**
     * @param number of this shard, from 0
     * @param startLsn up to which everything is written already
     * @param policies in force now, kept up to date by the shards; a concurrent map
     * @param writeBack woken when something was submitted
     * @param lastShard the same one for all shards
     * @param failed told why the thread ended, unless it was stopped
     */
    public ShardThread(
            int number,
            EngineSettings settings,
            Journal journal,
            long startLsn,
            Map<String, Policy> policies,
            ConnectionSource connections,
            Signal writeBack,
            LastShard lastShard,
            Consumer<Throwable> failed) {
        this.journal = journal;
        this.settings = settings;
        this.writeBack = writeBack;
        this.failed = failed;
        this.outbox = new Outbox(startLsn);
        this.store = new DocumentStore(connections);
        BooleanSupplier isStopped = () -> stopped;
        this.backOff = new BackOff("reading what is stored", isStopped);
        this.shard =
                new Shard(settings, outbox, counters, startLsn, policies, this::load, letters(), number, new Core());
        this.reader = journal.reader(number, settings.shards(), shard);
        this.number = number;
        this.suspects = new Suspects(this::suspects, settings.patience().retryMaxMillis() * 1_000_000);
        this.lastShard = lastShard;
        this.reprojection = new Reprojection(documents(), settings.shards());
    }

    @FunctionalInterface
    private interface Read<T> {
        T run() throws SQLException;
    }

    private <T> T untilRead(Read<T> read) {
        while (true) {
            try {
                T result = read.run();
                backOff.succeeded();
                return result;
            } catch (SQLException e) {
                backOff.failed(e);
            }
        }
    }

    private StoredDocument load(DocumentKey key) {
        return untilRead(() -> store.load(key));
    }

    private LetterCommands.Letters letters() {
        return new LetterCommands.Letters() {
            @Override
            public List<LetterKey> page(Command command, long afterId, int limit) {
                return untilRead(() -> store.letters(command, afterId, limit));
            }

            @Override
            public boolean isMine(LetterKey letter) {
                DocumentKey key = letter.document();
                return ShardThread.this.isMine(DocumentHash.of(key.collection(), key.doc()));
            }

            @Override
            public Op load(LetterKey letter) {
                return untilRead(() -> store.letter(letter.id()));
            }
        };
    }

    private Reprojection.Documents documents() {
        return new Reprojection.Documents() {
            @Override
            public List<DocumentKey> page(DocumentKey after, int limit) {
                return unlessFailing(() -> store.documents(after, limit));
            }

            @Override
            public boolean isMine(DocumentKey key) {
                return ShardThread.this.isMine(DocumentHash.of(key.collection(), key.doc()));
            }

            @Override
            public long write(DocumentKey key) {
                return shard.reproject(key, DocumentHash.of(key.collection(), key.doc()));
            }

            @Override
            public boolean isWritten() {
                return shard.isReprojected();
            }

            @Override
            public void done(Command order) {
                if (lastShard.ends(order.id(), number)) {
                    shard.submit(new CommandDone(order.id()));
                }
            }
        };
    }

    /** What came, and at the start what an earlier process did not come to the end of. */
    private void takeOrders() {
        if (!resumed) {
            resumed = true;
            for (Command order : untilRead(store::openReprojections)) {
                begin(order);
            }
        }
        for (Command order = shard.orders.takeReprojection(); order != null; order = shard.orders.takeReprojection()) {
            begin(order);
        }
    }

    private void begin(Command order) {
        lastShard.begins(order.id(), number);
        reprojection.order(order);
    }

    private boolean isMine(int hash) {
        return Math.floorMod(hash, settings.shards()) == number;
    }

    private List<DocumentKey> suspects(DocumentKey after, int limit) {
        return unlessFailing(() -> store.suspects(after, limit));
    }

    private static List<DocumentKey> unlessFailing(Read<List<DocumentKey>> read) {
        try {
            return read.run();
        } catch (SQLException e) {
            LOG.warn("documents to look after can't be read, SQLSTATE {}", e.getSQLState());
            return null;
        }
    }

    /** One document a round, so that merging goes on between two. */
    private boolean revisit() {
        DocumentKey key = suspects.next(nanos());
        if (key == null) {
            return false;
        }
        int hash = DocumentHash.of(key.collection(), key.doc());
        if (isMine(hash)) {
            shard.revisit(key, hash);
        }
        return true;
    }

    @Override
    public void run() {
        try (reader;
                store) {
            boolean armed = false;
            while (!stopped) {
                boolean busy = round();
                if (busy) {
                    armed = false;
                } else if (!armed) {
                    signal.arm();
                    armed = true;
                } else {
                    signal.await(Math.min(MAX_WAIT_NANOS, shard.nextDueNanos() - nanos()));
                    armed = false;
                }
            }
        } catch (BackOff.StoppedException e) {
            // Asked for.
        } catch (Throwable e) {
            failed.accept(e);
        }
    }

    /** Starts near 0, so that no sum of it and a setting overflows. */
    private long nanos() {
        return System.nanoTime() - originNanos;
    }

    private boolean round() {
        shard.clock(nanos());
        boolean busy = shard.takeWritten();
        if (shard.canRead()) {
            busy |= reader.poll(RECORDS_PER_ROUND) > 0;
            if (!busy) {
                takeOrders();
                busy = revisit() || reprojection.step(nanos());
            }
        }
        // Half the bound to leave it again: every change of mind visits all dirty documents.
        behind =
                readerBehind || journal.backlogBytes() > (behind ? settings.behindBytes() / 2 : settings.behindBytes());
        shard.tick(nanos(), behind, draining);
        if (shard.takeSubmittedSomething() || busy) {
            writeBack.wake();
        }
        return busy;
    }

    /** There is something in the journal or in the outbox. Any thread. */
    public void wake() {
        signal.wake();
    }

    /** Writes everything that is merged at once, from now on. Any thread. */
    public void drain() {
        draining = true;
        signal.wake();
    }

    /** Ends the thread soon. Any thread. */
    public void stop() {
        stopped = true;
        signal.wake();
    }

    /** Whether the reader of the slot is far behind the server, however short the journal is. Any thread. */
    public void readerIsBehind(boolean isBehind) {
        readerBehind = isBehind;
    }

    public ShardCounters counters() {
        return counters;
    }

    /** What it can't read, so that it merges nothing; null if there is nothing. Any thread. */
    public Trouble trouble() {
        return backOff.trouble();
    }

    Outbox outbox() {
        return outbox;
    }
}
