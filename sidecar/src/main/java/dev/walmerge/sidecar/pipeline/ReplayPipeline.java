package dev.walmerge.sidecar.pipeline;

import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.journal.JournalReplay;
import dev.walmerge.sidecar.replication.ReplicationException;
import java.io.IOException;
import java.util.concurrent.CancellationException;

/** Hands over what an earlier journal holds, ahead of everything that the slot sends. On the reader thread. */
public final class ReplayPipeline {
    private final OpSink sink;
    private final Pacing pacing;

    public ReplayPipeline(OpSink sink, Pacing pacing) {
        this.sink = sink;
        this.pacing = pacing;
    }

    /** Returns whether all of it was handed over. */
    public boolean run(JournalReplay replay) throws ReplicationException, IOException {
        try {
            do {
                pacing.awaitRoom(sink);
            } while (replay.step(sink));
            return true;
        } catch (CancellationException e) {
            // The transaction stays open, and the earlier journal where it is.
            return false;
        }
    }
}
