package dev.walmerge.sidecar.embedded;

import dev.walmerge.sidecar.embedded.PostgresPrograms.Outcome;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates, starts and stops the server on one locked data folder. */
final class Postmaster {
    static final String HOST = "127.0.0.1";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private static final Logger LOG = LoggerFactory.getLogger(Postmaster.class);
    private static final int PORTS_TRIED = 100;
    private static final int START_ATTEMPTS = 5;
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;
    private static final long LOG_KEPT_BYTES = 10L << 20;
    private static final int LOG_SHOWN_BYTES = 2000;

    private Postmaster() {}

    /** Makes the cluster unless it is there. An interrupted attempt leaves nothing that looks like one. */
    static void create(DataFolder folder, PostgresPrograms programs) throws IOException {
        if (Files.exists(folder.data().resolve("PG_VERSION"))) {
            return;
        }
        Path fresh = folder.folder().resolve("data.new");
        // A UTF-8 locale, so that search folds the case of every letter; not every system has one of this name.
        boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
        Outcome outcome = initdb(programs, fresh, mac ? "en_US.UTF-8" : "C.UTF-8", folder.isEphemeral());
        if (!outcome.ok()) {
            outcome = initdb(programs, fresh, "C", folder.isEphemeral());
        }
        if (!outcome.ok()) {
            throw new EmbeddedServerException(
                    "embedded-start", "initdb failed: " + outcome.output().strip());
        }
        Files.move(fresh, folder.data(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Starts the server and returns its port: the preferred one, or else the next that is free. */
    static int start(DataFolder folder, PostgresPrograms programs, int preferredPort) throws IOException {
        shortenLog(folder.log());
        String said = "";
        int port = preferredPort;
        for (int attempt = 0; attempt < START_ATTEMPTS; attempt++) {
            port = freePort(port);
            long logStart = Files.exists(folder.log()) ? Files.size(folder.log()) : 0;
            Outcome outcome = programs.run(
                    START_SECONDS + 10L,
                    "pg_ctl",
                    List.of(
                            "start",
                            "-w",
                            "-t",
                            Integer.toString(START_SECONDS),
                            "-D",
                            folder.data().toString(),
                            "-l",
                            folder.log().toString(),
                            "-o",
                            options(port)));
            if (outcome.ok()) {
                return port;
            }
            said = outcome.output().strip() + "\n" + readFrom(folder.log(), logStart);
            if (said.contains("could not bind") || said.contains("could not create any TCP/IP sockets")) {
                port++;
            } else if (!said.contains("shared memory block")) {
                // Otherwise backends of a killed postmaster are about to notice: try again.
                break;
            }
        }
        throw new EmbeddedServerException("embedded-start", "the embedded Postgres did not start: " + said.strip());
    }

    /** A fast, clean shutdown: sessions are ended, a checkpoint is written. */
    static void stop(DataFolder folder, PostgresPrograms programs) throws IOException {
        for (String mode : List.of("fast", "immediate")) {
            Outcome outcome = programs.run(
                    STOP_SECONDS + 10L,
                    "pg_ctl",
                    List.of(
                            "stop",
                            "-w",
                            "-t",
                            Integer.toString(STOP_SECONDS),
                            "-m",
                            mode,
                            "-D",
                            folder.data().toString()));
            if (outcome.ok() || PidFile.read(folder.data()).isEmpty()) {
                return;
            }
            LOG.warn(
                    "the embedded Postgres did not stop ({}): {}",
                    mode,
                    outcome.output().strip());
        }
        throw new EmbeddedServerException(
                "embedded-start", "the embedded Postgres on " + folder.data() + " did not stop");
    }

    /** Ends the server that a killed process left on this folder. The caller holds the folder's lock. */
    static void stopOrphan(DataFolder folder, PostgresPrograms programs) throws IOException {
        Optional<PidFile> pidFile = PidFile.read(folder.data());
        Optional<ProcessHandle> process = pidFile.flatMap(PidFile::process);
        if (process.isEmpty()) {
            return;
        }
        Optional<String> commandLine = process.get().info().commandLine();
        if (commandLine.isEmpty()) {
            throw new EmbeddedServerException(
                    "embedded-busy",
                    "process " + process.get().pid() + " may still serve " + folder.data() + ": end it first");
        }
        if (!commandLine.get().contains(folder.data().toString())) {
            // Someone else has that process id now; Postgres itself would take it for a living postmaster.
            Files.deleteIfExists(PidFile.path(folder.data()));
            return;
        }
        LOG.info(
                "stopping the Postgres that a killed walmerge left behind (process {})",
                process.get().pid());
        stop(folder, programs);
    }

    private static Outcome initdb(PostgresPrograms programs, Path fresh, String locale, boolean ephemeral)
            throws IOException {
        Folders.delete(fresh);
        List<String> arguments = new ArrayList<>(
                List.of("-D", fresh.toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=" + locale));
        if (ephemeral) {
            arguments.add("--no-sync");
        }
        return programs.run(START_SECONDS, "initdb", arguments);
    }

    /** TCP on the loopback address only: a socket in a shared folder would clash with other servers. */
    private static String options(int port) {
        return "-p " + port
                + " -c listen_addresses=" + HOST
                + " -c unix_socket_directories="
                + " -c wal_level=logical"
                + " -c fsync=on"
                + " -c synchronous_commit=on"
                + " -c max_wal_senders=20"
                + " -c max_replication_slots=20"
                + " -c lc_messages=C";
    }

    private static int freePort(int preferred) throws IOException {
        for (int port = preferred; port < preferred + PORTS_TRIED; port++) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port));
                return port;
            } catch (IOException e) {
                LOG.debug("port {} is taken", port);
            }
        }
        throw new EmbeddedServerException(
                "embedded-start",
                "no port between " + preferred + " and " + (preferred + PORTS_TRIED - 1) + " is free on " + HOST);
    }

    private static void shortenLog(Path log) throws IOException {
        if (Files.exists(log) && Files.size(log) > LOG_KEPT_BYTES) {
            Files.delete(log);
        }
    }

    private static String readFrom(Path log, long start) throws IOException {
        if (!Files.exists(log)) {
            return "";
        }
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(Math.max(start, file.length() - LOG_SHOWN_BYTES));
            byte[] bytes = new byte[(int) (file.length() - file.getFilePointer())];
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
