package dev.walmerge.sidecar.embedded;

import dev.walmerge.sidecar.embedded.PostgresPrograms.Outcome;
import dev.walmerge.sql.Migration;
import dev.walmerge.sql.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;

/**
 * A real server for tests that stop, kill, copy and promote it. The schema is installed in the database
 * {@code postgres}. It keeps its port through all of that. One thread.
 */
public final class ServerNode implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int SECONDS = 120;
    private static final int START_ATTEMPTS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(SECONDS);
    private static PostgresPrograms programs;
    private static Path template;

    private final Path data;
    private final int port;

    private ServerNode(Path data, int port) {
        this.data = data;
        this.port = port;
    }

    /** A new server that runs. Making the cluster and the schema is done once a JVM, and then copied. */
    public static synchronized ServerNode start(Path folder) throws IOException, SQLException {
        if (programs == null) {
            Path state =
                    Path.of(System.getProperty("java.io.tmpdir"), "walmerge-test-" + System.getProperty("user.name"));
            programs = PostgresPrograms.in(PostgresBinaries.unpack(state));
        }
        if (template == null) {
            template = makeTemplate();
        }
        ServerNode node = new ServerNode(folder, freePort());
        copy(template, folder);
        node.start();
        return node;
    }

    private static Path makeTemplate() throws IOException, SQLException {
        Path folder = Files.createTempDirectory("walmerge-cluster-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        Path data = folder.resolve("data");
        require(programs.run(
                SECONDS,
                "initdb",
                List.of(
                        "-D",
                        data.toString(),
                        "-U",
                        "postgres",
                        "-A",
                        "trust",
                        "-E",
                        "UTF8",
                        "--locale=C",
                        "--no-sync")));
        Files.writeString(data.resolve("postgresql.conf"), """
                listen_addresses = '127.0.0.1'
                unix_socket_directories = ''
                wal_level = logical
                max_wal_senders = 20
                max_replication_slots = 20
                shared_buffers = 16MB
                wal_keep_size = 512MB
                hot_standby = on
                lc_messages = 'C'
                # Processes are killed here, never the machine.
                fsync = off
                synchronous_commit = on
                """, StandardOpenOption.APPEND);
        ServerNode node = new ServerNode(data, freePort());
        node.start();
        try (Connection connection = node.connect();
                Statement statement = connection.createStatement()) {
            for (Migration migration : Migrations.all()) {
                statement.execute(migration.script());
            }
        } finally {
            node.stop("fast");
        }
        return data;
    }

    /** Of the database {@code postgres}, as the superuser. */
    public String url() {
        return url(port);
    }

    /** The same through another port, such as a proxy's. */
    public static String url(int port) {
        return "jdbc:postgresql://" + HOST + ":" + port + "/postgres?user=postgres";
    }

    public int port() {
        return port;
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** Starts it and waits until it takes sessions. */
    public void start() throws IOException {
        Outcome outcome = null;
        for (int attempt = 0; attempt < START_ATTEMPTS; attempt++) {
            outcome = programs.run(
                    SECONDS,
                    "pg_ctl",
                    List.of(
                            "start",
                            "-w",
                            "-t",
                            Integer.toString(SECONDS),
                            "-D",
                            data.toString(),
                            "-l",
                            data.resolveSibling(data.getFileName() + ".log").toString(),
                            "-o",
                            "-p " + port));
            if (outcome.ok()) {
                return;
            }
        }
        // Backends of a killed postmaster that do not notice would be the cause.
        require(outcome);
    }

    /** @param mode fast or immediate */
    public void stop(String mode) throws IOException {
        require(programs.run(
                SECONDS,
                "pg_ctl",
                List.of("stop", "-w", "-t", Integer.toString(SECONDS), "-m", mode, "-D", data.toString())));
    }

    /** SIGKILL for the postmaster; its backends notice by themselves. */
    public void kill() throws IOException {
        ProcessHandle postmaster = PidFile.read(data).flatMap(PidFile::process).orElseThrow();
        postmaster.destroyForcibly();
        Awaitility.await().atMost(PATIENCE).until(() -> !postmaster.isAlive());
    }

    public boolean isRunning() throws IOException {
        Optional<ProcessHandle> process = PidFile.read(data).flatMap(PidFile::process);
        return process.isPresent() && process.get().isAlive();
    }

    /** Copies the files of the stopped server. */
    public void copyTo(Path folder) throws IOException {
        copy(data, folder);
    }

    /** Puts a copy in the place of the stopped server's files. */
    public void restore(Path copy) throws IOException {
        delete(data);
        copy(copy, data);
    }

    /** A new server that follows this one, made with a base backup of the running server. */
    public ServerNode standby(Path folder) throws IOException, SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_backup_start('standby', true)");
            copy(data, folder);
            statement.execute("select pg_backup_stop()");
        }
        Files.deleteIfExists(folder.resolve("postmaster.pid"));
        // A base backup leaves them out: they are of this server.
        delete(folder.resolve("pg_replslot"));
        Files.createDirectory(folder.resolve("pg_replslot"));
        Files.createFile(folder.resolve("standby.signal"));
        Files.writeString(
                folder.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=" + HOST + " port=" + port + " user=postgres'\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        ServerNode standby = new ServerNode(folder, freePort());
        standby.start();
        return standby;
    }

    /** Waits until this standby has replayed all that {@code primary} has written. */
    public void catchUpWith(ServerNode primary) throws SQLException {
        String end = primary.one("select pg_current_wal_flush_lsn()");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() ->
                        one("select pg_last_wal_replay_lsn() >= '" + end + "'").equals("t"));
    }

    /** Cuts this standby off: from now on it receives nothing. */
    public void stopReceiving() throws SQLException {
        execute("alter system set primary_conninfo = ''");
        execute("select pg_reload_conf()");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> one("select count(*) from pg_stat_wal_receiver").equals("0"));
    }

    /** Makes this standby a primary, on a new timeline. */
    public void promote() throws SQLException {
        execute("select pg_promote(true, " + SECONDS + ")");
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String one(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Stops it, whatever state it is in, and removes its files. */
    @Override
    public void close() throws IOException {
        if (isRunning()) {
            stop("immediate");
        }
        delete(data);
    }

    private static void require(Outcome outcome) {
        if (!outcome.ok()) {
            throw new IllegalStateException(outcome.output());
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    /** Files of a running server come and go. */
    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Path target = to.resolve(from.relativize(folder));
                Files.createDirectories(target);
                Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(folder));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                try {
                    Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
                } catch (NoSuchFileException e) {
                    // It went meanwhile, as it may: WAL replay makes up for it.
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> paths = new ArrayList<>();
        try (var walk = Files.walk(folder)) {
            walk.forEach(paths::add);
            for (int i = paths.size() - 1; i >= 0; i--) {
                Files.deleteIfExists(paths.get(i));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
