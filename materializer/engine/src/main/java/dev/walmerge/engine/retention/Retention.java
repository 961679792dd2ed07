package dev.walmerge.engine.retention;

import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.postgresql.replication.LogSequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the leaves of the op ring. One thread.
 *
 * <p>Identity order is not commit order, so no id says what may go. Instead a leaf is <em>noted</em>: under a lock that
 * waits for its inserters, its rows are counted and an LSN is taken that lies behind all their commits. Once everything up
 * to that LSN is written, and the leaf still holds the same rows, it is truncated. Between the two nothing is locked, and
 * nothing waits: the rounds of this class are the wait.
 */
public final class Retention {
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
    private static final int LEAVES = 8;
    private static final int LEAF_BITS = 20;

    private final Lease lease;
    private final LongSupplier writtenLsn;
    private final BooleanSupplier streaming;
    private final Map<Integer, Note> notes = new HashMap<>();

    /**
     * @param lease the right to write; checked in the transaction that truncates
     * @param writtenLsn the watermark {@code written}, unsigned
     * @param streaming whether ops are read from the slot; false during a resync or a verify, which read the ring
     */
    public Retention(Lease lease, LongSupplier writtenLsn, BooleanSupplier streaming) {
        this.lease = lease;
        this.writtenLsn = writtenLsn;
        this.streaming = streaming;
    }

    /**
     * One round: leaves the current leaf when it is old, truncates what was noted and is written, notes what else can go
     * and, when it noted something, commits a barrier so that {@code written} gets past it on a quiet database too.
     *
     * @param connection in autocommit mode, which it is again afterwards
     * @param rotateAfter the age of a leaf's first row at which the leaf is left
     * @throws SQLException after which the connection may be unusable; call again with a good one
     * @throws FencedException when this process must stop
     */
    public Round run(Connection connection, Duration rotateAfter) throws SQLException, FencedException {
        Round round = new Round(false, List.of(), List.of(), List.of(), List.of());
        if (!streaming.getAsBoolean()) {
            notes.clear();
            return round;
        }
        try {
            return round(connection, rotateAfter);
        } catch (SQLException e) {
            // A note whose barrier did not get through might wait forever.
            notes.clear();
            throw e;
        }
    }

    private Round round(Connection connection, Duration rotateAfter) throws SQLException, FencedException {
        Ring ring = ring(connection);
        boolean rotated = rotate(connection, ring, rotateAfter);
        if (rotated) {
            ring = ring(connection);
        }
        List<Integer> noted = new ArrayList<>();
        List<Integer> waiting = new ArrayList<>();
        List<Integer> trimmed = new ArrayList<>();
        List<Integer> busy = new ArrayList<>();
        Set<Integer> full = new HashSet<>(ring.occupied());
        full.remove(ring.current());
        notes.keySet().retainAll(full);
        for (int leaf : full) {
            Note note = notes.get(leaf);
            Outcome outcome = note != null && Lsn.isBefore(writtenLsn.getAsLong(), note.lsn())
                    ? Outcome.WAITING
                    : visit(connection, leaf, note);
            switch (outcome) {
                case NOTED -> noted.add(leaf);
                case WAITING -> waiting.add(leaf);
                case TRIMMED -> trimmed.add(leaf);
                case BUSY -> busy.add(leaf);
            }
        }
        if (!noted.isEmpty()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(RetentionSql.BARRIER);
            }
        }
        return new Round(rotated, noted, waiting, trimmed, busy);
    }

    /** Notes a leaf, or truncates it when {@code noted} is still true of it. */
    private Outcome visit(Connection connection, int leaf, Note noted) throws SQLException, FencedException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(RetentionSql.SHORT_LOCKS);
            statement.execute(RetentionSql.LOCK.formatted(leaf));
            Note now = look(statement, leaf);
            Outcome outcome;
            if (noted == null || !now.sameRows(noted)) {
                notes.put(leaf, now);
                outcome = Outcome.NOTED;
            } else if (Lsn.isBefore(fence(connection), noted.lsn()) || !streaming.getAsBoolean()) {
                outcome = Outcome.WAITING;
            } else {
                Failpoint.BEFORE_TRIM.reach();
                statement.execute(RetentionSql.TRUNCATE.formatted(leaf));
                Failpoint.INSIDE_TRIM.reach();
                outcome = Outcome.TRIMMED;
            }
            connection.commit();
            if (outcome == Outcome.TRIMMED) {
                Failpoint.AFTER_TRIM.reach();
                notes.remove(leaf);
            }
            return outcome;
        } catch (SQLException e) {
            if (isLockRefused(e)) {
                return Outcome.BUSY;
            }
            throw e;
        } finally {
            endTransaction(connection);
        }
    }

    /** Autocommit would commit what is open: roll back first. On a lost connection the first failure is the one to tell. */
    private static void endTransaction(Connection connection) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            LOG.debug("rollback failed: {}", e.getSQLState());
        }
    }

    private static Note look(Statement statement, int leaf) throws SQLException {
        try (ResultSet row = statement.executeQuery(RetentionSql.LOOK.formatted(leaf))) {
            row.next();
            return new Note(lsn(row.getString(3)), row.getLong(1), row.getString(2));
        }
    }

    /** What is committed as written, which may be less than what this process believes. */
    private long fence(Connection connection) throws SQLException, FencedException {
        try (PreparedStatement fence = connection.prepareStatement(RetentionSql.FENCE)) {
            fence.setString(1, lease.slot());
            fence.setLong(2, lease.epoch());
            try (ResultSet row = fence.executeQuery()) {
                if (!row.next()) {
                    throw new FencedException("slot " + lease.slot() + " was taken over, or its progress row is gone");
                }
                return lsn(row.getString(1));
            }
        }
    }

    private boolean rotate(Connection connection, Ring ring, Duration rotateAfter) throws SQLException {
        if (!ring.occupied().contains(ring.current())
                || ring.occupied().contains((ring.current() + 1) % LEAVES)
                || ageMillis(connection, ring.current()) < rotateAfter.toMillis()) {
            return false;
        }
        try (PreparedStatement rotate = connection.prepareStatement(RetentionSql.ROTATE)) {
            rotate.setInt(1, ring.current());
            try (ResultSet row = rotate.executeQuery()) {
                return row.next();
            }
        }
    }

    /** 0 for a leaf that was emptied meanwhile. */
    private static long ageMillis(Connection connection, int leaf) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(RetentionSql.AGE.formatted(leaf))) {
            row.next();
            return (long) (row.getDouble(1) * 1_000);
        }
    }

    private static Ring ring(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(RetentionSql.RING)) {
            row.next();
            int current = (int) ((row.getLong(1) >> LEAF_BITS) % LEAVES);
            Array leaves = row.getArray(2);
            return new Ring(current, leaves == null ? List.of() : List.of((Integer[]) leaves.getArray()));
        }
    }

    private static boolean isLockRefused(SQLException e) {
        return "55P03".equals(e.getSQLState()) || "40P01".equals(e.getSQLState());
    }

    private static long lsn(String text) {
        return LogSequenceNumber.valueOf(text).asLong();
    }

    private enum Outcome {
        NOTED,
        WAITING,
        TRIMMED,
        BUSY
    }

    private record Ring(int current, List<Integer> occupied) {}

    /**
     * What a leaf held.
     *
     * @param lsn behind the commit records of all its rows
     * @param rowCount with {@code idSum} it tells whether rows came: the size of the file does not, a small row fits
     *     where there is room
     */
    private record Note(long lsn, long rowCount, String idSum) {
        boolean sameRows(Note other) {
            return rowCount == other.rowCount && idSum.equals(other.idSum);
        }
    }
}
