package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.KeystrokeUpdates;
import dev.walmerge.engine.EngineStats;
import dev.walmerge.sidecar.Sidecar;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Many more documents than fit into memory, edited in turn: each edit finds its document evicted. */
final class ColdDocuments {
    private static final int DOCUMENTS = 10_000;
    private static final int OPS = 10;
    private static final int UPDATE_BYTES = 520;
    private static final int ROWS_PER_TRANSACTION = 100;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long BUDGET_BYTES = 16L << 20;

    private ColdDocuments() {}

    static void run(LargeStage stage) throws Exception {
        List<byte[]> updates = KeystrokeUpdates.ofSize(UPDATE_BYTES, OPS);
        long all = (long) DOCUMENTS * OPS;
        // In this process, so that it can be asked what it holds.
        try (Sidecar sidecar = Sidecar.start(ConfigLoader.load(
                Map.of(
                        Setting.URL,
                        stage.url(),
                        Setting.STATE_DIRECTORY,
                        stage.folder().toString(),
                        Setting.MEMORY,
                        Long.toString(BUDGET_BYTES)),
                Map.of(),
                null))) {
            Load.write(stage.connection(), "d", DOCUMENTS, updates, ROWS_PER_TRANSACTION);
            long begun = System.nanoTime();
            long most = 0;
            long merged = 0;
            while (merged < all && System.nanoTime() - begun < PATIENCE_NANOS) {
                EngineStats stats = sidecar.stats();
                most = Math.max(most, stats == null ? 0 : stats.residentBytes());
                merged = stats == null ? 0 : stats.merged();
                LockSupport.parkNanos(LOOK_NANOS);
            }
            stage.execute("call crdt.sync('5 minutes')");
            double seconds = (System.nanoTime() - begun) / 1e9;
            stage.requireWhole("d", DOCUMENTS, updates);
            EngineStats stats = sidecar.stats();
            stage.say("%,d ops: all written %.1f s after the last commit, %,.0f/s", all, seconds, all / seconds);
            stage.say(
                    "resident: at most %,d bytes of %,d, %,d documents at the end; %,d flushes",
                    most, BUDGET_BYTES, stats.residentDocuments(), stats.flushes());
            // A moment's excess is one document's.
            stage.require(most <= BUDGET_BYTES + (1 << 20), "resident bytes within the budget");
        }
    }
}
