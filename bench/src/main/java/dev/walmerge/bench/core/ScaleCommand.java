package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.UpdateFormat;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ops/walmerge bench scale}: whether an edit costs the same in a small document and in a large one. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = "Nanoseconds to apply one edit, by the size of the document and the number of its clients.")
public final class ScaleCommand implements Callable<Integer> {
    private static final int PIECE = 50;
    private static final long SEED = 1;

    /** Edits that are timed in a row: few enough that they don't change the size much, but enough to be timed. */
    private static final int FEWEST = 200;

    private static final int MOST = 20_000;

    /** Time of the processor, so that other programs don't count. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--size",
            split = ",",
            defaultValue = "1000,100000,1000000,10000000",
            description = "characters (default: ${DEFAULT-VALUE})")
    private int[] sizes;

    @Option(names = "--clients", split = ",", defaultValue = "1,10,1000", description = "default: ${DEFAULT-VALUE}")
    private int[] clients;

    @Option(
            names = "--edits",
            defaultValue = "100000",
            description = "how many of each kind are timed (default: ${DEFAULT-VALUE})")
    private int edits;

    @Override
    public Integer call() throws MalformedUpdateException {
        if (Arrays.stream(sizes).anyMatch(size -> size < 100)
                || Arrays.stream(clients).anyMatch(count -> count < 1)) {
            throw new ParameterException(spec.commandLine(), "--size is 100 or more, --clients 1 or more");
        }
        measure(100_000, 10);
        System.out.println("characters  clients  structs  typed ns  inserted ns  deleted ns  bare row ns");
        for (int size : sizes) {
            for (int count : clients) {
                System.out.println(measure(size, count));
            }
        }
        return 0;
    }

    private String measure(int size, int count) throws MalformedUpdateException {
        int burst = Math.max(FEWEST, Math.min(MOST, size / 20));
        int rounds = Math.max(3, edits / burst);
        List<long[]> nanos = new ArrayList<>();
        int structs = 0;
        for (int round = 0; round < rounds; round++) {
            ScaleEdits made = new ScaleEdits(count, SEED + round);
            Doc doc = Doc.create(true);
            apply(doc, made.build(size, PIECE));
            structs = doc.structCount();
            doc.discardChanges();
            nanos.add(new long[] {
                time(doc, burst, made::type), time(doc, burst, made::insert), time(doc, burst, made::delete)
            });
            if (doc.hasPending()) {
                throw new IllegalStateException("an edit waits");
            }
        }
        return String.format(
                Locale.ROOT,
                "%10d  %7d  %7d  %8d  %11d  %10d  %11d",
                size,
                count,
                structs,
                median(nanos, 0),
                median(nanos, 1),
                median(nanos, 2),
                RandomRows.nanos(structs));
    }

    private static long time(Doc doc, int burst, Supplier<byte[]> edit) throws MalformedUpdateException {
        List<byte[]> updates = new ArrayList<>(burst);
        for (int i = 0; i < burst; i++) {
            updates.add(edit.get());
        }
        long start = THREADS.getCurrentThreadCpuTime();
        apply(doc, updates);
        return (THREADS.getCurrentThreadCpuTime() - start) / burst;
    }

    private static void apply(Doc doc, List<byte[]> updates) throws MalformedUpdateException {
        for (byte[] update : updates) {
            doc.apply(UpdateFormat.V1, update, 0, update.length);
        }
    }

    private static long median(List<long[]> rounds, int column) {
        long[] values = rounds.stream().mapToLong(round -> round[column]).toArray();
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
