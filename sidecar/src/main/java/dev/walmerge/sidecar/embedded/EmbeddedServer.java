package dev.walmerge.sidecar.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * A Postgres server of our own for trying things out: no installation, one data folder a user, reachable on the
 * loopback address only, by the superuser {@code postgres} without a password.
 *
 * <p>It runs with {@code wal_level=logical}, fsync and synchronous commit on. The server is a process group of its own:
 * Ctrl-C in a terminal does not reach it, so whoever started it stops the sidecar first and then calls {@link #close}.
 * It registers no shutdown hook. A server that a killed process left behind is stopped cleanly by the next start.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedServer implements AutoCloseable {
    /** The port it asks for first. */
    public static final int PREFERRED_PORT = 54329;

    /** The database that {@link #url()} leads to. */
    public static final String DATABASE = "walmerge";

    private static final int KILL_SECONDS = 10;

    private final DataFolder folder;
    private final PostgresPrograms programs;
    private final int port;
    private boolean closed;
    private boolean down;

    @FunctionalInterface
    private interface FolderSource {
        DataFolder open() throws IOException;
    }

    private EmbeddedServer(DataFolder folder, PostgresPrograms programs, int port) {
        this.folder = folder;
        this.programs = programs;
        this.port = port;
    }

    /**
     * Starts the server whose data is kept in the user's state folder, one folder a major version of Postgres.
     *
     * @param stateFolder created if it is missing
     * @throws EmbeddedServerException when another process uses that folder, or the server can't run here
     */
    public static EmbeddedServer startKept(Path stateFolder) {
        return start(stateFolder, false, PREFERRED_PORT);
    }

    /**
     * Starts a server of its own beside that one, for a run that must not touch the user's data and whose data someone
     * may want to look at afterwards.
     *
     * @param stateFolder created if it is missing; the programs are below it
     * @param name of the folder below it that holds the data
     * @throws EmbeddedServerException when another process uses that folder, or the server can't run here
     */
    public static EmbeddedServer startNamed(Path stateFolder, String name) {
        demandWritable(stateFolder);
        PostgresPrograms programs = PostgresPrograms.in(PostgresBinaries.unpack(stateFolder));
        return start(programs, () -> DataFolder.kept(stateFolder.resolve(name)), PREFERRED_PORT);
    }

    /**
     * Starts a server on an empty folder that {@link #close} deletes.
     *
     * @param stateFolder created if it is missing; the programs and the temporary folder are below it
     * @throws EmbeddedServerException when the server can't run here
     */
    public static EmbeddedServer startEphemeral(Path stateFolder) {
        return start(stateFolder, true, PREFERRED_PORT);
    }

    static EmbeddedServer start(Path stateFolder, boolean ephemeral, int preferredPort) {
        demandWritable(stateFolder);
        PostgresPrograms programs = PostgresPrograms.in(PostgresBinaries.unpack(stateFolder));
        return start(
                programs,
                () -> ephemeral
                        ? DataFolder.ephemeral(stateFolder.resolve("ephemeral"), programs)
                        : DataFolder.kept(stateFolder.resolve("postgres-" + programs.majorVersion())),
                preferredPort);
    }

    private static EmbeddedServer start(PostgresPrograms programs, FolderSource source, int preferredPort) {
        try {
            DataFolder folder = source.open();
            try {
                return start(folder, programs, preferredPort);
            } catch (IOException | SQLException | RuntimeException e) {
                abandon(folder, programs, e);
                throw e;
            }
        } catch (IOException | SQLException e) {
            throw new EmbeddedServerException(
                    "embedded-start", "the embedded Postgres did not start: " + e.getMessage(), e);
        }
    }

    private static void demandWritable(Path stateFolder) {
        String cure = "can't write to " + stateFolder + ": make it writable, or set XDG_STATE_HOME to a folder that is";
        try {
            Files.createDirectories(stateFolder);
        } catch (IOException e) {
            throw new EmbeddedServerException("embedded-folder", cure, e);
        }
        if (!Files.isWritable(stateFolder)) {
            throw new EmbeddedServerException("embedded-folder", cure);
        }
    }

    private static EmbeddedServer start(DataFolder folder, PostgresPrograms programs, int preferredPort)
            throws IOException, SQLException {
        Postmaster.stopOrphan(folder, programs);
        Postmaster.create(folder, programs);
        int port = Postmaster.start(folder, programs, preferredPort);
        EmbeddedServer server = new EmbeddedServer(folder, programs, port);
        server.createDatabase();
        return server;
    }

    private static void abandon(DataFolder folder, PostgresPrograms programs, Exception cause) {
        try (folder) {
            if (PidFile.read(folder.data()).isPresent()) {
                Postmaster.stop(folder, programs);
            }
        } catch (IOException | EmbeddedServerException e) {
            cause.addSuppressed(e);
        }
    }

    /** A JDBC URL of the database {@code walmerge}, which exists, with the user in it. */
    public String url() {
        return url(DATABASE);
    }

    /** A JDBC URL of a database of this server, with the user in it. */
    public String url(String database) {
        return "jdbc:postgresql://" + Postmaster.HOST + ":" + port + "/" + database + "?user=postgres";
    }

    /** What psql and other libpq programs connect to. */
    public String connectionUri() {
        return "postgresql://postgres@" + Postmaster.HOST + ":" + port + "/" + DATABASE;
    }

    public int port() {
        return port;
    }

    /** The folder that holds {@code data/} and {@code server.log}. */
    public Path folder() {
        return folder.folder();
    }

    /**
     * Sends SIGKILL to the postmaster, as a kernel short of memory would: its sessions end, nothing more is written. For
     * tests of what survives that; {@link #restart} brings it back.
     */
    public synchronized void kill() {
        PidFile.read(folder.data()).flatMap(PidFile::process).ifPresent(postmaster -> {
            postmaster.destroyForcibly();
            postmaster.onExit().orTimeout(KILL_SECONDS, TimeUnit.SECONDS).join();
        });
        down = true;
    }

    /** Shuts the server down as an operator does who restarts it: sessions are ended. {@link #restart} brings it back. */
    public synchronized void shutDown() throws IOException {
        Postmaster.stop(folder, programs);
        down = true;
    }

    /** Starts the server again, on the same port. */
    public synchronized void restart() throws IOException {
        int started = Postmaster.start(folder, programs, port);
        down = false;
        if (started != port) {
            throw new EmbeddedServerException("embedded-start", "someone took port " + port + " meanwhile");
        }
    }

    /** Ends all sessions, shuts the server down cleanly within seconds, deletes an ephemeral folder. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!down) {
                Postmaster.stop(folder, programs);
            }
        } catch (IOException e) {
            throw new EmbeddedServerException(
                    "embedded-start", "the embedded Postgres did not stop: " + e.getMessage(), e);
        } finally {
            folder.close();
        }
    }

    private void createDatabase() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url("postgres"));
                Statement statement = connection.createStatement()) {
            boolean exists;
            try (ResultSet row = statement.executeQuery(
                    "select exists (select from pg_database where datname = '" + DATABASE + "')")) {
                row.next();
                exists = row.getBoolean(1);
            }
            if (!exists) {
                statement.execute("create database " + DATABASE);
            }
        }
    }
}
