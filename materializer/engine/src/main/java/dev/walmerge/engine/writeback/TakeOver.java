package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.postgresql.replication.LogSequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes this process the only writer of a slot's documents. Call it after the slot is acquired. */
public final class TakeOver {
    private static final Logger LOG = LoggerFactory.getLogger(TakeOver.class);
    private static final int ATTEMPTS = 10;
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private TakeOver() {}

    /**
     * Bumps the epoch, so that every write-back of an earlier holder fails from now on. An earlier holder that keeps the
     * progress row locked is ended, if it runs as our own role. That goes for holders by other slots too: the documents
     * are the same.
     *
     * @param connection in autocommit mode, which it is again afterwards; used for this call only
     * @param slot the name of the slot
     * @param systemIdentifier as {@code IDENTIFY_SYSTEM} says
     * @param timeline as {@code IDENTIFY_SYSTEM} says
     * @throws SQLException among others with state 55P03 when someone else keeps the progress row locked
     */
    public static Lease takeOver(Connection connection, String slot, String systemIdentifier, int timeline)
            throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return bump(connection, slot, systemIdentifier, timeline);
            } catch (SQLException e) {
                if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState()) || attempt == ATTEMPTS) {
                    throw e;
                }
                LOG.warn("slot {}: {} stale holder(s) of the progress row ended", slot, endHolders(connection));
            }
        }
    }

    /** What earlier sessions left on this very server. */
    public static Before before(Connection connection, String slot, String systemIdentifier, int timeline)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(ProgressSql.BEFORE)) {
            select.setString(1, slot);
            select.setString(2, systemIdentifier);
            select.setInt(3, timeline);
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? new Before(
                                LogSequenceNumber.valueOf(row.getString(1)).asLong(),
                                row.getObject(2, UUID.class),
                                row.getBoolean(3))
                        : new Before(0, null, false);
            }
        }
    }

    /**
     * The progress row before a take-over.
     *
     * @param written up to where everything was written, unsigned; 0 if the tables and the slot are not all
     * @param nonce null if there is no such row
     * @param journaled whether the slot may have been told of what only a journal and the op rows hold
     */
    public record Before(long written, UUID nonce, boolean journaled) {}

    /**
     * Forgets what was written, before the slot is made anew and every row is read again: until that is written, a start
     * finds {@code written} at zero and knows that the slot alone does not hold everything.
     *
     * @param connection in autocommit mode
     * @throws FencedException when another process took over meanwhile
     */
    public static Lease startOver(Connection connection, Lease lease) throws SQLException, FencedException {
        try (PreparedStatement reset = connection.prepareStatement(ProgressSql.START_OVER)) {
            reset.setString(1, lease.slot());
            reset.setLong(2, lease.epoch());
            if (reset.executeUpdate() == 0) {
                throw new FencedException("slot " + lease.slot() + ": another process took over");
            }
        }
        return new Lease(
                lease.slot(),
                lease.epoch(),
                0,
                lease.nonce(),
                lease.previousNonce(),
                lease.sameIncarnation(),
                false,
                lease.firstStart());
    }

    private static Lease bump(Connection connection, String slot, String systemIdentifier, int timeline)
            throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("set local row_security = off; set local synchronous_commit = on;"
                    + " set local lock_timeout = '1s'");
            UUID nonce = UUID.randomUUID();
            Lease lease = insert(connection, slot, systemIdentifier, timeline, nonce);
            if (lease == null) {
                lease = update(connection, slot, systemIdentifier, timeline, nonce);
            }
            if (lease.firstStart() || !lease.sameIncarnation()) {
                // Without a row of our own nothing says that the positions in the tables are of this server's WAL.
                statement.execute(ProgressSql.FORGET_POSITIONS);
            }
            fenceOtherSlots(connection, slot);
            connection.commit();
            return lease;
        } finally {
            // Rolls back what was not committed; on a lost connection both fail, and the first failure is the one to
            // tell.
            endTransaction(connection);
        }
    }

    private static void fenceOtherSlots(Connection connection, String slot) throws SQLException {
        try (PreparedStatement fence = connection.prepareStatement(ProgressSql.FENCE_OTHER_SLOTS)) {
            fence.setString(1, slot);
            fence.executeUpdate();
        }
    }

    private static Lease insert(Connection connection, String slot, String systemIdentifier, int timeline, UUID nonce)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(ProgressSql.INSERT)) {
            insert.setString(1, slot);
            insert.setString(2, systemIdentifier);
            insert.setInt(3, timeline);
            insert.setObject(4, nonce);
            return insert.executeUpdate() == 0 ? null : new Lease(slot, 1, 0, nonce, null, true, false, true);
        }
    }

    private static Lease update(Connection connection, String slot, String systemIdentifier, int timeline, UUID nonce)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(ProgressSql.LOCK);
                PreparedStatement update = connection.prepareStatement(ProgressSql.TAKE_OVER)) {
            select.setString(1, slot);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("the progress row vanished while it was taken over", "40001");
                }
                boolean same = row.getString("system_identifier").equals(systemIdentifier)
                        && row.getInt("timeline") == timeline;
                long epoch = row.getLong("epoch") + 1;
                // LSNs of two incarnations are never compared: what the other server had written says nothing here.
                LogSequenceNumber written =
                        same ? LogSequenceNumber.valueOf(row.getString("written")) : LogSequenceNumber.INVALID_LSN;
                update.setString(1, systemIdentifier);
                update.setInt(2, timeline);
                update.setLong(3, epoch);
                update.setObject(4, nonce);
                update.setString(5, written.asString());
                update.setString(6, slot);
                update.executeUpdate();
                UUID previous = row.getObject("nonce", UUID.class);
                boolean journaled = row.getBoolean("journaled");
                return new Lease(slot, epoch, written.asLong(), nonce, previous, same, journaled, false);
            }
        }
    }

    private static int endHolders(Connection connection) throws SQLException {
        try (PreparedStatement end = connection.prepareStatement(ProgressSql.END_HOLDERS)) {
            try (ResultSet row = end.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static void endTransaction(Connection connection) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            LOG.debug("rollback failed: {}", e.getSQLState());
        }
    }
}
