package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.Prose;
import dev.walmerge.bench.measure.Lsn;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.SharedText;
import dev.walmerge.crdt.UpdateFormat;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A large document under steady editing at random places: what its write-back costs in WAL, and what is left behind. */
final class EditedDocument {
    private static final int EDITS_PER_SECOND = 10;
    private static final int INITIAL_UPDATES = 250;
    private static final int INITIAL_PIECE = 20_000;
    private static final long PATIENCE_SECONDS = 120;
    private static final long EDITOR = 77;
    private static final String WHOLE = "select op_count from crdt.docs where doc = 'big1'";

    private final LargeStage stage;
    private final StringBuilder text = new StringBuilder();
    private final Doc doc = Doc.create(true);
    private final SharedText typed = doc.edit(EDITOR).text("text");
    private final SplittableRandom random = new SplittableRandom(28);
    private long ops = INITIAL_UPDATES;

    private EditedDocument(LargeStage stage) throws Exception {
        this.stage = stage;
        List<byte[]> updates = new ArrayList<>();
        for (int i = 0; i < INITIAL_UPDATES; i++) {
            String piece = Prose.write(INITIAL_PIECE, i);
            typed.insert(text.length(), piece);
            text.append(piece);
            updates.add(doc.drainChanges(UpdateFormat.V1));
        }
        Load.write(stage.connection(), "big", 1, updates, INITIAL_UPDATES);
    }

    static void run(LargeStage stage, int heapMegabytes, int seconds) throws Exception {
        try (PackagedSidecar sidecar = stage.sidecar(heapMegabytes)) {
            // First: what a write took of a smaller budget would still be in the way.
            stage.execute("select crdt.alter_collection(staleness_max => '1 hour', wal_budget => 1000000)");
            EditedDocument document = new EditedDocument(stage);
            document.visible(sidecar);
            document.edit(sidecar, "1 MB/s, at most 1 h late", seconds);
            stage.execute("select crdt.alter_collection(staleness_max => '10 s', wal_budget => 40000)");
            document.edit(sidecar, "the default policy (40 kB/s, at most 10 s late)", seconds);
            stage.requireQuiet(sidecar);
            stage.say("heap after a collection: at most %d MiB of %d", sidecar.peakMegabytes(), heapMegabytes);
        }
    }

    private void edit(PackagedSidecar sidecar, String policy, int seconds) throws Exception {
        stage.execute("checkpoint");
        long version = stage.number("select version from crdt.docs");
        long lsn = Lsn.current(stage.connection());
        long begun = System.nanoTime();
        long late = 0;
        try (PreparedStatement insert =
                stage.connection().prepareStatement("insert into crdt.ops (doc, update) values ('big1', ?)")) {
            for (int i = 0; i < seconds * EDITS_PER_SECOND; i++) {
                long turn = begun + i * TimeUnit.SECONDS.toNanos(1) / EDITS_PER_SECOND;
                LockSupport.parkNanos(turn - System.nanoTime());
                insert.setBytes(1, insertSomewhere());
                insert.executeUpdate();
                late = Math.max(late, System.nanoTime() - turn);
            }
        }
        double took = (System.nanoTime() - begun) / 1e9;
        long wal = Lsn.current(stage.connection()) - lsn;
        long writes = stage.number("select version from crdt.docs") - version;
        String bound = stage.text("select staleness_bound from crdt.docs");
        visible(sidecar);
        stage.say(
                "%s: %.0f s, %,d B/s of WAL, %d writes of about %,d B, bound %s, ops inserted at most %d ms late",
                policy, took, (long) (wal / took), writes, wal / Math.max(1, writes), bound, late / 1_000_000);
        for (String table : new String[] {"docs", "ydoc", "tail"}) {
            stage.say(
                    "  crdt.%s: %,d B on the disk, %,d B of values",
                    table,
                    stage.number("select pg_total_relation_size('crdt." + table + "')"),
                    stage.number("select coalesce(sum(pg_column_size(t)), 0) from crdt." + table + " t"));
        }
    }

    private byte[] insertSomewhere() {
        int at = random.nextInt(text.length());
        text.insert(at, 'x');
        typed.insert(at, "x");
        ops++;
        return doc.drainChanges(UpdateFormat.V1);
    }

    private void visible(PackagedSidecar sidecar) throws Exception {
        stage.execute("call crdt.sync('60 s')");
        stage.await("all edits", PATIENCE_SECONDS, sidecar, () -> stage.number(WHOLE) == ops);
        stage.require(text.toString().equals(stage.text("select body_text from crdt.docs")), "the text of all edits");
    }
}
