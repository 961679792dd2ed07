package dev.walmerge.sidecar.pipeline;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Whether what is read was committed a while ago: then the server is ahead, and there is more to come at once. Told by the
 * commit times, which are the server's, so how far its clock and ours differ is looked at once. A clock that is set meanwhile makes
 * documents wait longer, or shorter, than they should; nothing else. Single thread, but for {@link #micros}.
 */
public final class CommitLag {
    private static final long BEHIND_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final LongSupplier serverMicros;
    /** 0 when nothing more is there. */
    private final AtomicLong commitMicros = new AtomicLong();

    private boolean behind;

    /** @param serverMicros the server's clock, microseconds since the Unix epoch */
    CommitLag(LongSupplier serverMicros) {
        this.serverMicros = serverMicros;
    }

    /** Asks the server what time it is. */
    public static CommitLag behind(Connection connection) throws SQLException {
        long beforeMicros = nowMicros();
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select (extract(epoch from clock_timestamp()) * 1000000)::bigint")) {
            row.next();
            long aheadMicros = row.getLong(1) - (beforeMicros + nowMicros()) / 2;
            return new CommitLag(() -> nowMicros() + aheadMicros);
        }
    }

    private static long nowMicros() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }

    /** A transaction came; half the bound to leave it again. */
    void sees(long commitTimeMicros) {
        commitMicros.lazySet(commitTimeMicros);
        long lagMicros = serverMicros.getAsLong() - commitTimeMicros;
        behind = lagMicros > (behind ? BEHIND_MICROS / 2 : BEHIND_MICROS);
    }

    /** Nothing more is there. */
    public void caughtUp() {
        behind = false;
        commitMicros.lazySet(0);
    }

    /** How long ago what is being read was committed; 0 when everything is read. Any thread. */
    public long micros() {
        long seen = commitMicros.get();
        return seen == 0 ? 0 : Math.max(0, serverMicros.getAsLong() - seen);
    }

    public boolean isBehind() {
        return behind;
    }
}
