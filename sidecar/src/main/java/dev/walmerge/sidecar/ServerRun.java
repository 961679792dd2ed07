package dev.walmerge.sidecar;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * One run of one server, from its start to its end, on one timeline. All connections of a session must be to the same:
 * a failover, a restored snapshot or a name that points elsewhere now may have lost commits that this process has read,
 * and what it made of them must not be written there.
 *
 * @param startedAt when the server started, in microseconds of its clock
 * @param timeline 0 on a standby
 */
record ServerRun(String startedAt, int timeline) {
    // Every role may call these. The timeline is that of the WAL being written; the control file knows it only later.
    private static final String READ = """
            select extract(epoch from pg_catalog.pg_postmaster_start_time())::text,
              case when not pg_catalog.pg_is_in_recovery() then
                ('x' || substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int
              end""";

    static ServerRun of(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(READ)) {
            row.next();
            return new ServerRun(row.getString(1), row.getInt(2));
        }
    }

    boolean isStandby() {
        return timeline == 0;
    }
}
