package dev.walmerge.sidecar.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a running postmaster says about itself in {@code postmaster.pid}.
 *
 * @param pid its process id
 * @param port the port it listens on, 0 when it has not said so yet
 * @see <a href="https://www.postgresql.org/docs/17/storage-file-layout.html">Database file layout</a>
 */
record PidFile(long pid, int port) {
    private static final int PORT_LINE = 3;

    /** Empty when there is no such file, or none that can be read. */
    static Optional<PidFile> read(Path data) {
        try {
            List<String> lines = Files.readAllLines(path(data), StandardCharsets.UTF_8);
            if (lines.isEmpty()) {
                return Optional.empty();
            }
            int port = lines.size() > PORT_LINE
                    ? Integer.parseInt(lines.get(PORT_LINE).strip())
                    : 0;
            return Optional.of(new PidFile(Long.parseLong(lines.get(0).strip()), port));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    static Path path(Path data) {
        return data.resolve("postmaster.pid");
    }

    Optional<ProcessHandle> process() {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    }
}
