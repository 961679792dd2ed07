package dev.walmerge.bench.soak;

import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.config.ConfigLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ops/walmerge soak}: whether anything is lost or doubled while everything is killed. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = "Inserts real updates into an embedded Postgres of its own while the sidecar and the server are"
                + " killed, stopped and cut off at random; then compares every document with what yjs gives, and accounts"
                + " for every op. Exit code 0: nothing lost, nothing doubled.")
public final class SoakCommand implements Callable<Integer> {
    private static final double MINUTES_MAX = 10_000;

    @Spec
    private CommandSpec spec;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "5", description = "(default: ${DEFAULT-VALUE})")
    private double minutes;

    @Option(names = "--seed", paramLabel = "S", description = "of documents and faults (default: another each time)")
    private Long seed;

    @Option(
            names = "--writers",
            paramLabel = "W",
            defaultValue = "3",
            description = "threads that write, of two connections each (default: ${DEFAULT-VALUE})")
    private int writers;

    @Option(
            names = "--documents",
            paramLabel = "D",
            defaultValue = "24",
            description = "written at the same time; as one is done, the next begins (default: ${DEFAULT-VALUE})")
    private int documents;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description = "ops a second, if the machine can (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--journal-above",
            paramLabel = "SIZE",
            defaultValue = "64KiB",
            description =
                    "of half of the sidecars: so little that the slot is told what only the journal has (default: ${DEFAULT-VALUE})")
    private String journalAbove;

    @Override
    public Integer call() throws Exception {
        if (!(minutes > 0 && minutes <= MINUTES_MAX) || writers < 1 || documents < writers || rate < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--minutes and --rate must be positive, --documents at least --writers");
        }
        Path state = ConfigLoader.load(Map.of(), System.getenv(), null).stateDirectory();
        SoakSettings settings = new SoakSettings(
                Duration.ofMillis((long) (minutes * Duration.ofMinutes(1).toMillis())),
                seed == null ? new Random().nextInt(1_000_000) : seed,
                writers,
                documents,
                rate,
                1,
                journalAbove);
        return new Soak(settings, state, System.out).run() ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }
}
