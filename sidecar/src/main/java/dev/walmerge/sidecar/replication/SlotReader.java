package dev.walmerge.sidecar.replication;

import dev.walmerge.decoder.pgoutput.MalformedMessageException;
import dev.walmerge.decoder.pgoutput.MessageKind;
import dev.walmerge.decoder.pgoutput.Protocol;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.sidecar.replication.ReplicationErrors.Doing;
import dev.walmerge.sidecar.replication.ReplicationException.Code;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * Reads one slot and tells the server how far what was read is safe. From {@link #start} on the slot is ours; the thread
 * that started it then calls {@link #run}, and {@link #keepAlive} in between if that takes long. {@link #stop},
 * {@link #receivedLsn} and {@link #confirmedLsn} are for any thread.
 *
 * <p>The driver's own bookkeeping is off (README.md says why): only what the caller calls flushed is ever confirmed, and
 * on a quiet server what was received.
 */
public final class SlotReader implements AutoCloseable {
    /** The driver takes its status interval for the timeout of reads, which then may end inside a message. */
    private static final int DRIVER_STATUS_DAYS = 20;

    private static final long STATUS_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long HELD_BACK_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** How long to wait for the link before looking at what became durable; the server hears of that within twice. */
    private static final int ARRIVAL_WAIT_MILLIS = 50;

    /**
     * After a message, if nothing follows in this time, the server hears from us once: a sender that is about to sleep can
     * miss the flush of the next commit, and would sleep until anything else wakes it (README.md).
     */
    private static final int NUDGE_WAIT_MILLIS = 5;

    /** The same on somebody else's sockets, which can only be asked again and again. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How often to look how fast messages come. */
    private static final int PACE_MESSAGES = 64;

    /** If they come in less, ten a millisecond, they are fetched in larger pieces. */
    private static final long PACE_NANOS = TimeUnit.MICROSECONDS.toNanos(6_400);

    private static final long ACQUIRE_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Statuses that fit into the time after which the server gives up. */
    private static final int STATUSES_PER_TIMEOUT = 3;

    private final ReplicationConnection connection;
    private final SlotReaderOptions options;
    private final PGReplicationStream stream;
    private final long statusIntervalNanos;
    private final LinkWatch watch;
    private boolean insideTransaction;
    private int messagesSincePace;
    private long lastPaceNanos;
    /** The server was not nudged since the last message came. */
    private boolean nudgeIsDue;

    private int restsSinceMessage;
    private long lastStatusNanos;
    private long lastSentLsn;
    private volatile long receivedLsn;
    private volatile long confirmedLsn;
    private volatile boolean stopping;

    private SlotReader(
            ReplicationConnection connection,
            SlotReaderOptions options,
            PGReplicationStream stream,
            long statusIntervalNanos) {
        this.connection = connection;
        this.options = options;
        this.stream = stream;
        this.statusIntervalNanos = statusIntervalNanos;
        this.lastStatusNanos = System.nanoTime();
        this.lastPaceNanos = lastStatusNanos;
        this.receivedLsn = options.startLsn();
        this.confirmedLsn = options.startLsn();
        this.watch = LinkWatch.start(connection, options.silenceMax());
    }

    /**
     * Acquires the slot and asks the server to send. Takes the connection over: closing the reader closes it, and so does
     * a failure.
     */
    public static SlotReader start(ReplicationConnection connection, SlotReaderOptions options)
            throws ReplicationException {
        boolean started = false;
        try {
            requirePublication(connection, options.publication());
            long intervalNanos = statusIntervalNanos(connection, options);
            SlotReader reader = new SlotReader(connection, options, acquire(connection, options), intervalNanos);
            started = true;
            return reader;
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.START_STREAM, e);
        } finally {
            if (!started) {
                connection.close();
            }
        }
    }

    /** Version 18 sends nothing for a missing publication, without an error. */
    private static void requirePublication(ReplicationConnection connection, String publication)
            throws SQLException, ReplicationException {
        try (PreparedStatement statement =
                connection.prepareStatement("select from pg_catalog.pg_publication where pubname = ?")) {
            statement.setString(1, publication);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new ReplicationException(Code.PUBLICATION_MISSING, "no publication " + publication, null);
                }
            }
        }
    }

    private static long statusIntervalNanos(ReplicationConnection connection, SlotReaderOptions options)
            throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select setting::bigint from pg_catalog.pg_settings where name = 'wal_sender_timeout'")) {
            row.next();
            long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(row.getLong(1));
            long wantedNanos = options.statusInterval().toNanos();
            return timeoutNanos == 0 ? wantedNanos : Math.min(wantedNanos, timeoutNanos / STATUSES_PER_TIMEOUT);
        }
    }

    private static PGReplicationStream acquire(ReplicationConnection connection, SlotReaderOptions options)
            throws SQLException {
        long deadlineNanos = System.nanoTime() + options.acquirePatience().toNanos();
        while (true) {
            try {
                return connection
                        .startStreaming()
                        .replicationStream()
                        .logical()
                        .withSlotName(options.slot())
                        .withStartPosition(LogSequenceNumber.valueOf(options.startLsn()))
                        .withAutomaticFlush(false)
                        .withStatusInterval(DRIVER_STATUS_DAYS, TimeUnit.DAYS)
                        .withSlotOption("proto_version", Protocol.PLAIN.version())
                        .withSlotOption("publication_names", quotedIdentifier(options.publication()))
                        .withSlotOption("binary", "true")
                        .withSlotOption("messages", "true")
                        .start();
            } catch (SQLException e) {
                boolean inUse = "55006".equals(e.getSQLState());
                if (!inUse
                        || deadlineNanos - System.nanoTime() < 0
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(ACQUIRE_RETRY_NANOS);
            }
        }
    }

    private static String quotedIdentifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /**
     * Reads until {@link #stop}, on the calling thread. Returns normally only then; the slot is let go in any case.
     *
     * @param flushedLsn up to which commit's <em>end</em> everything is durable; asked often, must not block
     * @param quiet whether everything that was handed to the consumer is durable. Then, between two transactions, the
     *     server's own position is confirmed too, without which an idle slot would hold back WAL
     * @param hasRoom false while nothing must be read; the server then goes on hearing from us
     */
    public void run(MessageConsumer consumer, LongSupplier flushedLsn, BooleanSupplier quiet, BooleanSupplier hasRoom)
            throws ReplicationException {
        try {
            while (!stopping) {
                boolean nothingThere = false;
                if (!hasRoom.getAsBoolean()) {
                    watch.heldBack();
                    LockSupport.parkNanos(HELD_BACK_PARK_NANOS);
                } else if (readOne(consumer)) {
                    if (++messagesSincePace == PACE_MESSAGES) {
                        pace(System.nanoTime() - lastPaceNanos < PACE_NANOS);
                    }
                } else {
                    pace(false);
                    if (!insideTransaction && quiet.getAsBoolean()) {
                        // All that was sent before the keepalive that brought this position is durable.
                        confirm(receivedLsn);
                    }
                    nothingThere = true;
                }
                confirm(flushedLsn.getAsLong());
                sendStatusWhenDue();
                if (nothingThere) {
                    rest();
                }
            }
            sendStatus();
        } catch (SQLException e) {
            if (!stopping) {
                throw ended(e);
            }
        } catch (MalformedMessageException e) {
            throw new ReplicationException(Code.MALFORMED_MESSAGE, e.getMessage(), e);
        } catch (OutOfMemoryError e) {
            // Cut off inside a message, the stream can't be read on; what is on the heap beside it may be gone next
            // time.
            throw new ReplicationException(
                    Code.MESSAGE_TOO_LARGE,
                    "a message after " + LogSequenceNumber.valueOf(receivedLsn).asString()
                            + " does not fit into the heap of "
                            + (Runtime.getRuntime().maxMemory() >> 20) + " MiB",
                    e);
        } finally {
            close();
        }
    }

    /** The server sends each message by itself: a reader that is woken for each costs both sides more than the message does. */
    private void pace(boolean isFast) {
        connection.traffic().gather(isFast);
        messagesSincePace = 0;
        lastPaceNanos = System.nanoTime();
    }

    /** Until something arrives, or for a moment. */
    private void rest() throws SQLException {
        boolean arrived;
        if (connection.traffic().isCounting()) {
            arrived = connection.traffic().awaitArrival(nudgeIsDue ? NUDGE_WAIT_MILLIS : ARRIVAL_WAIT_MILLIS);
        } else {
            LockSupport.parkNanos(REST_NANOS);
            arrived = ++restsSinceMessage < NUDGE_WAIT_MILLIS;
        }
        if (nudgeIsDue && !arrived) {
            sendStatus();
            nudgeIsDue = false;
        }
    }

    /** False if nothing is there; the driver waits a millisecond before it says so. */
    private boolean readOne(MessageConsumer consumer) throws SQLException, MalformedMessageException {
        ByteBuffer message = stream.readPending();
        long lsn = stream.getLastReceiveLSN().asLong();
        if (Long.compareUnsigned(lsn, receivedLsn) > 0) {
            receivedLsn = lsn;
        }
        if (message == null) {
            return false;
        }
        nudgeIsDue = true;
        restsSinceMessage = 0;
        int offset = message.arrayOffset() + message.position();
        int length = message.remaining();
        Failpoint.AFTER_RECEIVE.reach();
        consumer.accept(lsn, message.array(), offset, length);
        if (length > 0) {
            byte kind = message.array()[offset];
            insideTransaction =
                    kind == MessageKind.BEGIN.tag() || (insideTransaction && kind != MessageKind.COMMIT.tag());
        }
        return true;
    }

    /** Never backwards, and never past what this session received: a wrong LSN would make the server skip commits. */
    private void confirm(long lsn) {
        long safe = Long.compareUnsigned(lsn, receivedLsn) < 0 ? lsn : receivedLsn;
        if (Long.compareUnsigned(safe, confirmedLsn) > 0) {
            confirmedLsn = safe;
        }
    }

    private void sendStatusWhenDue() throws SQLException {
        long sinceNanos = System.nanoTime() - lastStatusNanos;
        if (sinceNanos >= statusIntervalNanos || (sinceNanos >= STATUS_GAP_NANOS && confirmedLsn != lastSentLsn)) {
            sendStatus();
        }
    }

    /** Also asks for an answer, which is what shows that the link is alive. */
    private void sendStatus() throws SQLException {
        Failpoint.BEFORE_CONFIRM.reach();
        LogSequenceNumber lsn = LogSequenceNumber.valueOf(confirmedLsn);
        stream.setFlushedLSN(lsn);
        stream.setAppliedLSN(lsn);
        stream.forceUpdateStatus();
        Failpoint.AFTER_CONFIRM.reach();
        lastSentLsn = confirmedLsn;
        lastStatusNanos = System.nanoTime();
    }

    /** Lets the server hear from us if it is time to. For the reader's thread, between {@link #start} and {@link #run}. */
    public void keepAlive() throws ReplicationException {
        try {
            watch.heldBack();
            sendStatusWhenDue();
        } catch (SQLException e) {
            throw ended(e);
        }
    }

    private ReplicationException ended(SQLException e) {
        return watch.cut()
                ? new ReplicationException(Code.LINK_SILENT, "nothing came for " + options.silenceMax(), e)
                : ReplicationErrors.of(Doing.STREAM, e);
    }

    /** Makes {@link #run} return within a second, wherever it is. */
    public void stop() {
        stopping = true;
        watch.expectStop();
    }

    /** The furthest position the server sent, unsigned. */
    public long receivedLsn() {
        return receivedLsn;
    }

    /** What the server is told to be durable, unsigned: it may forget what comes before. */
    public long confirmedLsn() {
        return confirmedLsn;
    }

    /** Lets the slot go by cutting the connection: a polite end would wait for the rest of a transaction. */
    @Override
    public void close() {
        stopping = true;
        watch.close();
        connection.abort();
    }
}
