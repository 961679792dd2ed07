package dev.walmerge.engine.writeback;

import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.Lsn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.postgresql.replication.LogSequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits dirty documents together with the progress row: the only place that writes documents. One thread. A connection
 * that was lost is opened again at the next call.
 */
public final class WriteBack implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WriteBack.class);

    private final ConnectionSource source;
    private final Lease lease;
    /** What the progress row may hold: one value, and one more for each commit whose end we did not see. */
    private final List<UUID> nonces = new ArrayList<>();

    private Consumer<List<UUID>> nonceListener = possible -> {};
    private long writtenLsn;
    private Connection connection;
    private PreparedStatement advance;
    private States states;
    private Projections projections;

    public WriteBack(ConnectionSource source, Lease lease) {
        this.source = source;
        this.lease = lease;
        writtenLsn = lease.written();
        nonces.add(lease.nonce());
    }

    /**
     * Writes all of it in one transaction, synchronously committed. After an SQLException nothing is known to be
     * written: call again with the same arguments, after a pause, as often as it takes. That is safe also when the first
     * try was committed after all. With nothing to say it does not touch the database.
     *
     * <p>When Postgres refuses the text or JSON of a document, everything else is written all the same, and the result
     * names the document.
     *
     * @param writes at most one a document
     * @param letters dead letters; one that is there already is left alone
     * @param writtenLsn the end LSN of a commit such that it and every earlier one is written by this transaction or was
     *     before, unsigned; never less than in the call before
     * @throws FencedException when this process must stop writing
     * @throws PublicationChangedException when ops may be missing among those that were read
     * @throws IllegalArgumentException when {@code writtenLsn} went back
     */
    public Committed commit(List<DocumentWrite> writes, List<DeadLetter> letters, long writtenLsn)
            throws SQLException, FencedException {
        if (Lsn.isBefore(writtenLsn, this.writtenLsn)) {
            throw new IllegalArgumentException("written went back");
        }
        if (writes.isEmpty() && letters.isEmpty() && writtenLsn == this.writtenLsn) {
            return new Committed(nonces.get(nonces.size() - 1), List.of());
        }
        for (DocumentWrite write : writes) {
            Tables.requireDefault(write.key().collection());
        }
        Committed committed;
        try {
            committed = transaction(writes, letters, writtenLsn, false);
        } catch (SQLException e) {
            if (!Refusal.isRefusal(e) || connection == null) {
                throw e;
            }
            // Savepoints cost something, a refusal is rare: only the second try takes them.
            committed = transaction(writes, letters, writtenLsn, true);
        }
        this.writtenLsn = writtenLsn;
        return committed;
    }

    @Override
    public void close() {
        if (connection != null) {
            Session.closeQuietly(connection);
            connection = null;
        }
    }

    private Committed transaction(
            List<DocumentWrite> writes, List<DeadLetter> letters, long written, boolean projectionsMayFail)
            throws SQLException, FencedException {
        boolean committing = false;
        UUID nonce = UUID.randomUUID();
        try {
            connect();
            fence(nonce, written);
            states.write(writes);
            states.deadLetters(letters);
            List<ProjectionFailure> failures = new ArrayList<>();
            if (projectionsMayFail) {
                project(writes, failures);
            } else {
                projections.write(writes);
            }
            announce(nonce);
            committing = true;
            connection.commit();
            nonces.clear();
            nonces.add(nonce);
            return new Committed(nonce, List.copyOf(failures));
        } catch (SQLException e) {
            if (committing) {
                nonces.add(nonce);
            }
            giveUp(e);
            throw e;
        }
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
                opened.setAutoCommit(false);
                advance = opened.prepareStatement(ProgressSql.ADVANCE);
                states = new States(opened);
                projections = new Projections(opened, lease.epoch());
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

    /** Halves what is refused until the refused documents stand alone; those keep their old text. */
    private void project(List<DocumentWrite> writes, List<ProjectionFailure> failures) throws SQLException {
        if (writes.isEmpty()) {
            return;
        }
        Savepoint savepoint = connection.setSavepoint();
        try {
            projections.write(writes);
            connection.releaseSavepoint(savepoint);
            return;
        } catch (SQLException e) {
            if (!Refusal.isRefusal(e)) {
                throw e;
            }
            connection.rollback(savepoint);
            connection.releaseSavepoint(savepoint);
            if (writes.size() == 1) {
                DocumentWrite write = writes.get(0);
                projections.fail(write, Refusal.describe(e, write.error()));
                failures.add(new ProjectionFailure(write.key(), e.getSQLState(), Refusal.isTransient(e)));
                LOG.warn(
                        "document {}: text and JSON refused, {}",
                        DocumentHash.print(DocumentHash.of(
                                write.key().collection(), write.key().doc())),
                        e.getSQLState());
                return;
            }
        }
        int half = writes.size() / 2;
        project(writes.subList(0, half), failures);
        project(writes.subList(half, writes.size()), failures);
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
