package dev.walmerge.bench.pipeline;

import dev.walmerge.sidecar.embedded.EmbeddedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** {@code pg_recvlogical} with its output thrown away: as fast as the server can be read at all. */
final class RawReader {
    private static final long PATIENCE_MINUTES = 30;

    private RawReader() {}

    static boolean isThere() {
        try {
            Process process = new ProcessBuilder("pg_recvlogical", "--version")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Reads a slot up to a position and returns how long that took, in nanoseconds. */
    static long drain(EmbeddedServer server, String slot, String endLsn) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                "pg_recvlogical",
                "--dbname=" + server.connectionUri(),
                "--slot=" + slot,
                "--start",
                "--no-loop",
                "--endpos=" + endLsn,
                "--option=proto_version=1",
                "--option=publication_names=walmerge",
                "--option=binary=true",
                "--option=messages=true",
                "--file=" + Path.of("/dev/null"));
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        long begun = System.nanoTime();
        Process process = builder.start();
        if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroy();
            throw new IOException("pg_recvlogical did not read the slot to its end");
        }
        return System.nanoTime() - begun;
    }
}
