package dev.walmerge.bench.soak;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.walmerge.bench.trace.TraceLibrary;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.UpdateFormat;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * Compares what is in the tables with what was inserted. Every committed row must be either merged or a dead letter, once.
 *
 * <p>Merged is what the loaded state holds: each update of the document must be contained, struct by struct and delete by
 * delete, and the state must hold nothing else, which the same updates applied in order to an empty document show.
 * {@code op_count} is compared too: it must not be less, and of a document that began after the last start from the tables,
 * which counts the rows of the ring again, it must be the number of rows.
 */
final class Verdict {
    private static final int PROBLEMS_SHOWN = 20;

    private final Connection connection;
    private final Instant lastStartFromTables;
    private final List<String> problems = new ArrayList<>();
    private long ops;
    private long merged;
    private long letters;
    private long lost;
    private long doubled;
    private int different;
    private int documents;
    private int counted;

    private Verdict(Connection connection, Instant lastStartFromTables) {
        this.connection = connection;
        this.lastStartFromTables = lastStartFromTables;
    }

    /** Checks everything. */
    static Verdict of(Connection connection, List<PlannedDocument> documents, Instant lastStartFromTables)
            throws SQLException {
        Verdict verdict = new Verdict(connection, lastStartFromTables);
        for (PlannedDocument document : documents) {
            verdict.check(document);
        }
        verdict.checkTotals(documents.size());
        return verdict;
    }

    private void check(PlannedDocument document) throws SQLException {
        documents++;
        ops += document.committedOps() + document.committedBad().size();
        int problemsBefore = problems.size();
        checkRow(document);
        checkLoaded(document);
        checkLetters(document);
        if (problems.size() > problemsBefore) {
            different++;
        }
    }

    private void checkRow(PlannedDocument document) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "select body_text, body_json::text, complete, error, op_count from crdt.docs where doc = ?")) {
            select.setString(1, document.key());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    problem(document, "no row in crdt.docs");
                    return;
                }
                if (row.getString("error") != null || !row.getBoolean("complete")) {
                    problem(document, "complete " + row.getBoolean("complete") + ", error " + row.getString("error"));
                }
                compareAnswer(document, row.getString("body_text"), row.getString("body_json"));
                compareCount(document, row.getLong("op_count"));
            }
        }
    }

    private void compareAnswer(PlannedDocument document, String text, String json) {
        String wanted = document.history().answerAt(document.targetStep());
        try {
            String answer = document.history().json() ? CanonicalJson.of(json) : text;
            if (!TraceLibrary.sha256(answer).equals(wanted)) {
                problem(document, "not what yjs gives");
            }
            if (!document.history().json()
                    && !new ObjectMapper().readTree(json).path("text").asText().equals(text)) {
                problem(document, "text and JSON differ");
            }
        } catch (JsonProcessingException e) {
            problem(document, "body_json is not JSON");
        }
    }

    private void compareCount(PlannedDocument document, long count) {
        long difference = count - document.committedOps();
        boolean exact = document.begun().isAfter(lastStartFromTables);
        counted += exact ? 1 : 0;
        if (difference < 0) {
            problem(document, "counts " + count + " ops of " + document.committedOps());
        } else if (difference > 0 && exact) {
            doubled += difference;
            problem(document, "counts " + difference + " ops twice");
        }
    }

    private void checkLoaded(PlannedDocument document) throws SQLException {
        try {
            Doc loaded = load(document.key());
            Doc wanted = Doc.create(true);
            int missing = 0;
            for (byte[] update : document.updates()) {
                wanted.apply(UpdateFormat.V1, update, 0, update.length);
                if (!loaded.contains(UpdateFormat.V1, update, 0, update.length)) {
                    missing++;
                }
            }
            merged += document.committedOps() - missing;
            lost += missing;
            if (missing > 0) {
                problem(document, missing + " ops are not in the loaded state");
            }
            if (loaded.hasPending()) {
                problem(document, "the loaded state waits for something");
            }
            if (!Arrays.equals(loaded.stateVector(), wanted.stateVector()) || !loaded.sameContent(wanted)) {
                problem(document, "the loaded state is not that of the ops");
            }
        } catch (MalformedUpdateException e) {
            problem(document, "crdt.load gives what is no update: " + e.rule());
        }
    }

    private Doc load(String key) throws SQLException, MalformedUpdateException {
        Doc doc = Doc.create(true);
        try (PreparedStatement select =
                connection.prepareStatement("select format, payload from crdt.load(?) order by seq")) {
            select.setString(1, key);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    byte[] payload = row.getBytes(2);
                    UpdateFormat format = row.getString(1).equals("yjs-v2") ? UpdateFormat.V2 : UpdateFormat.V1;
                    doc.apply(format, payload, 0, payload.length);
                }
            }
        }
        return doc;
    }

    private void checkLetters(PlannedDocument document) throws SQLException {
        Map<String, Integer> found = new HashMap<>();
        Map<String, String> rules = new HashMap<>();
        try (PreparedStatement select =
                connection.prepareStatement("select payload, rule from crdt.dead_letter where doc = ?")) {
            select.setString(1, document.key());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    String payload = HexFormat.of().formatHex(row.getBytes(1));
                    found.merge(payload, 1, Integer::sum);
                    rules.put(payload, row.getString(2));
                }
            }
        }
        for (byte[] bad : document.committedBad()) {
            Integer count = found.remove(HexFormat.of().formatHex(bad));
            if (count == null) {
                lost++;
                problem(document, "a bad op is no dead letter");
            } else {
                letters++;
                if (count > 1) {
                    doubled += count - 1;
                    problem(document, "a bad op is a dead letter " + count + " times");
                }
            }
        }
        if (!found.isEmpty()) {
            rules.keySet().retainAll(found.keySet());
            problem(document, found.size() + " dead letters of good ops: " + new TreeSet<>(rules.values()));
        }
    }

    private void checkTotals(int planned) throws SQLException {
        demand("select count(*) from crdt.docs", planned, "documents");
        demand("select count(*) from crdt.ydoc", planned, "states");
        demand("select count(*) from crdt.dead_letter", letters, "dead letters");
        demand("select count(*) from crdt.parked", 0, "parked updates");
    }

    private void demand(String sql, long wanted, String what) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            if (row.getLong(1) != wanted) {
                problems.add(row.getLong(1) + " " + what + ", not " + wanted);
            }
        }
    }

    private void problem(PlannedDocument document, String what) {
        problems.add(document.key() + " (" + document.updates().size() + " updates): " + what);
    }

    boolean isGood() {
        return problems.isEmpty();
    }

    String summary() {
        return String.format(
                Locale.ROOT,
                "%,d ops in %,d documents: merged %,d, dead letters %,d, lost %,d, doubled %,d; %,d documents differ from"
                        + " what yjs gives (op_count exact in %,d that began after the last start from the tables)",
                ops,
                documents,
                merged,
                letters,
                lost,
                doubled,
                different,
                counted);
    }

    /** The first ones. */
    List<String> problems() {
        return problems.subList(0, Math.min(PROBLEMS_SHOWN, problems.size()));
    }
}
