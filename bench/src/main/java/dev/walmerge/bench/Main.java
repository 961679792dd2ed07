package dev.walmerge.bench;

import dev.walmerge.bench.core.CoreCommand;
import dev.walmerge.bench.core.FirstCallCommand;
import dev.walmerge.bench.core.MemoryCommand;
import dev.walmerge.bench.core.ScaleCommand;
import dev.walmerge.bench.demo.DemoCommand;
import dev.walmerge.bench.keystroke.KeystrokeCommand;
import dev.walmerge.bench.peers.PeersCommand;
import dev.walmerge.bench.pipeline.DrainCommand;
import dev.walmerge.bench.pipeline.FreshnessCommand;
import dev.walmerge.bench.pipeline.LargeCommand;
import dev.walmerge.bench.pipeline.RestartCommand;
import dev.walmerge.bench.soak.SoakCommand;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.OperatingErrors;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.embedded.EmbeddedServerException;
import dev.walmerge.sidecar.migrate.MigrationException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands {@code demo}, {@code soak} and {@code bench NAME} of {@code ops/walmerge}. */
@Command(
        name = "walmerge",
        mixinStandardHelpOptions = true,
        subcommands = {DemoCommand.class, SoakCommand.class, Main.Bench.class})
public final class Main {
    private Main() {}

    /** The named scenarios. */
    @Command(
            name = "bench",
            mixinStandardHelpOptions = true,
            description = "Runs a named scenario.",
            subcommands = {
                KeystrokeCommand.class,
                CoreCommand.class,
                DrainCommand.class,
                FirstCallCommand.class,
                FreshnessCommand.class,
                LargeCommand.class,
                MemoryCommand.class,
                PeersCommand.class,
                RestartCommand.class,
                ScaleCommand.class
            })
    static final class Bench {}

    public static void main(String[] arguments) {
        System.setProperty(
                "logback.configurationFile",
                System.getProperty("logback.configurationFile", "dev/walmerge/bench/logback.xml"));
        System.exit(new CommandLine(new Main())
                .setExecutionExceptionHandler((e, command, parsed) -> report(e))
                .execute(arguments));
    }

    private static int report(Exception failure) {
        if (failure instanceof ConfigException) {
            System.err.println(failure.getMessage());
            return ExitCode.USAGE;
        }
        if (failure instanceof EmbeddedServerException known) {
            System.err.println(known.report());
            return ExitCode.OPERATOR;
        }
        if (failure instanceof MigrationException known) {
            return report(OperatingErrors.of(known));
        }
        if (failure instanceof SQLException known) {
            return report(OperatingErrors.of(known));
        }
        if (failure instanceof OperatingException known) {
            System.err.println(known.report());
            return known.exitCode();
        }
        if (failure instanceof UncheckedIOException || failure instanceof RunnerException) {
            System.err.println(failure.getMessage());
            return ExitCode.USAGE;
        }
        failure.printStackTrace();
        return ExitCode.FATAL;
    }
}
