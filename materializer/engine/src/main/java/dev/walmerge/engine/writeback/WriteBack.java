package dev.walmerge.engine.writeback;

import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.failpoint.Failpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Commits dirty documents together with the progress row: the only place that writes documents. One thread. A connection
 * that was lost is opened again at the next call.
 */
public final class WriteBack implements AutoCloseable {
    /** So often a transaction that may pass by itself is repeated before a document is blamed. */
    private static final int PASSING_TRIES = 3;

    private final ConnectionSource source;
    private final Lease lease;
    private final long lockTimeoutMillis;
    /** What the progress row may hold: one value, and one more for each commit whose end we did not see. */
    private final List<UUID> nonces = new ArrayList<>();
    /** Documents that such a commit may have held, and why. */
    private final Map<DocumentKey, String> maybeHeld = new HashMap<>();

    private Consumer<List<UUID>> nonceListener = possible -> {};
    private long writtenLsn;
    private Connection connection;
    private PreparedStatement advance;
    private DocumentBatch documents;

    /** @param lockTimeoutMillis how long a batch waits for a lock of another session */
    public WriteBack(ConnectionSource source, Lease lease, long lockTimeoutMillis) {
        this.source = source;
        this.lease = lease;
        this.lockTimeoutMillis = lockTimeoutMillis;
        writtenLsn = lease.written();
        nonces.add(lease.nonce());
    }

    /**
     * Writes all of it in one transaction, synchronously committed. After an SQLException nothing is known to be
     * written: call again with the same arguments, after a pause, as often as it takes. That is safe also when the first
     * try was committed after all. With nothing to say it does not touch the database.
     *
     * <p>When Postgres refuses the rows of a document, what they should have said goes to held; when it refuses its text
     * or JSON, the docs row stays as it is. Everything else is written all the same, and the result names the document.
     *
     * @param writes at most one a document
     * @param entries dead letters, of which one that is there already is left alone, and what became of others
     * @param writtenLsn the end LSN of a commit such that it and every earlier one is written by this transaction or was
     *     before, unsigned; never less than in the call before
     * @throws FencedException when this process must stop writing
     * @throws PublicationChangedException when ops may be missing among those that were read
     * @throws IllegalArgumentException when {@code writtenLsn} went back
     */
    public Committed commit(List<DocumentWrite> writes, List<? extends Entry> entries, long writtenLsn)
            throws SQLException, FencedException {
        if (Lsn.isBefore(writtenLsn, this.writtenLsn)) {
            throw new IllegalArgumentException("written went back");
        }
        if (writes.isEmpty() && entries.isEmpty() && writtenLsn == this.writtenLsn) {
            return new Committed(nonces.get(nonces.size() - 1), List.of());
        }
        for (DocumentWrite write : writes) {
            Tables.requireDefault(write.key().collection());
        }
        Committed committed = untilCommitted(writes, entries, writtenLsn);
        this.writtenLsn = writtenLsn;
        return committed;
    }

    private Committed untilCommitted(List<DocumentWrite> writes, List<? extends Entry> entries, long written)
            throws SQLException, FencedException {
        boolean isolating = false;
        for (int tries = 1; ; tries++) {
            try {
                return transaction(writes, entries, written, isolating);
            } catch (SQLException e) {
                if (isolating || connection == null || !Refusal.isOfDocument(e)) {
                    throw e;
                }
                // Savepoints cost something, a refusal is rare: only the last try takes them.
                isolating = tries >= PASSING_TRIES || !Refusal.isPassing(e);
            }
        }
    }

    @Override
    public void close() {
        if (connection != null) {
            Session.closeQuietly(connection);
            connection = null;
        }
    }

    private Committed transaction(
            List<DocumentWrite> writes, List<? extends Entry> entries, long written, boolean isolating)
            throws SQLException, FencedException {
        boolean committing = false;
        UUID nonce = UUID.randomUUID();
        List<Refused> refused = List.of();
        try {
            connect();
            Failpoint.BEFORE_WRITE.reach();
            fence(nonce, written);
            Failpoint.INSIDE_WRITE.reach();
            refused = documents.write(maybeHeld.isEmpty() ? writes : doubted(writes), entries, isolating);
            announce(nonce);
            Failpoint.BEFORE_COMMIT.reach();
            committing = true;
            connection.commit();
            Failpoint.AFTER_COMMIT.reach();
            nonces.clear();
            nonces.add(nonce);
            for (DocumentWrite write : writes) {
                maybeHeld.remove(write.key());
            }
            return new Committed(nonce, refused);
        } catch (SQLException e) {
            if (committing) {
                nonces.add(nonce);
                for (Refused part : refused) {
                    if (part.part() == Refused.Part.ROWS) {
                        maybeHeld.put(part.key(), part.reason());
                    }
                }
            }
            giveUp(e);
            throw e;
        }
    }

    private List<DocumentWrite> doubted(List<DocumentWrite> writes) {
        List<DocumentWrite> doubted = new ArrayList<>(writes.size());
        for (DocumentWrite write : writes) {
            String reason = maybeHeld.get(write.key());
            doubted.add(reason == null ? write : write.maybeHeld(reason));
        }
        return doubted;
    }

    /** Who is told before a commit which nonces the progress row may hold after it. Before the first one. */
    public void announceNonces(Consumer<List<UUID>> listener) {
        nonceListener = listener;
    }

    private void announce(UUID next) {
        List<UUID> possible = new ArrayList<>(nonces);
        possible.add(next);
        nonceListener.accept(possible);
    }

    private void connect() throws SQLException {
        if (connection == null) {
            Connection opened = Session.open(source, "write-back");
            try {
                try (Statement statement = opened.createStatement()) {
                    statement.execute("set lock_timeout = " + lockTimeoutMillis);
                }
                advance = opened.prepareStatement(ProgressSql.ADVANCE);
                documents = new DocumentBatch(opened, lease.epoch());
                opened.setAutoCommit(false);
                connection = opened;
            } catch (SQLException e) {
                Session.closeQuietly(opened);
                throw e;
            }
        }
    }

    private void fence(UUID nonce, long written) throws SQLException, FencedException {
        advance.setObject(1, nonce);
        advance.setString(2, LogSequenceNumber.valueOf(written).asString());
        advance.setString(3, lease.slot());
        advance.setLong(4, lease.epoch());
        advance.setArray(5, connection.createArrayOf("uuid", nonces.toArray()));
        if (advance.executeUpdate() == 0) {
            String why = whyFenced();
            connection.rollback();
            if (why == null) {
                throw new PublicationChangedException(
                        "slot " + lease.slot() + ": the publication is another one than when the slot was made");
            }
            throw new FencedException(why);
        }
    }

    /** Null if only the publication is in the way. */
    private String whyFenced() throws SQLException {
        try (PreparedStatement who = connection.prepareStatement(ProgressSql.WHO)) {
            who.setArray(1, connection.createArrayOf("uuid", nonces.toArray()));
            who.setString(2, lease.slot());
            try (ResultSet row = who.executeQuery()) {
                if (!row.next()) {
                    return "the progress row of slot " + lease.slot() + " is gone";
                }
                if (row.getLong(1) == lease.epoch() && row.getBoolean(2) && !row.getBoolean(3)) {
                    return null;
                }
                return row.getLong(1) == lease.epoch()
                        ? "the progress row of slot " + lease.slot()
                                + " is not the one last written: the server went back"
                        : "slot " + lease.slot() + " was taken over: epoch " + row.getLong(1) + ", ours is "
                                + lease.epoch();
            }
        }
    }

    private void giveUp(SQLException cause) {
        if (connection == null) {
            return;
        }
        try {
            if (!Session.isLost(connection, cause)) {
                connection.rollback();
                return;
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
        close();
    }
}
