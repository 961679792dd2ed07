package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.postgresql.replication.LogSequenceNumber;

/** The ends of transactions as the server's own reader of its log (pg_walinspect) shows them. */
final class LoggedTransactions {
    private static final String QUERY = """
            -- Of a prepared transaction the description begins with the xid, or with the name; one that was replayed
            -- from an origin ends with the origin's time.
            select record_type, start_lsn, end_lsn, coalesce(substring(description from '^(\\d+): '), xid::text),
              coalesce(substring(description from '^gid (.*): \\d{4}-'), ''),
              (1000000 * extract(epoch from coalesce(substring(description from ', at (.*)$'),
                substring(description from '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:[\\d.]+\\+00'))::timestamptz))::bigint
            from pg_get_wal_records_info('%s', pg_current_wal_flush_lsn())
            where resource_manager = 'Transaction'
              and record_type in ('COMMIT', 'ABORT', 'PREPARE', 'COMMIT_PREPARED', 'ABORT_PREPARED')
            """;

    private final Set<String> logged = new HashSet<>();

    /** @param from an LSN */
    LoggedTransactions(Statement statement, String from) throws SQLException {
        try (ResultSet row = statement.executeQuery(QUERY.formatted(from))) {
            while (row.next()) {
                String start = lsn(row.getString(2));
                String end = lsn(row.getString(3));
                String xid = row.getString(4);
                String gid = row.getString(5);
                String time = row.getString(6);
                switch (row.getString(1)) {
                    case "COMMIT", "COMMIT_PREPARED" -> logged.add(commit(start, end, xid, time));
                    case "ABORT" -> logged.add("abort end=%s xid=%s time=%s".formatted(end, xid, time));
                    case "PREPARE" -> logged.add(prepare(start, end, xid, time, gid));
                    default -> logged.add(rollback(end, xid, time));
                }
            }
        }
    }

    /** Fails unless each end of a transaction in the file is one of the log. */
    void check(GoldenFile file) throws MalformedMessageException {
        PgoutputDecoder decoder = new PgoutputDecoder(file.session().protocol());
        List<String> ends = new ArrayList<>();
        Ends handler = new Ends(ends);
        for (GoldenFile.Entry entry : file.entries()) {
            decoder.decode(entry.message(), 0, entry.message().length, handler);
        }
        assertThat(ends).as(file.toString()).isNotEmpty();
        assertThat(logged).as(file.toString()).containsAll(ends);
    }

    private static String lsn(String value) {
        return EventText.lsn(LogSequenceNumber.valueOf(value).asLong());
    }

    private static String commit(String start, String end, String xid, String time) {
        return "commit start=%s end=%s xid=%s time=%s".formatted(start, end, xid, time);
    }

    private static String prepare(String start, String end, String xid, String time, String gid) {
        return "prepare start=%s end=%s xid=%s time=%s %s".formatted(start, end, xid, time, EventText.quoted(gid));
    }

    private static String rollback(String end, String xid, String time) {
        return "rollback end=%s xid=%s time=%s".formatted(end, xid, time);
    }

    private static final class Ends extends IgnoringHandler {
        private final List<String> ends;
        private int openXid;

        Ends(List<String> ends) {
            this.ends = ends;
        }

        private static String xid(int xid) {
            return Integer.toUnsignedString(xid);
        }

        @Override
        public void onBegin(long commitLsn, long commitTimeMicros, int xid) {
            openXid = xid;
        }

        @Override
        public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
            onStreamCommit(openXid, commitLsn, endLsn, commitTimeMicros);
        }

        @Override
        public void onStreamCommit(int xid, long commitLsn, long endLsn, long commitTimeMicros) {
            String start = EventText.lsn(commitLsn);
            ends.add(commit(start, EventText.lsn(endLsn), xid(xid), Long.toString(commitTimeMicros)));
        }

        @Override
        public void onStreamAbort(int xid, int subxid, long abortLsn, long abortTimeMicros) {
            // Of a subtransaction that was inside another one the log has no record of its own.
            if (abortLsn != 0 && subxid == xid) {
                ends.add("abort end=%s xid=%s time=%s".formatted(EventText.lsn(abortLsn), xid(xid), abortTimeMicros));
            }
        }

        @Override
        public void onPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
            String start = EventText.lsn(prepareLsn);
            ends.add(prepare(start, EventText.lsn(endLsn), xid(xid), Long.toString(prepareTimeMicros), gid));
        }

        @Override
        public void onStreamPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
            onPrepare(prepareLsn, endLsn, prepareTimeMicros, xid, gid);
        }

        @Override
        public void onCommitPrepared(long commitLsn, long endLsn, long commitTimeMicros, int xid, String gid) {
            onStreamCommit(xid, commitLsn, endLsn, commitTimeMicros);
        }

        @Override
        public void onRollbackPrepared(
                long prepareEndLsn, long endLsn, long prepareTimeMicros, long rollbackTimeMicros, int xid, String gid) {
            ends.add(rollback(EventText.lsn(endLsn), xid(xid), Long.toString(rollbackTimeMicros)));
        }
    }
}
