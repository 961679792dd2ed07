package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ops/walmerge bench memory}: what documents in memory cost, measured as heap in use after a collection. */
@Command(
        name = "memory",
        mixinStandardHelpOptions = true,
        description = "Heap of one loaded history, open and resting, and of many small documents.")
public final class MemoryCommand implements Callable<Integer> {
    /** One large document is measured as this many of it: the heap's figures are coarse. */
    private static final int COPIES = 50;

    private static final int PREFIX_STEP = 100;

    @Parameters(paramLabel = "FILE", description = "a history, as for the core's benchmark")
    private Path file;

    @Option(names = "--documents", defaultValue = "10000", description = "small ones (default: ${DEFAULT-VALUE})")
    private int documents;

    @Option(
            names = "--characters",
            defaultValue = "5000",
            description = "of a small one: the history up to there (default: ${DEFAULT-VALUE})")
    private int characters;

    @Override
    public Integer call() throws MalformedUpdateException {
        List<byte[]> updates = History.read(file);
        measure("the whole history", History.replay(updates), COPIES);
        measure("a small document", prefix(updates), documents);
        return 0;
    }

    private Doc prefix(List<byte[]> updates) throws MalformedUpdateException {
        Doc doc = Doc.create(true);
        for (int i = 0; i < updates.size(); i++) {
            doc.apply(UpdateFormat.V1, updates.get(i), 0, updates.get(i).length);
            if (i % PREFIX_STEP == 0 && Projection.bodyText(doc, null).length() >= characters) {
                break;
            }
        }
        return doc;
    }

    private static void measure(String what, Doc original, int copies) throws MalformedUpdateException {
        byte[] state = original.encodeState(UpdateFormat.V2);
        System.out.printf(
                Locale.ROOT,
                "%s: %,d characters, %,d structs, state %,d bytes (V2)%n",
                what,
                Projection.bodyText(original, null).length(),
                original.structCount(),
                state.length);
        long before = heap();
        Doc[] docs = new Doc[copies];
        for (int i = 0; i < copies; i++) {
            docs[i] = Doc.create(true);
            docs[i].apply(UpdateFormat.V2, state, 0, state.length);
            Projection.bodyText(docs[i], null);
            docs[i].discardChanges();
        }
        print("open", docs, heap() - before);
        for (Doc doc : docs) {
            if (!doc.rest()) {
                throw new IllegalStateException("it does not rest");
            }
        }
        print("resting", docs, heap() - before);
    }

    private static void print(String form, Doc[] docs, long heap) {
        System.out.printf(
                Locale.ROOT,
                "  %-8s %,9d bytes each (estimated: %,d), %,d of them %.1f MB%n",
                form,
                heap / docs.length,
                docs[0].residentBytes(),
                docs.length,
                heap / 1e6);
    }

    private static long heap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }
}
