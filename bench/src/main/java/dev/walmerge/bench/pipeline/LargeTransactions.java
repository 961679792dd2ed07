package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.KeystrokeUpdates;
import java.util.List;

/** One transaction of many rows: as it is, with parts that a savepoint takes back, and taken back as a whole. */
final class LargeTransactions {
    private static final int PAYLOAD_BYTES = 40;
    private static final int DOCUMENTS = 1_000;
    private static final long PATIENCE_SECONDS = 600;

    /** A round of ops to each document; before each, a subtransaction whose ops are taken back. */
    private static final String WITH_SAVEPOINTS = """
            do $$
            declare
              updates constant bytea[] := array(select u.payload from bench_update u order by u.seq);
            begin
              for seq in 1..cardinality(updates) loop
                begin
                  insert into crdt.ops (doc, update) select 's' || d, updates[seq] from generate_series(1, %1$d) d;
                  raise exception using errcode = 'WB001';
                exception when sqlstate 'WB001' then
                  null;
                end;
                begin
                  insert into crdt.ops (doc, update) select 's' || d, updates[seq] from generate_series(1, %1$d) d;
                exception when sqlstate 'WB001' then
                  null;
                end;
              end loop;
            end $$""";

    private static final String TAKEN_BACK = """
            do $$
            declare
              updates constant bytea[] := array(select u.payload from bench_update u order by u.seq);
            begin
              for seq in 1..cardinality(updates) loop
                insert into crdt.ops (doc, update) select 'gone' || d, updates[seq] from generate_series(1, %1$d) d;
              end loop;
            end $$""";

    private LargeTransactions() {}

    static void run(LargeStage stage, int heapMegabytes, int rows) throws Exception {
        List<byte[]> updates = KeystrokeUpdates.ofSize(PAYLOAD_BYTES, rows / DOCUMENTS);
        try (PackagedSidecar sidecar = stage.sidecar(heapMegabytes)) {
            Load.write(stage.connection(), "p", DOCUMENTS, updates, rows);
            written(stage, sidecar, "as it is", "p", rows);
            stage.requireWhole("p", DOCUMENTS, updates);

            Load.updates(stage.connection(), updates);
            stage.execute(WITH_SAVEPOINTS.formatted(DOCUMENTS));
            written(stage, sidecar, "half of it taken back by savepoints", "s", rows);
            stage.requireWhole("s", DOCUMENTS, updates);

            stage.connection().setAutoCommit(false);
            stage.execute(TAKEN_BACK.formatted(DOCUMENTS));
            stage.connection().rollback();
            stage.connection().setAutoCommit(true);
            long begun = System.nanoTime();
            stage.execute("call crdt.sync('10 minutes')");
            stage.say("taken back as a whole: passed after %.1f s", (System.nanoTime() - begun) / 1e9);
            stage.require(stage.number("select count(*) from crdt.docs where doc like 'gone%'") == 0, "nothing of it");
            stage.execute("drop table bench_update");
            stage.requireQuiet(sidecar);
            stage.say("heap after a collection: at most %d MiB of %d", sidecar.peakMegabytes(), heapMegabytes);
        }
    }

    private static void written(LargeStage stage, PackagedSidecar sidecar, String name, String prefix, int rows)
            throws Exception {
        long begun = System.nanoTime();
        String all = "select coalesce(sum(op_count), 0) from crdt.docs where doc like '" + prefix + "%'";
        stage.await(name, PATIENCE_SECONDS, sidecar, () -> stage.number(all) >= rows);
        double seconds = (System.nanoTime() - begun) / 1e9;
        stage.say("%s: all written %.1f s after the commit, %,.0f rows/s", name, seconds, rows / seconds);
    }
}
