package dev.walmerge.sidecar.pipeline;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.sidecar.replication.Backfill;
import dev.walmerge.sidecar.replication.ReplicationException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Turns rows that a slot's snapshot sees into ops, ahead of everything that the slot sends. On the reader thread. */
public final class BackfillPipeline {
    /** Shards write only between transactions: in one piece, a large table would have to fit into memory. */
    private static final int ROWS_PER_TRANSACTION = 10_000;

    private static final int ROWS_PER_KEEP_ALIVE = 256;
    private static final long NO_ROOM_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final OpSink sink;
    private final KeepAlive keepAlive;
    private final BooleanSupplier stopping;
    private long rows;

    /** Lets the server hear from us while no stream is read. */
    @FunctionalInterface
    public interface KeepAlive {
        void run() throws ReplicationException;
    }

    /** {@code stopping} gives the rest up; what came of it will be read again. */
    public BackfillPipeline(OpSink sink, KeepAlive keepAlive, BooleanSupplier stopping) {
        this.sink = sink;
        this.keepAlive = keepAlive;
        this.stopping = stopping;
    }

    /** Reads all rows; {@code consistentPointLsn} is written once the last of them is. */
    public void run(Backfill backfill, long consistentPointLsn) throws ReplicationException {
        try {
            begin(consistentPointLsn);
            backfill.read((id, doc, update, format, op, role) -> {
                awaitRoom();
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
            backfill.readCommands((id, name, collection, doc, deadLetter, rule, format) -> sink.command(new Command(
                    id, name, collection, doc, deadLetter == null ? Command.NONE : deadLetter, rule, format)));
            // The rows may end where a transaction did, or there may be none: only a barrier is sure to be persisted,
            // and
            // who waits for a position from before the slot waits for that.
            sink.barrier(null);
            sink.commit(consistentPointLsn);
            Failpoint.AFTER_BACKFILL.reach();
        } catch (CancellationException e) {
            // The transaction stays open, and the watermark where it was.
        }
    }

    private void begin(long consistentPointLsn) {
        sink.begin(consistentPointLsn, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    private void awaitRoom() throws ReplicationException {
        if (rows % ROWS_PER_KEEP_ALIVE == 0) {
            keepAlive.run();
        }
        while (!sink.hasRoom() && !stopping.getAsBoolean()) {
            keepAlive.run();
            LockSupport.parkNanos(NO_ROOM_PARK_NANOS);
        }
        if (stopping.getAsBoolean()) {
            throw new CancellationException();
        }
    }
}
