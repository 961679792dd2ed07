package dev.walmerge.engine;

import static org.awaitility.Awaitility.await;

import dev.walmerge.engine.writeback.ConnectionSource;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.sql.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.Callable;

/** An engine over a database of its own, fed by the test in place of a slot. */
final class EngineFixture implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    final Path journal;
    Engine engine;
    private int timeline = 1;
    private long lsn = 0x1000;
    private long rowId;

    EngineFixture(Path journal) {
        this.journal = journal;
    }

    EngineSettings.Builder settings() {
        return EngineSettings.with(journal);
    }

    void start() throws Exception {
        start(settings().build(), Policy.defaults());
    }

    void start(EngineSettings settings, Policy policy) throws Exception {
        start(settings, policy, database::connect);
    }

    void start(EngineSettings settings, Policy policy, ConnectionSource connections) throws SQLException, IOException {
        engine = Engine.start(settings, connections, takeOver(), Map.of("default", policy));
    }

    Lease takeOver() throws SQLException {
        try (Connection connection = database.connect()) {
            return TakeOver.takeOver(connection, "walmerge", "7", timeline);
        }
    }

    /** One transaction of one op; the end of its commit. */
    long insert(String doc, String hex) {
        return insert(doc, HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    long insert(String doc, byte[] update) {
        return insert(op(doc, null, update, null));
    }

    long insert(Op... ops) {
        open(ops);
        return commit();
    }

    /** A transaction that goes on. */
    void open(Op... ops) {
        engine.sink().begin(lsn, 0);
        for (Op op : ops) {
            engine.sink().op(op);
        }
    }

    Op op(String doc, String format, byte[] update, String json) {
        return new Op("default", doc, format, update, json, "app", ++rowId);
    }

    long barrier() {
        engine.sink().begin(lsn, 0);
        engine.sink().barrier(null);
        return commit();
    }

    long command(Command command) {
        engine.sink().begin(lsn, 0);
        engine.sink().command(command);
        return commit();
    }

    long policy(Policy policy) {
        engine.sink().begin(lsn, 0);
        engine.sink().policy("default", policy);
        return commit();
    }

    long commit() {
        lsn += 0x30;
        engine.sink().commit(lsn);
        return lsn;
    }

    /** Where the next transaction's commit record starts. */
    long nextLsn() {
        return lsn;
    }

    /** As after a restart: the slot sends everything from there again. */
    void rewind(long toLsn) {
        lsn = toLsn;
        rowId = 0;
    }

    /** As after a failover: another timeline, whose positions say nothing about those before. */
    void failOver(long toLsn) {
        timeline++;
        lsn = toLsn;
    }

    /** Flushes everything and waits until it is written. */
    void sync() {
        long end = barrier();
        await("written up to " + Lsn.format(end))
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> {
                    if (engine.failure() != null) {
                        throw new AssertionError("the engine failed", engine.failure());
                    }
                    return !Lsn.isBefore(engine.writtenLsn(), end);
                });
    }

    void eventually(String what, Callable<Boolean> condition) {
        await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    /** The first column of the first row as text, null when it is null or there is no row. */
    String one(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    String text(String doc) throws SQLException {
        return one("select body_text from crdt.docs where doc = '" + doc + "'");
    }

    void restart(EngineSettings settings, Policy policy) throws Exception {
        engine.close();
        start(settings, policy);
    }

    @Override
    public void close() {
        if (engine != null) {
            engine.close();
        }
    }
}
