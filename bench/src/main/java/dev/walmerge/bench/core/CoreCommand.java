package dev.walmerge.bench.core;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ops/walmerge bench core}: the CRDT core alone, by JMH. */
@Command(
        name = "core",
        mixinStandardHelpOptions = true,
        description = "The CRDT core on recorded histories: apply, load, encode, text (JMH).")
public final class CoreCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "FILE",
            description = "histories (*.updates-v1.bin.gz, *.updates32-v1.bin.gz); default: those in bench/traces")
    private List<Path> files = new ArrayList<>();

    @Option(names = "--forks", defaultValue = "5", description = "JVMs per figure (default: ${DEFAULT-VALUE})")
    private int forks;

    @Option(names = "--only", paramLabel = "REGEX", defaultValue = ".*", description = "which of the figures")
    private String only;

    @Option(names = "--gc", description = "also what is allocated")
    private boolean gc;

    @Override
    public Integer call() throws Exception {
        if (files.isEmpty()) {
            Path traces = Path.of(System.getProperty("walmerge.home", "."), "bench", "traces");
            try (var found = Files.list(traces)) {
                files = found.filter(file -> file.toString().endsWith(".bin.gz"))
                        .sorted()
                        .toList();
            }
        }
        files.forEach(History::read); // a wrong one is an empty table otherwise
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("bench\\.core\\..*Benchmark\\." + only)
                .forks(forks)
                .param(
                        "file",
                        files.stream()
                                .map(file -> file.toAbsolutePath().toString())
                                .toArray(String[]::new));
        if (gc) {
            options.addProfiler("gc");
        }
        new Runner(options.build()).run();
        return 0;
    }
}
