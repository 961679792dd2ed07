package dev.walmerge.bench.pipeline;

import dev.walmerge.sidecar.embedded.EmbeddedServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What a scenario of large work needs: a server of its own, a packaged sidecar, and a place for what it finds. One thread. */
final class LargeStage implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final House house = new House();
    private final EmbeddedServer server;
    private final Connection connection;
    private final PrintStream out;
    private final List<String> faults = new ArrayList<>();

    LargeStage(PrintStream out) throws Exception {
        this.out = out;
        this.server = house.open(true);
        this.connection = DriverManager.getConnection(server.url());
        execute("alter system set wal_sender_timeout = '10s'");
        execute("select pg_reload_conf()");
    }

    /** A sidecar of that heap, ready. */
    PackagedSidecar sidecar(int heapMegabytes, String... arguments) throws Exception {
        PackagedSidecar sidecar = PackagedSidecar.start(server.url(), folder(), heapMegabytes, arguments);
        await("a sidecar that is ready", 60, sidecar, () -> sidecar.log().contains("ready: "));
        return sidecar;
    }

    Path folder() throws IOException {
        return Files.createDirectories(server.folder().resolve("large"));
    }

    String url() {
        return server.url();
    }

    Connection connection() {
        return connection;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    long number(String sql) throws SQLException {
        String text = text(sql);
        return text == null || text.isEmpty() ? 0 : Long.parseLong(text);
    }

    /** Something that may come true. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Returns when it holds; it is a fault if it does not in time, or if the sidecar ends first. */
    boolean await(String what, long seconds, PackagedSidecar sidecar, Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.holds()) {
            if (!sidecar.isAlive() || System.nanoTime() - end > 0) {
                String last = sidecar.log();
                fault((sidecar.isAlive() ? "not in time: " : "the sidecar ended before: ")
                        + what
                        + System.lineSeparator()
                        + last.substring(Math.max(0, last.length() - 2000)));
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    /** Each of these documents has the text that its updates spell, and counts each of them once. */
    void requireWhole(String prefix, int documents, List<byte[]> updates) throws SQLException {
        String sql = "select count(*) from crdt.docs where doc like '" + prefix + "%' and op_count = " + updates.size()
                + " and error is null and body_text = (select string_agg(word, '' order by seq) from bench_word)";
        execute("create temp table bench_word (seq serial, word text)");
        try (var insert = connection.prepareStatement("insert into bench_word (word) values (?)")) {
            for (byte[] update : updates) {
                insert.setString(1, word(update));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        require(number(sql) == documents, documents + " whole documents " + prefix + ", found " + number(sql));
        execute("drop table bench_word");
    }

    /** What an update of {@code KeystrokeUpdates} types, read from its bytes. */
    static String word(byte[] update) {
        String latin = new String(update, StandardCharsets.ISO_8859_1);
        return latin.substring(latin.indexOf("keystrokes"), latin.length() - 1);
    }

    /** A sidecar that went through all of it without a warning, but of dead letters. */
    void requireQuiet(PackagedSidecar sidecar) throws IOException {
        List<String> complaints = sidecar.complaints().stream()
                .filter(line -> !line.contains("became dead letters"))
                .toList();
        require(complaints.isEmpty(), "a sidecar without complaints, but it said: " + complaints);
    }

    void require(boolean holds, String what) {
        if (!holds) {
            fault("not so: " + what);
        }
    }

    private void fault(String what) {
        faults.add(what);
        out.println("  FAULT " + what);
    }

    void say(String format, Object... values) {
        out.printf(Locale.ROOT, "  " + format + "%n", values);
    }

    boolean isFaultless() {
        return faults.isEmpty();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        house.close();
    }
}
