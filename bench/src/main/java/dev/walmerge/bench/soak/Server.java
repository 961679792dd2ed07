package dev.walmerge.bench.soak;

import dev.walmerge.sidecar.embedded.EmbeddedServer;
import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.migrate.Migrator;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The Postgres of a run, and what the soak asks of it. Methods open a connection each. */
final class Server implements AutoCloseable {
    /** The slot that all of a run's sidecars want. */
    static final String SLOT = "soak";

    /** Small documents fold, leaves of the op ring are trimmed, and JSON is there to compare: all within seconds. */
    private static final String POLICY = """
            select crdt.alter_collection(json_for_text => true, fold_bytes => 2000, fold_ratio => 0.1, fold_rows => 20,
              fold_idle => '2 s', rotate_after => '2 s', staleness_max => '5 s')""";

    /** A sidecar that is stopped for longer loses its slot before it goes on, and keeps its other sessions. */
    private static final String SENDER_TIMEOUT = "alter system set wal_sender_timeout = '10s'";

    private static final String CUT = """
            select pg_terminate_backend(pid) from pg_stat_activity
            where application_name like 'walmerge %' order by random() limit 1""";
    private static final String CUT_ALL = """
            select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name like 'walmerge %'""";
    private static final String FREE_SLOT = """
            select count(pg_terminate_backend(active_pid)) from pg_replication_slots where slot_name = ?""";
    private static final String DROP_SLOT = """
            select pg_drop_replication_slot(slot_name) from pg_replication_slots
            where slot_name = ? and active_pid is null""";
    private static final String SLOTS = "select count(*) from pg_replication_slots where slot_name = ?";

    private final EmbeddedServer server;

    private Server(EmbeddedServer server) {
        this.server = server;
    }

    static Server start(Path state, String name) throws SQLException, MigrationException {
        Server server = new Server(EmbeddedServer.startNamed(state, name));
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            Migrator.apply(connection);
            statement.execute(Session.LEDGER);
            statement.execute(POLICY);
            statement.execute(SENDER_TIMEOUT);
            statement.execute("select pg_reload_conf()");
            return server;
        } catch (SQLException | MigrationException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    String url() {
        return server.url();
    }

    Path folder() {
        return server.folder();
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    void kill() throws IOException {
        server.kill();
        server.restart();
    }

    void restart() throws IOException {
        server.shutDown();
        server.restart();
    }

    /** Ends one session of a sidecar. */
    boolean cutOne() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(CUT)) {
            return row.next();
        }
    }

    /** Ends all sessions of sidecars, as a firewall does that forgot them. */
    void cutAll() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(CUT_ALL);
        }
    }

    /** True once the slot is gone; false if someone still holds it, who then was asked to let go. */
    boolean dropSlot() throws SQLException {
        try (Connection connection = connect()) {
            ask(connection, FREE_SLOT);
            ask(connection, DROP_SLOT);
            return ask(connection, SLOTS) == 0;
        }
    }

    private static long ask(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, SLOT);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getMetaData().getColumnTypeName(1).equals("int8") ? row.getLong(1) : 0;
            }
        }
    }

    /** How often a sidecar took over; -1 while nobody can be asked. */
    long epoch() {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select coalesce(max(epoch), 0) from crdt.progress")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            return -1;
        }
    }

    /** Returns when everything committed before is in the tables. */
    void sync(String timeout) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("call crdt.sync('" + timeout + "')");
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
