package dev.walmerge.sidecar.pipeline;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.sidecar.replication.Backfill;
import dev.walmerge.sidecar.replication.ReplicationException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/** Turns rows that a slot's snapshot sees into ops, ahead of everything that the slot sends. On the reader thread. */
public final class BackfillPipeline {
    /** Shards write only between transactions: in one piece, a large table would have to fit into memory. */
    private static final int ROWS_PER_TRANSACTION = 10_000;

    private final OpSink sink;
    private final Pacing pacing;
    private long rows;

    public BackfillPipeline(OpSink sink, Pacing pacing) {
        this.sink = sink;
        this.pacing = pacing;
    }

    /**
     * Reads all rows; {@code consistentPointLsn} is written once the last of them is. Returns whether all of them were handed
     * over.
     */
    public boolean run(Backfill backfill, long consistentPointLsn) throws ReplicationException {
        try {
            begin(consistentPointLsn);
            // Rows of a document that the snapshot sees came after it was revived: those before were deleted with that.
            backfill.readCommands(true, this::command);
            backfill.read((id, doc, update, format, op, role) -> {
                pacing.awaitRoom(sink);
                sink.op(new Op(OpPipeline.DEFAULT_COLLECTION, doc, format, update, op, role, id));
                Failpoint.INSIDE_BACKFILL.reach();
                rows++;
                if (rows % ROWS_PER_TRANSACTION == 0) {
                    // Not a position yet: nothing is written up to anywhere before the last row is.
                    sink.commit(0);
                    begin(consistentPointLsn);
                }
            });
            // The slot sends only those that come from now on.
            backfill.readCommands(false, this::command);
            // The rows may end where a transaction did, or there may be none: only a barrier is sure to be persisted,
            // and
            // who waits for a position from before the slot waits for that.
            sink.barrier(null);
            sink.commit(consistentPointLsn);
            Failpoint.AFTER_BACKFILL.reach();
            return true;
        } catch (CancellationException e) {
            // The transaction stays open, and the watermark where it was.
            return false;
        }
    }

    private void command(
            long id, String name, String collection, String doc, Long deadLetter, String rule, String format) {
        sink.command(
                new Command(id, name, collection, doc, deadLetter == null ? Command.NONE : deadLetter, rule, format));
    }

    private void begin(long consistentPointLsn) {
        // As of every commit, its record starts before it ends: a replay must know that it is written once that is.
        sink.begin(consistentPointLsn - 1, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }
}
