package dev.walmerge.sidecar;

import dev.walmerge.sidecar.OperatingException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Makes a second sidecar wait instead of taking over from a healthy one. Held as long as the session lives; a courtesy,
 * not the fence: that is the epoch, which every write-back checks.
 */
final class SlotLock {
    private static final String TRY = "select pg_try_advisory_lock(hashtextextended('walmerge slot ' || ?, 0))";

    private SlotLock() {}

    static void take(Connection connection, String slot) throws SQLException, OperatingException {
        try (PreparedStatement statement = connection.prepareStatement(TRY)) {
            statement.setString(1, slot);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (!row.getBoolean(1)) {
                    throw new OperatingException(
                            Kind.RETRYABLE,
                            "slot-in-use",
                            "another sidecar holds the slot " + slot + "; waiting to take over",
                            "stop the other one, or give this one a slot of its own with --slot",
                            null);
                }
            }
        }
    }
}
