package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.KeystrokeUpdates;
import java.util.List;

/** What came while no sidecar ran: many small documents, some middling, a few large. */
final class MixedBacklog {
    private static final long PATIENCE_SECONDS = 600;
    private static final int ROWS_PER_TRANSACTION = 10;

    private record Kind(String prefix, int documents, int ops, int updateBytes) {
        List<byte[]> updates() {
            return KeystrokeUpdates.ofSize(updateBytes, ops);
        }
    }

    /** 140,000 rows; texts of 4 kB, 95 kB and 2 MB. */
    private static final List<Kind> KINDS = List.of(
            new Kind("small", 600, 200, 40), new Kind("middling", 100, 190, 500), new Kind("large", 10, 100, 20_000));

    private MixedBacklog() {}

    static void run(LargeStage stage, int heapMegabytes) throws Exception {
        stage.sidecar(heapMegabytes).close();
        long rows = 0;
        for (Kind kind : KINDS) {
            Load.write(stage.connection(), kind.prefix, kind.documents, kind.updates(), ROWS_PER_TRANSACTION);
            rows += (long) kind.documents * kind.ops;
        }
        long all = rows;
        long begun = System.nanoTime();
        try (PackagedSidecar sidecar = stage.sidecar(heapMegabytes)) {
            stage.await(
                    "a backlog of " + all + " rows",
                    PATIENCE_SECONDS,
                    sidecar,
                    () -> stage.number("select coalesce(sum(op_count), 0) from crdt.docs") >= all);
            double seconds = (System.nanoTime() - begun) / 1e9;
            for (Kind kind : KINDS) {
                stage.requireWhole(kind.prefix, kind.documents, kind.updates());
            }
            stage.requireQuiet(sidecar);
            stage.say("%,d rows: all written %.1f s after the start, %,.0f rows/s", all, seconds, all / seconds);
            stage.say("heap after a collection: at most %d MiB of %d", sidecar.peakMegabytes(), heapMegabytes);
        }
    }
}
