package dev.walmerge.sidecar.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one embedded server, locked for this process as long as this object is open:
 *
 * <pre>
 *   lock         locked by the process that uses the folder; holds its process id
 *   data/        the cluster
 *   server.log   what the server logs
 * </pre>
 *
 * The operating system drops the lock of a process that is killed. So whoever holds the lock and still finds a
 * postmaster on the data knows that it is an orphan.
 */
final class DataFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);
    private static final int EPHEMERAL_ATTEMPTS = 10;

    private final Path folder;
    private final boolean ephemeral;
    private final FileChannel channel;

    private DataFolder(Path folder, boolean ephemeral, FileChannel channel) {
        this.folder = folder;
        this.ephemeral = ephemeral;
        this.channel = channel;
    }

    /** Opens the folder that is kept from run to run. */
    static DataFolder kept(Path folder) throws IOException {
        Files.createDirectories(folder);
        return tryOpen(folder, false).orElseThrow(() -> busy(folder));
    }

    /** Opens a new folder that is deleted on close, and removes those that killed processes left behind. */
    static DataFolder ephemeral(Path parent, PostgresPrograms programs) throws IOException {
        Files.createDirectories(parent);
        sweep(parent, programs);
        for (int attempt = 0; attempt < EPHEMERAL_ATTEMPTS; attempt++) {
            // Between these two lines another process may take the new folder for one that was left behind.
            Path folder = Files.createTempDirectory(parent, "");
            Optional<DataFolder> opened = tryOpen(folder, true);
            if (opened.isPresent()) {
                return opened.get();
            }
        }
        throw new EmbeddedServerException("embedded-folder", "no new folder could be locked below " + parent);
    }

    Path data() {
        return folder.resolve("data");
    }

    Path log() {
        return folder.resolve("server.log");
    }

    Path folder() {
        return folder;
    }

    boolean isEphemeral() {
        return ephemeral;
    }

    /** Deletes the folder if it is an ephemeral one whose server has ended, then unlocks. */
    @Override
    public void close() {
        try (FileChannel closing = channel) {
            if (ephemeral && PidFile.read(data()).flatMap(PidFile::process).isEmpty()) {
                Folders.delete(folder);
            } else {
                closing.truncate(0);
            }
        } catch (IOException e) {
            LOG.warn("could not tidy {}: {}", folder, e.toString());
        }
    }

    private static void sweep(Path parent, PostgresPrograms programs) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, Files::isDirectory)) {
            for (Path folder : folders) {
                Optional<DataFolder> abandoned = tryOpen(folder, true);
                if (abandoned.isPresent()) {
                    remove(abandoned.get(), programs);
                }
            }
        }
    }

    private static void remove(DataFolder abandoned, PostgresPrograms programs) {
        try (abandoned) {
            Postmaster.stopOrphan(abandoned, programs);
        } catch (IOException | EmbeddedServerException e) {
            LOG.warn("could not remove {}: {}", abandoned.folder, e.getMessage());
        }
    }

    /** Empty when another process, or this one, holds the lock, or when the folder vanished meanwhile. */
    private static Optional<DataFolder> tryOpen(Path folder, boolean ephemeral) throws IOException {
        Path file = folder.resolve("lock");
        FileChannel channel;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            if (Files.isDirectory(folder)) {
                throw e;
            }
            return Optional.empty();
        }
        if (tryLock(channel) && Files.exists(file)) {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
            return Optional.of(new DataFolder(folder, ephemeral, channel));
        }
        channel.close();
        return Optional.empty();
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static EmbeddedServerException busy(Path folder) {
        String holder;
        try {
            holder = Files.readString(folder.resolve("lock")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String address = PidFile.read(folder.resolve("data"))
                .map(pidFile -> ", which serves port " + pidFile.port())
                .orElse("");
        return new EmbeddedServerException(
                "embedded-busy",
                "another walmerge (process " + (holder.isEmpty() ? "unknown" : holder) + ") uses " + folder + address
                        + ": stop it first, or use another server (demo --ephemeral, run --url)");
    }
}
