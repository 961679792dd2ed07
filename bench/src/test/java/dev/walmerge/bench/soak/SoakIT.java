package dev.walmerge.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The soak, short: {@code ops/walmerge soak} is the long one. */
final class SoakIT {
    private static final Duration DURATION = Duration.ofSeconds(Long.getLong("walmerge.soak.seconds", 40));
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);

    private static final int BLOWS = 6;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path state;

    @Test
    void killsOfSidecarAndServerLoseAndDoubleNothing() throws Exception {
        System.out.println("SoakIT: -Dwalmerge.seed=" + SEED);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        boolean good;
        try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            good = new Soak(new SoakSettings(DURATION, SEED, 2, 12, 600, BLOWS, "64KiB"), state, out).run();
        }
        String report = said.toString(StandardCharsets.UTF_8);
        System.out.print(report);
        assertThat(good).as(report).isTrue();
        assertThat(report).contains("lost 0, doubled 0; 0 documents differ");
    }
}
