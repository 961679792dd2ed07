package dev.walmerge.sidecar;

import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.migrate.Migrator;
import java.sql.Connection;
import java.sql.SQLException;

/** The sidecar reads and writes one version of the schema: the one it carries. */
final class SchemaCheck {
    private SchemaCheck() {}

    static void requireCurrent(Connection connection) throws SQLException, OperatingException {
        try {
            if (!Migrator.pending(connection).isEmpty()) {
                throw new OperatingException(
                        Kind.OPERATOR,
                        "schema-missing",
                        "the schema crdt is not installed in this database, or is an older one",
                        "run `ops/walmerge init --url ... --sidecar-role NAME` as the database's owner",
                        null);
            }
        } catch (MigrationException e) {
            throw OperatingErrors.of(e);
        }
    }
}
