package dev.walmerge.engine;

import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.journal.Journal;
import dev.walmerge.engine.journal.JournalHome;
import dev.walmerge.engine.journal.JournalLostException;
import dev.walmerge.engine.journal.SyncPoint;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.JournalMark;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces the journal to the disk, on a thread of its own, so that the slot may be told more than what is written. Before
 * it is told, in this order: the mark in the progress row is committed, the records are on the disk, the header says so
 * and is on the disk.
 */
final class JournalSync implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(JournalSync.class);
    private static final long ROUND_MILLIS = 1_000;
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** So long after the last sync the mark is taken back, if all is written. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Journal journal;
    private final JournalHome home;
    private final JournalMark mark;
    private final LongSupplier persistedLsn;
    private final Runnable everyRound;
    private final Consumer<Throwable> failed;
    private final AtomicReference<SyncPoint> wanted = new AtomicReference<>();
    private final Semaphore work = new Semaphore(0);
    private volatile boolean stopped;
    private long lastNanos = System.nanoTime();
    private long pausedUntilNanos = System.nanoTime();
    private volatile long syncedLsn;
    private volatile boolean failing;

    /** @param everyRound called about every second, on the thread */
    JournalSync(
            Journal journal,
            JournalHome home,
            JournalMark mark,
            LongSupplier persistedLsn,
            Runnable everyRound,
            Consumer<Throwable> failed) {
        this.journal = journal;
        this.home = home;
        this.mark = mark;
        this.persistedLsn = persistedLsn;
        this.everyRound = everyRound;
        this.failed = failed;
    }

    /** Up to which LSN the journal is forced, and the slot may be told; 0 if it never was. Any thread. */
    long syncedLsn() {
        return syncedLsn;
    }

    /** Whether the last attempt failed. Any thread. */
    boolean isFailing() {
        return failing;
    }

    /** Wants it forced up to there; a later point stands for the earlier one. Any thread. */
    void want(SyncPoint point) {
        wanted.set(point);
        work.release();
    }

    void stop() {
        stopped = true;
        work.release();
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                if (work.tryAcquire(ROUND_MILLIS, TimeUnit.MILLISECONDS)) {
                    work.drainPermits();
                }
                everyRound.run();
                home.requireThere();
                round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            failed.accept(e);
        }
    }

    private void round() throws FencedException, JournalLostException {
        SyncPoint point = wanted.getAndSet(null);
        if (System.nanoTime() - pausedUntilNanos < 0) {
            return;
        }
        try {
            if (point != null) {
                sync(point);
            } else if (home.confirmedLsn() == 0 ? mark.isSet() : isWritten()) {
                forget();
            }
            failing = false;
        } catch (JournalLostException e) {
            throw e;
        } catch (IOException e) {
            pause(e.toString());
        } catch (SQLException e) {
            pause("SQLSTATE " + e.getSQLState());
        }
    }

    private void sync(SyncPoint point) throws SQLException, FencedException, IOException {
        mark.set();
        journal.sync(point);
        Failpoint.AFTER_SYNC.reach();
        syncedLsn = point.lsn();
        lastNanos = System.nanoTime();
    }

    private boolean isWritten() {
        return !Lsn.isBefore(persistedLsn.getAsLong(), home.confirmedLsn());
    }

    /** Nothing that the slot was told of is only in a journal any more. */
    private void forget() throws SQLException, IOException {
        if (home.keepsEarlier()) {
            home.forget();
        } else if (System.nanoTime() - lastNanos > CALM_NANOS) {
            mark.clear(home.confirmedLsn());
            if (!mark.isSet()) {
                home.forget();
            }
        }
    }

    private void pause(String why) {
        if (!failing) {
            LOG.warn("the journal can't be synced, the slot is told what is written: {}", why);
        }
        failing = true;
        pausedUntilNanos = System.nanoTime() + AGAIN_NANOS;
    }
}
