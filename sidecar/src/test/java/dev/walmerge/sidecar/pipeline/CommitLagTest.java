package dev.walmerge.sidecar.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class CommitLagTest {
    private static final long NOW_MICROS = 100_000_000;

    @Test
    void isBehindFromASecondToHalfASecond() {
        CommitLag lag = new CommitLag(() -> NOW_MICROS);
        lag.sees(99_000_000);
        assertThat(lag.isBehind()).isFalse();
        lag.sees(98_999_999);
        assertThat(lag.isBehind()).isTrue();
        lag.sees(99_499_999);
        assertThat(lag.isBehind()).isTrue();
        lag.sees(99_500_000);
        assertThat(lag.isBehind()).isFalse();
        lag.sees(1);
        lag.caughtUp();
        assertThat(lag.isBehind()).isFalse();
    }

    @Test
    void growsWhileNothingMoreIsRead() {
        AtomicLong clock = new AtomicLong(NOW_MICROS);
        CommitLag lag = new CommitLag(clock::get);
        assertThat(lag.micros()).isZero();
        lag.sees(NOW_MICROS - 300);
        assertThat(lag.micros()).isEqualTo(300);
        clock.addAndGet(700);
        assertThat(lag.micros()).isEqualTo(1_000);
        lag.caughtUp();
        assertThat(lag.micros()).isZero();
        lag.sees(NOW_MICROS + 5_000);
        assertThat(lag.micros()).as("clocks differ a little").isZero();
    }

    @Test
    void goesByTheServersClock() throws Exception {
        try (Connection connection =
                        PostgresServer.shared().createInstalledDatabase().connect();
                Statement statement = connection.createStatement()) {
            CommitLag lag = CommitLag.behind(connection);
            lag.sees(micros(statement, "clock_timestamp()"));
            assertThat(lag.isBehind()).isFalse();
            lag.sees(micros(statement, "clock_timestamp() - interval '60 s'"));
            assertThat(lag.isBehind()).isTrue();
        }
    }

    private static long micros(Statement statement, String time) throws SQLException {
        try (ResultSet row = statement.executeQuery("select (extract(epoch from " + time + ") * 1000000)::bigint")) {
            row.next();
            return row.getLong(1);
        }
    }
}
