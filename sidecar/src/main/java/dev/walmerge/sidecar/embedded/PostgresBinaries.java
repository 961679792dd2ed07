package dev.walmerge.sidecar.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/**
 * The Postgres programs of this platform, unpacked once a version into a folder named by the archive's sha256. Several
 * processes may unpack at the same time: the first to finish wins.
 */
final class PostgresBinaries {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresBinaries.class);
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int OWNER_EXECUTES = 0100;

    private PostgresBinaries() {}

    /** Returns the folder that holds {@code bin}, {@code lib} and {@code share}. */
    static Path unpack(Path stateFolder) {
        String archive = archiveName(System.getProperty("os.name"), System.getProperty("os.arch"));
        try {
            Path target =
                    stateFolder.resolve("binaries").resolve(sha256(archive).substring(0, 16));
            if (!Files.isDirectory(target)) {
                LOG.info("unpacking Postgres to {} (once)", target);
                unpack(archive, target);
            }
            return target;
        } catch (IOException e) {
            throw new EmbeddedServerException(
                    "embedded-folder", "can't unpack Postgres below " + stateFolder + ": " + e.getMessage(), e);
        }
    }

    /** The archive as its publisher names it, for example {@code postgres-darwin-arm_64.txz}. */
    static String archiveName(String osName, String osArch) {
        String system = osName.toLowerCase(Locale.ROOT);
        String os = system.startsWith("mac") ? "darwin" : system;
        String arch = switch (osArch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> osArch;
        };
        return "postgres-" + os + "-" + arch + ".txz";
    }

    private static void unpack(String archive, Path target) throws IOException {
        Files.createDirectories(target.getParent());
        Path fresh = Files.createTempDirectory(target.getParent(), "unpacking-");
        try {
            try (InputStream in = open(archive);
                    TarArchiveInputStream tar =
                            new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(in, BUFFER_BYTES)))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    write(tar, entry, fresh);
                }
            }
            Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Folders.delete(fresh);
            if (!Files.isDirectory(target)) {
                throw e;
            }
        }
    }

    private static void write(InputStream content, TarArchiveEntry entry, Path folder) throws IOException {
        Path path = folder.resolve(entry.getName()).normalize();
        if (!path.startsWith(folder)) {
            throw new IOException("an entry outside of the archive: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
            Files.createLink(path, folder.resolve(entry.getLinkName()).normalize());
        } else {
            Files.copy(content, path);
            if ((entry.getMode() & OWNER_EXECUTES) != 0) {
                Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(path));
                permissions.add(PosixFilePermission.OWNER_EXECUTE);
                Files.setPosixFilePermissions(path, permissions);
            }
        }
    }

    private static InputStream open(String archive) {
        InputStream in = PostgresBinaries.class.getResourceAsStream("/" + archive);
        if (in == null) {
            throw new EmbeddedServerException(
                    "embedded-platform",
                    "no embedded Postgres for this platform is on the class path (" + archive
                            + "): use a server of your own with --url");
        }
        return in;
    }

    private static String sha256(String archive) throws IOException {
        try (InputStream in = open(archive)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
