package dev.walmerge.sidecar;

import dev.walmerge.engine.Trouble;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.PublicationChangedException;
import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.replication.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to be the sidecar of a database, whatever the slot: the documents are the same. Another one waits for it
 * instead of taking over from a healthy holder. A courtesy, not the fence: that is the epoch, which every write-back
 * checks.
 *
 * <p>It is an advisory lock on a connection of its own, on which a thread asks once a second what no write-back would
 * find out on a quiet database. That is the sign of life too: a holder that was silent for {@link #SILENCE_MAX_SECONDS}
 * is stopped, or hangs, and its session is ended.
 */
final class Hold implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hold.class);
    private static final long BEAT_MILLIS = 1_000;
    static final int SILENCE_MAX_SECONDS = 10;
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final int ATTEMPTS = 20;
    private static final long ATTEMPT_MILLIS = 100;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Connection connection;
    private final String slot;
    private final Consumer<OperatingException> lost;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::beat, "walmerge-hold");
    private volatile Lease lease;
    private volatile IdleMark mark;
    private volatile LongSupplier resyncDone;
    private volatile long resyncRows;
    private long resyncShown = -1;
    private volatile Supplier<Trouble> trouble;
    private Optional<String> troubleShown;
    private Optional<String> troubleLogged;

    private Hold(Connection connection, String slot, Consumer<OperatingException> lost) {
        this.connection = connection;
        this.slot = slot;
        this.lost = lost;
    }

    /**
     * Takes the lock.
     *
     * @param lost told at most once, on a thread of its own, why the hold is gone
     * @throws OperatingException when another sidecar has it
     */
    static Hold take(Endpoint endpoint, String slot, Consumer<OperatingException> lost)
            throws SQLException, OperatingException {
        Connection connection = endpoint.connect("hold");
        boolean taken = false;
        try {
            lock(connection, slot);
            try (Statement statement = connection.createStatement()) {
                statement.execute("set lock_timeout = '500ms'");
            }
            Hold hold = new Hold(connection, slot, lost);
            hold.thread.setDaemon(true);
            hold.thread.start();
            taken = true;
            return hold;
        } finally {
            if (!taken) {
                connection.abort(Runnable::run);
            }
        }
    }

    private static void lock(Connection connection, String slot) throws SQLException, OperatingException {
        boolean ended = false;
        for (int attempt = 1; !scalar(connection, HoldSql.TRY_LOCK); attempt++) {
            if (!ended && scalar(connection, HoldSql.END_SILENT_HOLDER.formatted(SILENCE_MAX_SECONDS))) {
                LOG.warn("slot {}: the sidecar that held the documents was silent; its session was ended", slot);
                ended = true;
            }
            if (!ended || attempt == ATTEMPTS) {
                throw new OperatingException(
                        Kind.RETRYABLE,
                        "slot-in-use",
                        "another sidecar writes the documents of this database; waiting to take over slot " + slot,
                        "stop the other one, or let this one wait",
                        null);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(ATTEMPT_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SQLException("interrupted", "57014", e);
            }
        }
    }

    private static boolean scalar(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** From now on the progress row must be that of the lease, and the publication the one it names. */
    void watch(Lease lease, IdleMark mark) {
        this.mark = mark;
        this.lease = lease;
    }

    /**
     * Shows in the progress row how far reading the tables is, until that is written.
     *
     * @param done asked once a second, by the hold's thread
     */
    void showResync(long rows, LongSupplier done) throws SQLException {
        resyncRows = rows;
        resyncDone = done;
        if (rows > 0) {
            showResync();
        }
    }

    private void beat() {
        try {
            while (!closed.await(BEAT_MILLIS, TimeUnit.MILLISECONDS)) {
                look();
                showResync();
                showTrouble();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            tell(OperatingErrors.of(e));
        } catch (FencedException | RuntimeException e) {
            tell(OperatingErrors.of(e));
        }
    }

    private void look() throws SQLException, FencedException {
        Lease current = lease;
        IdleMark idle = mark;
        // Before the nonce: what is offered later may belong to the next one.
        long offeredLsn = idle == null ? 0 : idle.offeredLsn();
        try (PreparedStatement select = connection.prepareStatement(HoldSql.LOOK)) {
            select.setString(1, slot);
            try (ResultSet row = select.executeQuery()) {
                if (current == null) {
                    return;
                }
                if (!row.next() || row.getLong("epoch") != current.epoch()) {
                    throw new FencedException("slot " + slot + " was taken over");
                }
                if (!row.getBoolean("published")) {
                    throw new PublicationChangedException("slot " + slot + ": the publication was changed");
                }
                if (row.getBoolean("written")) {
                    resyncDone = null;
                }
                if (offeredLsn != 0) {
                    idle.keep(offeredLsn, row.getObject("nonce", UUID.class));
                }
            }
        }
    }

    private synchronized void showResync() throws SQLException {
        LongSupplier done = resyncDone;
        Lease current = lease;
        if (done == null || current == null || done.getAsLong() == resyncShown) {
            return;
        }
        long rows = done.getAsLong();
        try (PreparedStatement show = connection.prepareStatement(HoldSql.SHOW_RESYNC)) {
            show.setLong(1, resyncRows);
            show.setLong(2, rows);
            show.setString(3, slot);
            show.setLong(4, current.epoch());
            show.executeUpdate();
            resyncShown = rows;
        } catch (SQLException e) {
            // A write-back has the row; it must not keep this thread from its next look.
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    /**
     * Shows in the log and in the progress row what stops reading or writing, as long as it does.
     *
     * @param now asked once a second, by the hold's thread
     */
    void showTrouble(Supplier<Trouble> now) {
        trouble = now;
    }

    private void showTrouble() {
        Supplier<Trouble> source = trouble;
        if (source == null) {
            return;
        }
        Trouble now = source.get();
        OperatingException lasting = OperatingErrors.lasting(now);
        Optional<String> shown = Optional.ofNullable(lasting).map(OperatingException::getMessage);
        if (shown.equals(troubleShown)) {
            return;
        }
        if (lasting != null && !shown.equals(troubleLogged)) {
            LOG.error("{}: {}; cure: {}", lasting.code(), lasting.getMessage(), lasting.cure());
        }
        troubleLogged = shown;
        try (PreparedStatement show = connection.prepareStatement(HoldSql.SHOW_FAILING)) {
            show.setString(1, shown.orElse(null));
            if (lasting == null) {
                show.setNull(2, Types.DOUBLE);
            } else {
                show.setDouble(2, (System.nanoTime() - now.sinceNanos()) / NANOS_PER_SECOND);
            }
            show.setString(3, slot);
            show.setLong(4, lease.epoch());
            show.setString(5, shown.orElse(null));
            show.executeUpdate();
            troubleShown = shown;
        } catch (SQLException e) {
            // Whatever keeps it from saying so is not worse than what it has to say; the next look tells a lost
            // connection.
            LOG.debug("failing can't be shown: {}", e.getSQLState());
        }
    }

    private void tell(OperatingException why) {
        if (closed.getCount() > 0) {
            lost.accept(why);
        }
    }

    /** Lets the documents go. */
    @Override
    public void close() {
        closed.countDown();
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("abort failed: {}", e.getSQLState());
        }
    }
}
