package dev.walmerge.bench.demo;

import dev.walmerge.bench.keystroke.SideBySide;
import dev.walmerge.bench.measure.Latencies;
import dev.walmerge.bench.trace.Trace;
import dev.walmerge.bench.trace.TraceLibrary;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Replays the histories of {@code bench/traces} against an installed database that a sidecar serves, and reports.
 *
 * <p>Each run writes documents of its own, {@code demo1/clownschool}, {@code demo2/clownschool} and so on, so that it
 * can be repeated on data that is kept.
 */
final class Demo {
    /** What "it grows while you type" is taken to mean. */
    private static final int GROWTHS_WANTED = 3;

    private static final long SHOW_EVERY_MILLIS = 200;
    private static final SideBySide.Plan SIDE_BY_SIDE = new SideBySide.Plan(30, 25, 10);
    private static final int PLAIN_DOCUMENT = 0;

    private final String url;
    private final int editsPerSecond;
    private final PrintStream out;
    private final boolean terminal;
    private final TraceLibrary library;
    private final List<Trace> traces;

    /** @param editsPerSecond of each document; 0 for as fast as it goes */
    Demo(String url, TraceLibrary library, List<Trace> traces, int editsPerSecond, PrintStream out, boolean terminal) {
        this.url = url;
        this.library = library;
        this.traces = List.copyOf(traces);
        this.editsPerSecond = editsPerSecond;
        this.out = out;
        this.terminal = terminal;
    }

    /** Returns whether every text matched and every document was seen growing. */
    boolean run() throws SQLException, InterruptedException {
        try (Connection connection = DriverManager.getConnection(url)) {
            sync(connection);
            String run = "demo" + nextRun(connection);
            insertTodo(connection, run + "/todo");

            List<String> docs =
                    traces.stream().map(trace -> run + "/" + trace.name()).toList();
            Reader reader = new Reader(url, docs);
            List<Typist> typists = new ArrayList<>();
            int edits = 0;
            for (int i = 0; i < traces.size(); i++) {
                typists.add(new Typist(url, docs.get(i), i, traces.get(i), editsPerSecond, reader.samples()));
                edits += traces.get(i).updates().size();
            }
            out.printf(
                    Locale.ROOT,
                    "Typing %,d edits of %d real histories into crdt.ops: one INSERT and one transaction an edit, all"
                            + " documents at once.%n",
                    edits,
                    traces.size());
            Replay replay = replay(typists, reader);
            sync(connection);
            boolean ok = printDocuments(connection, typists, reader);
            printCosts(connection, typists.get(PLAIN_DOCUMENT), replay);
            out.println();
            Queries.print(connection, run, out);
            return ok;
        }
    }

    private record Replay(Latencies inserts, Latencies freshness, double seconds) {}

    private Replay replay(List<Typist> typists, Reader reader) throws SQLException, InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            long begun = System.nanoTime();
            Future<Latencies> reading = threads.submit(reader);
            List<Future<Latencies>> writing = new ArrayList<>();
            for (Typist typist : typists) {
                writing.add(threads.submit(typist));
            }
            Progress progress = new Progress(out, terminal);
            Latencies inserts = new Latencies();
            for (Future<Latencies> writer : writing) {
                inserts.addAll(await(writer, () -> progress.show(typists, reader)));
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            progress.end();
            reader.stop();
            return new Replay(inserts, await(reading, () -> {}), seconds);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Latencies await(Future<Latencies> future, Runnable meanwhile)
            throws SQLException, InterruptedException {
        while (true) {
            try {
                return future.get(SHOW_EVERY_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                meanwhile.run();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof SQLException
                        ? (SQLException) e.getCause()
                        : new SQLException(e.getCause());
            }
        }
    }

    private boolean printDocuments(Connection connection, List<Typist> typists, Reader reader) throws SQLException {
        boolean allOk = true;
        out.printf("%n%-28s %8s %8s   %-22s %s%n", "document", "edits", "length", "text", "seen growing while typed");
        for (int i = 0; i < typists.size(); i++) {
            Typist typist = typists.get(i);
            String text = bodyText(connection, typist.doc());
            boolean same = text != null
                    && TraceLibrary.sha256(text).equals(typist.trace().textSha256());
            int growths = reader.growthsBefore(i, typist.lastInsertNanos());
            boolean grew = growths >= GROWTHS_WANTED;
            out.printf(
                    Locale.ROOT,
                    "%-28s %,8d %,8d   %-22s %s%n",
                    typist.doc(),
                    typist.edits(),
                    text == null ? 0 : text.length(),
                    same ? "equals what yjs gives" : "DIFFERS from yjs's",
                    growths + " times" + (grew ? "" : ", WANTED " + GROWTHS_WANTED));
            allOk &= same && grew;
        }
        return allOk;
    }

    private void printCosts(Connection connection, Typist typist, Replay replay) throws SQLException {
        String text = bodyText(connection, typist.doc());
        out.printf(
                Locale.ROOT,
                "%nThe replay took %.1f s: op INSERT %s (%,d of them, from %d writers at once).%n",
                replay.seconds,
                replay.inserts.summary(),
                replay.inserts.count(),
                traces.size());
        out.printf(
                Locale.ROOT,
                "Freshness, from COMMIT of an edit to the row of crdt.docs that holds it: %s (%,d samples;%n"
                        + "  the default policy writes a large document less often, at most 10 s late).%n",
                replay.freshness.summary(),
                replay.freshness.count());
        if (text == null || text.isEmpty()) {
            return;
        }
        // Updates that were merged before: the document stays as it is.
        SideBySide.Result result = SideBySide.measure(
                connection, typist.doc(), typist.trace().updates(), text, SIDE_BY_SIDE, () -> sync(connection));
        out.printf(
                Locale.ROOT, "%nOne edit of a document of %,d characters, one writer, interleaved:%n", text.length());
        printCost("op INSERT into crdt.ops", result.op());
        printCost("plain UPDATE of a text column", result.plain());
        printCost("the same with a GIN index for search", result.plainWithGin());
    }

    private void printCost(String what, SideBySide.Cost cost) {
        out.printf(
                Locale.ROOT,
                "  %-38s %-30s %,9d B of WAL%n",
                what,
                cost.latencies().summary(),
                cost.walBytes());
    }

    private void insertTodo(Connection connection, String doc) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into crdt.ops (doc, update) values (?, decode(?, 'hex'))")) {
            insert.setString(1, doc);
            insert.setString(2, library.todoHex());
            insert.executeUpdate();
        }
    }

    /** One more than the last run that wrote to this database. */
    private static int nextRun(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        select coalesce(max(substring(doc from '^demo([0-9]{1,9})/')::int), 0) + 1
                        from crdt.docs where doc like 'demo%'""")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static String bodyText(Connection connection, String doc) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("select body_text from crdt.docs where doc = ?")) {
            select.setString(1, doc);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Waits until everything that is committed by now can be read from {@code crdt.docs}. */
    private static void sync(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("call crdt.sync('2 minutes')");
        }
    }
}
