package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Says in the progress row that the slot may be told of what is in the journal but not written. It must be committed
 * before the slot is told, so that a start that finds no journal knows that something is missing. Blocks; one thread.
 */
public final class JournalMark {
    private final ConnectionSource source;
    private final Lease lease;
    private boolean set;

    public JournalMark(ConnectionSource source, Lease lease) {
        this.source = source;
        this.lease = lease;
        this.set = lease.journaled();
    }

    /** Whether the row says so, as far as this process knows. */
    public boolean isSet() {
        return set;
    }

    /** @throws FencedException when another process took over */
    public void set() throws SQLException, FencedException {
        if (!set) {
            try (Connection connection = open();
                    PreparedStatement mark = connection.prepareStatement(ProgressSql.MARK_JOURNALED)) {
                mark.setString(1, lease.slot());
                mark.setLong(2, lease.epoch());
                if (mark.executeUpdate() == 0) {
                    throw new FencedException("slot " + lease.slot() + ": another process took over");
                }
            }
            set = true;
        }
    }

    /** Takes it back, if the progress row says that everything up to {@code confirmedLsn} is written. */
    public void clear(long confirmedLsn) throws SQLException {
        try (Connection connection = open();
                PreparedStatement unmark = connection.prepareStatement(ProgressSql.UNMARK_JOURNALED)) {
            unmark.setString(1, lease.slot());
            unmark.setLong(2, lease.epoch());
            unmark.setString(3, LogSequenceNumber.valueOf(confirmedLsn).asString());
            set = unmark.executeUpdate() == 0;
        }
    }

    private Connection open() throws SQLException {
        Connection connection = Session.open(source, "journal");
        try (Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '1s'");
            return connection;
        } catch (SQLException e) {
            Session.closeQuietly(connection);
            throw e;
        }
    }
}
