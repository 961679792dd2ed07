package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.measure.Machine;
import dev.walmerge.sidecar.ExitCode;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ops/walmerge bench large}: work that is large in one way or another, with a small heap. */
@Command(
        name = "large",
        mixinStandardHelpOptions = true,
        description = "Work that is large in one way or another, for a packaged sidecar with a small heap on a server"
                + " with wal_sender_timeout = 10s.")
public final class LargeCommand implements Callable<Integer> {
    @Option(
            names = "--only",
            arity = "1..*",
            paramLabel = "NAME",
            description = "of: ${COMPLETION-CANDIDATES} (default: all of them)")
    private List<Name> only = List.of(Name.values());

    @Option(names = "--heap", paramLabel = "MIB", defaultValue = "256", description = "default: ${DEFAULT-VALUE}")
    private int heapMegabytes;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "of the one transaction (default: ${DEFAULT-VALUE})")
    private int rows;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "of editing the large document, with each of two policies (default: ${DEFAULT-VALUE})")
    private int seconds;

    private final PrintStream out = System.out;

    /** The scenarios. */
    enum Name {
        transaction,
        backlog,
        payload,
        blocked,
        cold,
        edited
    }

    @Override
    public Integer call() throws Exception {
        Machine.describe().forEach((name, value) -> out.printf("%-9s %s%n", name, value));
        boolean faultless = true;
        for (Name name : only) {
            out.println(name);
            try (LargeStage stage = new LargeStage(out)) {
                run(name, stage);
                faultless &= stage.isFaultless();
            }
        }
        return faultless ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }

    private void run(Name name, LargeStage stage) throws Exception {
        switch (name) {
            case transaction -> LargeTransactions.run(stage, heapMegabytes, rows);
            case backlog -> MixedBacklog.run(stage, heapMegabytes);
            case payload -> HugePayloads.run(stage, heapMegabytes);
            case blocked -> BlockedWriteBack.run(stage, heapMegabytes);
            case cold -> ColdDocuments.run(stage);
            case edited -> EditedDocument.run(stage, heapMegabytes, seconds);
        }
    }
}
