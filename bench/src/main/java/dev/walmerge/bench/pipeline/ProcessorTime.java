package dev.walmerge.bench.pipeline;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Which part of a sidecar in this process, and of its server on this machine, took the processors for how long. */
final class ProcessorTime {
    private static final String OURS = "walmerge-";
    /** The name of a connection is its purpose. */
    private static final String SESSIONS =
            "select application_name, pid from pg_stat_activity" + " where application_name like 'walmerge %'";

    private ProcessorTime() {}

    /** Milliseconds since each part began to live. */
    static Map<String, Long> byPart(Connection connection) throws SQLException {
        Map<String, Long> millis = new TreeMap<>();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith(OURS)) {
                long nanos = threads.getThreadCpuTime(thread.getThreadId());
                millis.merge(thread.getThreadName().substring(OURS.length()), nanos / 1_000_000, Long::sum);
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SESSIONS)) {
            while (row.next()) {
                Duration used = ProcessHandle.of(row.getLong(2))
                        .flatMap(process -> process.info().totalCpuDuration())
                        .orElse(Duration.ZERO);
                String name = "server of " + row.getString(1).substring(OURS.length());
                millis.merge(name, used.toMillis(), Long::sum);
            }
        }
        return millis;
    }
}
