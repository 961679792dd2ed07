package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.KeystrokeUpdates;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Nothing can be written for a while, and more comes than memory and journal may take. */
final class BlockedWriteBack {
    private static final int DOCUMENTS = 400;
    private static final int OPS = 1_500;
    private static final int UPDATE_BYTES = 120;
    private static final int ROWS_PER_TRANSACTION = 10;
    private static final long PATIENCE_SECONDS = 300;
    /** Longer than the server's patience with a reader from which it hears nothing. */
    private static final long BLOCKED_SECONDS = 20;

    private BlockedWriteBack() {}

    static void run(LargeStage stage, int heapMegabytes) throws Exception {
        List<byte[]> updates = KeystrokeUpdates.ofSize(UPDATE_BYTES, OPS);
        try (PackagedSidecar sidecar =
                stage.sidecar(heapMegabytes, "--journal-max", "16MiB", "--memory", heapMegabytes / 4 + "MiB")) {
            try (Connection blocker = DriverManager.getConnection(stage.url());
                    Statement statement = blocker.createStatement()) {
                blocker.setAutoCommit(false);
                statement.execute("select from crdt.progress for update");
                Load.write(stage.connection(), "d", DOCUMENTS, updates, ROWS_PER_TRANSACTION);
                stage.await(
                        "a full journal",
                        PATIENCE_SECONDS,
                        sidecar,
                        () -> sidecar.log().contains("journal: journal-full"));
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BLOCKED_SECONDS);
                stage.await("the end of the block", PATIENCE_SECONDS, sidecar, () -> System.nanoTime() - end > 0);
                stage.require(
                        stage.text("select string_agg(active::text, '') from pg_replication_slots")
                                .equals("true"),
                        "the slot is still read by the same session");
                blocker.rollback();
            }
            long begun = System.nanoTime();
            stage.await(
                    "everything",
                    PATIENCE_SECONDS,
                    sidecar,
                    () -> stage.number("select coalesce(sum(op_count), 0) from crdt.docs") >= (long) DOCUMENTS * OPS);
            stage.say(
                    "%,d rows: all written %.1f s after the block", DOCUMENTS * OPS, (System.nanoTime() - begun) / 1e9);
            stage.requireWhole("d", DOCUMENTS, updates);
            stage.require(!sidecar.log().contains("trying again"), "one session all the time");
            stage.require(stage.number("select count(*) from crdt.held") == 0, "nothing is held");
            stage.say("heap after a collection: at most %d MiB of %d", sidecar.peakMegabytes(), heapMegabytes);
            sidecar.log().lines().forEach(line -> stage.say("%s", line));
        }
    }
}
