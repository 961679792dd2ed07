package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.UpdateFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ops/walmerge bench first-call}: what the first document costs a process that has just started. */
@Command(
        name = "first-call",
        mixinStandardHelpOptions = true,
        description = "Load of a full state and its text, the first call of a fresh process.")
public final class FirstCallCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "a history, as for the core's benchmark")
    private Path file;

    @Option(names = "--processes", defaultValue = "5", description = "per format (default: ${DEFAULT-VALUE})")
    private int processes;

    @Option(names = "--java-option", paramLabel = "OPTION", description = "passed to each process; may be repeated")
    private List<String> javaOptions = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Doc doc = History.replay(History.read(file));
        for (UpdateFormat format : UpdateFormat.values()) {
            Path state = Files.createTempFile("walmerge", ".state");
            try {
                Files.write(state, doc.encodeState(format));
                double[] millis = new double[processes];
                for (int i = 0; i < processes; i++) {
                    millis[i] = run(format, state);
                }
                Arrays.sort(millis);
                System.out.printf(
                        Locale.ROOT,
                        "%s: median %.1f ms of %d processes (%.1f to %.1f)%n",
                        format,
                        millis[processes / 2],
                        processes,
                        millis[0],
                        millis[processes - 1]);
            } finally {
                Files.delete(state);
            }
        }
        return 0;
    }

    private double run(UpdateFormat format, Path state) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FirstCall.class.getName()));
        command.addAll(List.of(format.name(), state.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("a process failed");
        }
        return Long.parseLong(answer.substring(0, answer.indexOf(' '))) / 1e3;
    }
}
