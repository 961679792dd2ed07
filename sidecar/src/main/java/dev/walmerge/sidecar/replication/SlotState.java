package dev.walmerge.sidecar.replication;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.postgresql.replication.LogSequenceNumber;

/**
 * What {@code pg_replication_slots} says of one logical slot.
 *
 * @param activePid the session that reads it, or 0
 * @param walStatus {@code reserved}, {@code extended}, {@code unreserved} or {@code lost}; null until it reserved any
 * @param confirmedFlushLsn what its reader last confirmed, 0 if nothing
 * @param restartLsn the oldest WAL it keeps, 0 if none
 * @param invalidationReason why it is lost (17 and later), or null
 */
public record SlotState(
        String name,
        String plugin,
        String database,
        int activePid,
        String walStatus,
        long confirmedFlushLsn,
        long restartLsn,
        String invalidationReason) {

    // Through jsonb, as the newer columns do not exist in every version.
    private static final String READ = """
            select slot_name, plugin, database, active_pid, wal_status, confirmed_flush_lsn, restart_lsn,
              to_jsonb(s) ->> 'invalidation_reason'
            from pg_catalog.pg_replication_slots s
            where slot_name = ? and slot_type = 'logical'
            """;

    /** The slot's state now, or null if there is no such slot. */
    public static SlotState read(Connection connection, String slot) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(READ)) {
            statement.setString(1, slot);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                return new SlotState(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getInt(4),
                        row.getString(5),
                        lsn(row.getString(6)),
                        lsn(row.getString(7)),
                        row.getString(8));
            }
        }
    }

    private static long lsn(String text) {
        return text == null ? 0 : LogSequenceNumber.valueOf(text).asLong();
    }

    public boolean active() {
        return activePid != 0;
    }

    /** Whether it can't be read any more: drop it, create it anew, resync. */
    public boolean lost() {
        return "lost".equals(walStatus) || invalidationReason != null;
    }
}
