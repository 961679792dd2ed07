package dev.walmerge.engine.writeback;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the text and JSON of documents into rows of apps' own tables, in transactions of their own: a row that an app has
 * locked, or that a constraint or trigger refuses, waits by itself. What is to be copied stands in {@code crdt.target_queue},
 * put there in the transaction that changed the document or made the row; so nothing is forgotten, and to copy twice does
 * no harm. One thread. A connection that was lost is opened again at the next round.
 */
public final class Targets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Targets.class);
    private static final int BATCH_ENTRIES = 500;

    /** One at a time in a database: who holds an old snapshot must not write over what another wrote meanwhile. */
    private static final String TRY_LOCK = "select pg_try_advisory_xact_lock(7953722415634281)";

    private static final String DUE = """
            select id, doc, tries from crdt.target_queue
            where collection = ? and due_at <= now() order by due_at, id limit ?""";

    private static final String DONE = "delete from crdt.target_queue where id = any (?)";

    /** A lock is no fault until it lasts. */
    private static final String LOCKED = """
            update crdt.target_queue set tries = tries + 1, due_at = now() + least(0.05 * 2 ^ least(tries, 10), 5) * interval '1 s',
              error = case when tries >= 5 then '55P03: another session has it locked' end
            where id = any (?)""";

    private static final String REFUSED = """
            update crdt.target_queue set tries = ?, error = ?,
              due_at = now() + least(2 ^ least(?, 10), 300) * interval '1 s'
            where id = ?""";

    private static final String FORGET = "delete from crdt.target_queue where collection = ?";

    private final ConnectionSource source;
    private final Set<String> toldGone = new HashSet<>();
    private Connection connection;

    /** What a round found. */
    public enum Round {
        NO_TARGET,
        NOTHING_DUE,
        WORKED
    }

    private record Waiting(long id, int tries) {}

    public Targets(ConnectionSource source) {
        this.source = source;
    }

    /** Looks after one batch of each target. */
    public Round round() throws SQLException {
        try {
            connect();
            List<TargetTable> targets = TargetTable.readAll(connection);
            int worked = 0;
            for (TargetTable target : targets) {
                if (target.exists()) {
                    toldGone.remove(target.collection());
                    worked += batch(target);
                } else {
                    worked += forget(target);
                }
            }
            return targets.isEmpty() ? Round.NO_TARGET : worked == 0 ? Round.NOTHING_DUE : Round.WORKED;
        } catch (SQLException e) {
            if (connection != null && Session.isLost(connection, e)) {
                close();
            }
            throw e;
        }
    }

    private void connect() throws SQLException {
        if (connection == null) {
            connection = Session.open(source, "targets");
            try (Statement statement = connection.createStatement()) {
                // The app's own policies hold for its own table: crdt.set_target demanded one for us.
                statement.execute("set row_security = on; set lock_timeout = '1s'");
            }
        }
    }

    private int forget(TargetTable target) throws SQLException {
        if (toldGone.add(target.collection())) {
            LOG.warn(
                    "the target table of collection {}, or its key, is gone: see crdt.target_lag", target.collection());
        }
        try (PreparedStatement forget = connection.prepareStatement(FORGET)) {
            forget.setString(1, target.collection());
            return forget.executeUpdate();
        }
    }

    private int batch(TargetTable target) throws SQLException {
        Map<String, List<Waiting>> due = due(target);
        if (due.isEmpty()) {
            return 0;
        }
        try {
            return copy(target, due) ? due.size() : 0;
        } catch (SQLException e) {
            if (!Refusal.isOfDocument(e)) {
                throw e;
            }
        }
        for (Map.Entry<String, List<Waiting>> one : due.entrySet()) {
            try {
                copy(target, Map.of(one.getKey(), one.getValue()));
            } catch (SQLException e) {
                if (!Refusal.isOfDocument(e)) {
                    throw e;
                }
                if (isKey(target, one.getKey())) {
                    refused(one.getValue(), Refusal.describe(e));
                } else {
                    run(DONE, one.getValue().stream().map(Waiting::id).toList());
                }
            }
        }
        return due.size();
    }

    /** Whether a row could have it: an app may call documents what its column can't hold. */
    private boolean isKey(TargetTable target, String doc) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(target.cast())) {
            select.setString(1, doc);
            select.execute();
            return true;
        } catch (SQLException e) {
            if (!Refusal.isOfDocument(e)) {
                throw e;
            }
            return false;
        }
    }

    private Map<String, List<Waiting>> due(TargetTable target) throws SQLException {
        Map<String, List<Waiting>> due = new LinkedHashMap<>();
        try (PreparedStatement select = connection.prepareStatement(DUE)) {
            select.setString(1, target.collection());
            select.setInt(2, BATCH_ENTRIES);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    due.computeIfAbsent(row.getString(2), doc -> new ArrayList<>(1))
                            .add(new Waiting(row.getLong(1), row.getInt(3)));
                }
            }
        }
        return due;
    }

    /** One transaction; false when another sidecar is at it. */
    private boolean copy(TargetTable target, Map<String, List<Waiting>> due) throws SQLException {
        connection.setAutoCommit(false);
        try {
            if (!tryLock()) {
                return false;
            }
            Set<String> free = docs(target.lockFree(), due.keySet());
            Set<String> locked = docs(target.existing(), due.keySet());
            locked.removeAll(free);
            try (PreparedStatement update = connection.prepareStatement(target.update())) {
                update.setArray(1, array("text", free));
                update.executeUpdate();
            }
            List<Long> done = new ArrayList<>();
            List<Long> later = new ArrayList<>();
            due.forEach(
                    (doc, entries) -> entries.forEach(entry -> (locked.contains(doc) ? later : done).add(entry.id())));
            run(DONE, done);
            run(LOCKED, later);
            connection.commit();
            return true;
        } finally {
            end();
        }
    }

    /** After what failed; a connection that is lost says so at its next use. */
    private void end() {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            LOG.debug("rollback failed: {}", e.getSQLState());
        }
    }

    private boolean tryLock() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(TRY_LOCK)) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private Set<String> docs(String query, Collection<String> wanted) throws SQLException {
        Set<String> docs = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setArray(1, array("text", wanted));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    docs.add(row.getString(1));
                }
            }
        }
        return docs;
    }

    private void run(String statement, List<Long> ids) throws SQLException {
        if (!ids.isEmpty()) {
            try (PreparedStatement update = connection.prepareStatement(statement)) {
                update.setArray(1, array("bigint", ids));
                update.executeUpdate();
            }
        }
    }

    /** One entry stays for all of them. */
    private void refused(List<Waiting> entries, String reason) throws SQLException {
        Waiting kept = entries.get(entries.size() - 1);
        int tries = entries.stream().mapToInt(Waiting::tries).max().orElse(0) + 1;
        List<Long> others =
                entries.stream().map(Waiting::id).filter(id -> id != kept.id()).toList();
        run(DONE, others);
        try (PreparedStatement update = connection.prepareStatement(REFUSED)) {
            update.setInt(1, tries);
            update.setString(2, reason);
            update.setInt(3, tries);
            update.setLong(4, kept.id());
            update.executeUpdate();
        }
    }

    private Array array(String type, Collection<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }

    @Override
    public void close() {
        if (connection != null) {
            Session.closeQuietly(connection);
            connection = null;
        }
    }
}
