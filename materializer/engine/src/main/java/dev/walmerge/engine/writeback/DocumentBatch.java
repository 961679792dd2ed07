package dev.walmerge.engine.writeback;

import dev.walmerge.engine.DocumentHash;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The documents and entries of one transaction. Those of good repute go in batches; what was refused before goes
 * alone, behind all others and with little patience. A document whose rows are refused is held, and its docs row, which
 * may be written all the same, says so.
 */
final class DocumentBatch {
    private static final Logger LOG = LoggerFactory.getLogger(DocumentBatch.class);
    /** Whoever had a row locked while the whole batch waited for it has it still. */
    private static final int LITTLE_LOCK_MILLIS = 50;
    /** A limit that a whole batch of healthy documents stays below. */
    private static final int LITTLE_STATEMENT_MILLIS = 2_000;

    private final Connection connection;
    private final States states;
    private final Projections projections;
    private final Letters letters;
    private final Erasures erasures;
    private final String impatience;

    private final List<Refused> refused = new ArrayList<>();
    private final Map<DocumentKey, String> heldNow = new HashMap<>();

    DocumentBatch(Connection connection, long epoch) throws SQLException {
        this.connection = connection;
        this.states = new States(connection);
        this.projections = new Projections(connection, epoch);
        this.letters = new Letters(connection);
        this.erasures = new Erasures(connection);
        this.impatience = impatience(connection);
    }

    private static String impatience(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select setting::bigint from pg_catalog.pg_settings where name = 'statement_timeout'")) {
            row.next();
            long timeout = row.getLong(1);
            // Deferred constraints would only speak at the commit, when nobody can tell whom they are about.
            return "set constraints all immediate; set local lock_timeout = " + LITTLE_LOCK_MILLIS
                    + (timeout == 0
                            ? ""
                            : "; set local statement_timeout = " + Math.min(timeout, LITTLE_STATEMENT_MILLIS));
        }
    }

    /**
     * Writes all of it, up to the commit.
     *
     * @param isolating whether a refused document is looked for, and held; otherwise a refusal ends the transaction
     * @return what was refused
     */
    List<Refused> write(List<DocumentWrite> writes, List<? extends Entry> entries, boolean isolating)
            throws SQLException {
        refused.clear();
        heldNow.clear();
        List<DocumentWrite> together = new ArrayList<>(writes.size());
        List<DocumentWrite> projected = new ArrayList<>(writes.size());
        List<DocumentWrite> suspects = new ArrayList<>(0);
        for (DocumentWrite write : writes) {
            if (write.rows() == Care.WITH_OTHERS) {
                together.add(write);
            } else if (write.rows() == Care.NOT_NOW) {
                states.held().hold(write, write.held());
                heldNow.put(write.key(), write.held());
            }
            if (write.rows() == Care.ALONE || write.docs() == Care.ALONE || write.docs() == Care.UNMADE) {
                suspects.add(write);
            } else if (write.docs() == Care.WITH_OTHERS) {
                projected.add(write);
            }
        }
        // In this order: one that is refused while it is read once more may be a letter that is merged now.
        letters.write(entries);
        letters.merged(writes);
        if (isolating) {
            loseAllPatience();
        }
        // Behind the letters: those of a document that is erased go with it.
        erase(entries, false, isolating);
        if (isolating) {
            rows(together);
            docs(projected);
        } else {
            states.write(together);
            projections.write(withHeldErrors(projected));
        }
        suspects(suspects, isolating);
        erase(entries, true, true);
        return List.copyOf(refused);
    }

    private void erase(List<? extends Entry> entries, boolean suspects, boolean isolating) throws SQLException {
        for (Entry entry : entries) {
            if (entry instanceof Erasure erasure && erasure.isSuspect() == suspects) {
                if (suspects) {
                    loseAllPatience();
                }
                Refused why = erasures.write(erasure, isolating);
                if (why != null) {
                    refused.add(why);
                    LOG.warn("document {}: forgotten, not erased: {}", print(why.key()), why.reason());
                }
            }
        }
    }

    private void suspects(List<DocumentWrite> suspects, boolean impatient) throws SQLException {
        if (suspects.isEmpty()) {
            return;
        }
        if (!impatient) {
            loseAllPatience();
        }
        Bisection rows = new Bisection(connection, states::write, this::hold);
        Bisection docs = new Bisection(connection, this::project, this::keep);
        for (DocumentWrite write : suspects) {
            if (write.rows() == Care.ALONE) {
                rows.run(List.of(write));
            }
            if (write.docs() != Care.NOT_NOW) {
                docs.run(List.of(write));
            }
        }
    }

    private void loseAllPatience() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(impatience);
        }
    }

    private void rows(List<DocumentWrite> writes) throws SQLException {
        new Bisection(connection, states::write, this::hold).run(writes);
    }

    private void docs(List<DocumentWrite> writes) throws SQLException {
        new Bisection(connection, this::project, this::keep).run(writes);
    }

    private void hold(DocumentWrite write, SQLException why) throws SQLException {
        String reason = Refusal.describe(why);
        states.held().hold(write, reason);
        heldNow.put(write.key(), reason);
        refused.add(new Refused(write.key(), Refused.Part.ROWS, why.getSQLState(), reason));
        LOG.warn("document {}: held, {}", print(write.key()), reason);
    }

    /** Those whose text could not be made come alone. */
    private void project(List<DocumentWrite> writes) throws SQLException {
        if (writes.get(0).docs() == Care.UNMADE) {
            projections.fail(writes.get(0), writes.get(0).error());
            return;
        }
        projections.write(withHeldErrors(writes));
        for (DocumentWrite write : writes) {
            if (write.docs() == Care.ALONE) {
                states.held().releaseDocs(write);
            }
        }
    }

    /** The docs row stays as it is, but for the error, if that can be written. */
    private void keep(DocumentWrite write, SQLException why) throws SQLException {
        String reason = Refusal.describe(why);
        DocumentWrite told = withHeldError(write);
        new Bisection(
                        connection,
                        one -> projections.fail(told, Projections.error(told, reason)),
                        (one, again) -> states.held().holdDocs(one, reason))
                .run(List.of(write));
        refused.add(new Refused(write.key(), Refused.Part.DOCS, why.getSQLState(), reason));
        LOG.warn("document {}: text and JSON refused, {}", print(write.key()), reason);
    }

    private List<DocumentWrite> withHeldErrors(List<DocumentWrite> writes) {
        if (heldNow.isEmpty()) {
            return writes;
        }
        List<DocumentWrite> told = new ArrayList<>(writes.size());
        for (DocumentWrite write : writes) {
            told.add(withHeldError(write));
        }
        return told;
    }

    private DocumentWrite withHeldError(DocumentWrite write) {
        String reason = heldNow.get(write.key());
        return reason == null ? write : write.withError("held " + reason);
    }

    private static String print(DocumentKey key) {
        return DocumentHash.print(DocumentHash.of(key.collection(), key.doc()));
    }
}
