package dev.walmerge.sidecar.verify;

import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.TextBlock;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.shard.StoredCheck;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentStore;
import dev.walmerge.engine.writeback.StoredDocument;
import dev.walmerge.sidecar.pipeline.PolicyHistory;
import dev.walmerge.sidecar.replication.Endpoint;
import dev.walmerge.sidecar.replication.RingRows;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Proves on a database in use that nothing is lost: every op row that one snapshot sees is, after a barrier, in what is
 * stored of its document or a dead letter; and what a document's row shows is what comes out of what is stored, decoded again.
 * Writes nothing but the barrier. One thread, once.
 */
public final class Verification {
    private static final String COLLECTION = "default";
    private static final long POLL_NANOS = 5_000_000;
    /** The row may change between two looks at it, but not each time. */
    private static final int LOOKS = 5;

    private static final String BARRIER = "select pg_logical_emit_message(true, 'walmerge', '')::text";
    private static final String WRITTEN = """
            select written >= ?::pg_lsn from crdt.progress where slot = ?""";
    private static final String IS_LETTER =
            "select from crdt.dead_letter where collection = '" + COLLECTION + "' and row_id = ?";
    private static final String SHOWN = """
            select body_text is not distinct from ? as same_text, body_json is not distinct from ?::jsonb as same_json,
              complete, op_count,
              array(select json_build_array(block_id, seq, kind, path, text)::text from crdt.blocks b where b.doc = d.doc
                except all select json_build_array(id, seq, kind, path, text)::text
                from unnest(?::text[], ?::text[], ?::text[], ?::text[]) with ordinality s (id, kind, path, text, seq)) = '{}'
              and (select count(*) from crdt.blocks b where b.doc = d.doc) = ? as same_blocks
            from crdt.docs d where doc = ?""";

    private final Connection connection;
    private final DocumentStore store;
    private final List<Policy> policies;

    private String doc;
    private StoredCheck check;
    /** Its ops are dropped. */
    private boolean forgotten;

    private long documents;
    private long ops;
    private long merged;
    private long letters;
    private long dropped;
    private final List<String> faults = new ArrayList<>();
    private long faultCount;

    private Verification(Connection connection, DocumentStore store) throws SQLException {
        this.connection = connection;
        this.store = store;
        this.policies = PolicyHistory.read(connection).versions(COLLECTION);
    }

    /**
     * @param slot of the sidecar that must have written
     * @param patience with the barrier
     * @return null if the barrier was not written in that time, or no sidecar ever wrote by way of this slot
     */
    public static Report run(Endpoint endpoint, String slot, Duration patience) throws SQLException {
        try (RingRows rows = RingRows.open(endpoint);
                Connection connection = endpoint.connect("verify");
                DocumentStore store = new DocumentStore(() -> endpoint.connect("verify"))) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("set row_security = off");
            }
            // Everything that the snapshot sees was committed before.
            if (!barrier(connection, slot, patience)) {
                return null;
            }
            Verification verification = new Verification(connection, store);
            rows.read(verification::row);
            return new Report(
                    verification.documents,
                    verification.ops,
                    verification.merged,
                    verification.letters,
                    verification.dropped,
                    verification.faults,
                    verification.faultCount);
        }
    }

    private static boolean barrier(Connection connection, String slot, Duration patience) throws SQLException {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        String target;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(BARRIER)) {
            row.next();
            target = row.getString(1);
        }
        try (PreparedStatement written = connection.prepareStatement(WRITTEN)) {
            written.setString(1, target);
            written.setString(2, slot);
            while (System.nanoTime() - deadlineNanos < 0) {
                try (ResultSet row = written.executeQuery()) {
                    if (!row.next()) {
                        return false;
                    }
                    if (row.getBoolean(1)) {
                        return true;
                    }
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
            return false;
        }
    }

    private void row(String rowDoc, long id, String format, byte[] update) throws SQLException {
        if (!rowDoc.equals(doc)) {
            doc = rowDoc;
            documents++;
            check = load();
        }
        if (id == 0) {
            return;
        }
        ops++;
        if (forgotten) {
            dropped++;
        } else if (isHeld(id, format, update)) {
            merged++;
        } else if (isLetter(id)) {
            letters++;
        } else {
            fault("row " + id + " is neither in its document nor a dead letter");
        }
    }

    private boolean isHeld(long id, String format, byte[] update) {
        if (check == null || update == null) {
            return false;
        }
        try {
            return check.holds(
                    id, format == null ? policies.get(policies.size() - 1).format() : format, update);
        } catch (MalformedUpdateException e) {
            return false;
        }
    }

    private boolean isLetter(long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(IS_LETTER)) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Loads the document and compares its row; null if nothing is stored, or that can't be decoded. */
    private StoredCheck load() throws SQLException {
        String difference = null;
        for (int look = 0; look < LOOKS; look++) {
            StoredDocument stored = store.load(new DocumentKey(COLLECTION, doc));
            forgotten = stored != null && stored.isForgotten();
            if (stored == null || forgotten || stored.isEmpty()) {
                return null;
            }
            StoredCheck loaded;
            try {
                loaded = new StoredCheck(stored);
            } catch (MalformedUpdateException e) {
                fault("what is stored can't be decoded: " + e.rule());
                return null;
            }
            difference = difference(stored, loaded);
            if (difference == null) {
                return loaded;
            }
            check = loaded;
        }
        fault(difference);
        return check;
    }

    /** A document may still show what an earlier policy asks for, until its next flush. */
    private String difference(StoredDocument stored, StoredCheck loaded) throws SQLException {
        String difference = null;
        for (int i = policies.size() - 1; i >= 0; i--) {
            difference = difference(stored, loaded, policies.get(i));
            if (difference == null) {
                return null;
            }
        }
        return difference;
    }

    private String difference(StoredDocument stored, StoredCheck loaded, Policy policy) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SHOWN)) {
            select.setString(1, loaded.text(policy));
            select.setString(2, loaded.json(policy));
            List<TextBlock> blocks = loaded.blocks(policy);
            select.setArray(3, texts(blocks, TextBlock::id));
            select.setArray(4, texts(blocks, TextBlock::kind));
            select.setArray(5, texts(blocks, TextBlock::path));
            select.setArray(6, texts(blocks, TextBlock::text));
            select.setInt(7, blocks.size());
            select.setString(8, doc);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return stored.held() == null ? "there is no row of docs" : null;
                }
                if (!stored.projected()) {
                    // The row admits that it is older.
                    return null;
                }
                if (row.getLong("op_count") != stored.opCount()) {
                    return "the row counts " + row.getLong("op_count") + " ops, what is stored " + stored.opCount();
                }
                if (!row.getBoolean("same_text")) {
                    return "the text shown is not what is stored";
                }
                if (row.getBoolean("complete") != loaded.isComplete()) {
                    return "the row says the opposite of whether the document is complete";
                }
                if (!row.getBoolean("same_json")) {
                    return "the JSON shown is not what is stored";
                }
                return row.getBoolean("same_blocks") ? null : "the blocks shown are not what is stored";
            }
        }
    }

    private Array texts(List<TextBlock> blocks, Function<TextBlock, String> column) throws SQLException {
        return connection.createArrayOf("text", blocks.stream().map(column).toArray(String[]::new));
    }

    private void fault(String what) {
        faultCount++;
        if (faults.size() < Report.MAX_FAULTS) {
            faults.add("document " + DocumentHash.print(DocumentHash.of(COLLECTION, doc)) + ": " + what);
        }
    }
}
