package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.KeystrokeUpdates;
import java.sql.SQLException;
import java.util.List;

/** Payloads that are too large: refused at the INSERT, refused by the sidecar, and beyond its heap. */
final class HugePayloads {
    private static final int MEBIBYTES_MAX = 32;
    private static final int MEBIBYTES_HUGE = 300;
    private static final long PATIENCE_SECONDS = 120;
    private static final int ROOMY_HEAP_MEGABYTES = 3_000;
    private static final int OPERATOR_EXIT = 3;

    /** Zeros: no update of any format. */
    private static final String INSERT =
            "insert into crdt.ops (doc, update) select 'huge', string_agg(mib, ''::bytea) from bench_mib, generate_series(1, %d)";

    private final LargeStage stage;
    private final List<byte[]> updates = KeystrokeUpdates.ofSize(40, 100);
    private int typed;

    private HugePayloads(LargeStage stage) {
        this.stage = stage;
    }

    static void run(LargeStage stage, int heapMegabytes) throws Exception {
        stage.execute("create table bench_mib as select decode(repeat('00', 1024 * 1024), 'hex') as mib");
        new HugePayloads(stage).run(heapMegabytes);
    }

    private void run(int heapMegabytes) throws Exception {
        try (PackagedSidecar sidecar = stage.sidecar(heapMegabytes)) {
            stage.require(refused(), "an INSERT of " + MEBIBYTES_HUGE + " MiB fails by ops_too_large");
            type(sidecar);
            stage.execute(INSERT.formatted(MEBIBYTES_MAX));
            type(sidecar);
            stage.require(letters().equals("update-too-large"), "a dead letter of " + MEBIBYTES_MAX + " MiB");
            stage.requireQuiet(sidecar);
            stage.say("%d MiB: refused by the sidecar, heap at most %d MiB", MEBIBYTES_MAX, sidecar.peakMegabytes());

            stage.execute("select crdt.alter_payload_max(400 * 1024 * 1024)");
            stage.execute(INSERT.formatted(MEBIBYTES_HUGE));
            long begun = System.nanoTime();
            boolean ended = stage.await("its end", PATIENCE_SECONDS, sidecar, () -> !sidecar.isAlive());
            stage.require(ended && sidecar.exitCode() == OPERATOR_EXIT, "it asks for an operator");
            stage.say(
                    "%d MiB: it ended after %.1f s with%n%s",
                    MEBIBYTES_HUGE, (System.nanoTime() - begun) / 1e9, sidecar.log());
        }
        try (PackagedSidecar sidecar = stage.sidecar(ROOMY_HEAP_MEGABYTES)) {
            type(sidecar);
            stage.require(
                    letters().equals("update-too-large,update-too-large"), "with more heap, one more dead letter");
            stage.say("with %d MiB of heap: refused by the sidecar", ROOMY_HEAP_MEGABYTES);
        }
        stage.requireWhole("other", 1, updates.subList(0, typed));
    }

    private boolean refused() {
        try {
            stage.execute(INSERT.formatted(MEBIBYTES_HUGE));
            return false;
        } catch (SQLException e) {
            return e.getSQLState().equals("23514") && e.getMessage().contains("ops_too_large");
        }
    }

    private String letters() throws SQLException {
        return stage.text("select string_agg(rule, ',') from crdt.dead_letter");
    }

    /** Another document goes on. */
    private void type(PackagedSidecar sidecar) throws Exception {
        try (var insert =
                stage.connection().prepareStatement("insert into crdt.ops (doc, update) values ('other', ?)")) {
            insert.setBytes(1, updates.get(typed++));
            insert.executeUpdate();
        }
        long begun = System.nanoTime();
        String visible = "select op_count from crdt.docs where doc = 'other'";
        stage.await("another document", PATIENCE_SECONDS, sidecar, () -> stage.number(visible) == typed);
        stage.say("another document: visible after %.1f s", (System.nanoTime() - begun) / 1e9);
    }
}
