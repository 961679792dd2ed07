package dev.walmerge.sidecar;

import dev.walmerge.sidecar.OperatingException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Makes a second sidecar wait instead of taking over from a healthy one, whatever its slot: the documents are the same.
 * Held as long as the session lives; a courtesy, not the fence: that is the epoch, which every write-back checks.
 */
final class SlotLock {
    private static final String TRY = "select pg_try_advisory_lock(hashtextextended('walmerge documents', 0))";

    private SlotLock() {}

    static void take(Connection connection, String slot) throws SQLException, OperatingException {
        try (PreparedStatement statement = connection.prepareStatement(TRY)) {
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (!row.getBoolean(1)) {
                    throw new OperatingException(
                            Kind.RETRYABLE,
                            "slot-in-use",
                            "another sidecar writes the documents of this database; waiting to take over slot " + slot,
                            "stop the other one, or let this one wait",
                            null);
                }
            }
        }
    }
}
