package dev.walmerge.sidecar;

import dev.walmerge.engine.EngineStats;
import dev.walmerge.engine.journal.JournalState;
import dev.walmerge.sidecar.Status.Counts;
import java.util.concurrent.TimeUnit;

/**
 * What there is to say of a sidecar beyond its session under way. Thread-safe; who asks holds its lock for as long as some
 * counters take to be read.
 */
final class StatusBoard {
    private static final double MICROS_PER_SECOND = TimeUnit.SECONDS.toMicros(1);

    private Session session;
    private long sessions;
    private Counts earlier = Counts.NONE;
    private String reason = Status.STARTING;
    private boolean stopping;
    private boolean ended;

    synchronized void began(Session next) {
        session = next;
        sessions++;
    }

    /** What it did stays counted. */
    synchronized void sessionEnded() {
        if (session != null) {
            earlier = earlier.plus(statsOf(session));
            session = null;
        }
    }

    /** Why the last session ended, or could not begin. */
    synchronized void waitsFor(String code) {
        reason = code;
    }

    synchronized void stopping() {
        stopping = true;
    }

    /** @param why null if it was told to */
    synchronized void ended(OperatingException why) {
        ended = true;
        reason = why == null ? Status.STOPPING : why.code();
    }

    synchronized Status read() {
        EngineStats engine = session == null ? null : statsOf(session);
        OperatingException failure = session == null ? null : session.failure();
        boolean reads = engine != null && session.isReading();
        return new Status(
                code(engine, failure, reads),
                ended,
                failure != null,
                session == null ? 0 : session.epoch(),
                sessions,
                earlier.plus(engine),
                engine,
                engine == null ? 0 : session.confirmedLsn(),
                reads ? (double) session.lagMicros() / MICROS_PER_SECOND : Double.NaN);
    }

    /** Null, too, when watermarks went back: the engine finds that out by itself and fails. */
    private static EngineStats statsOf(Session session) {
        try {
            return session.stats();
        } catch (IllegalStateException e) {
            return null;
        }
    }

    private String code(EngineStats engine, OperatingException failure, boolean reads) {
        if (ended) {
            return reason;
        }
        if (stopping) {
            return Status.STOPPING;
        }
        if (failure != null) {
            return failure.code();
        }
        if (engine == null) {
            // A new slot waits for the transactions that are open.
            return session != null && session.isFromTables() ? Status.RESYNC : reason;
        }
        OperatingException lasting = OperatingErrors.lasting(engine.trouble());
        if (lasting != null) {
            return lasting.code();
        }
        if (engine.watermarks().written() == 0) {
            return Status.RESYNC;
        }
        if (!reads) {
            return Status.REPLAY;
        }
        JournalState journal = engine.journalState();
        return journal == JournalState.READY ? Status.READY : journal.code();
    }
}
