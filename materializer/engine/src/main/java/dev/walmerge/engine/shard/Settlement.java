package dev.walmerge.engine.shard;

import dev.walmerge.engine.Patience;
import dev.walmerge.engine.writeback.Care;
import dev.walmerge.engine.writeback.DocumentWrite;

/** Notes in a document what became of its write. */
final class Settlement {
    private Settlement() {}

    static void settle(ResidentDocument document, Submission done, long nowNanos, Patience patience) {
        DocumentWrite write = done.write;
        if (write.rows() == Care.NOT_NOW || done.rows != null) {
            held(document, done, nowNanos, patience);
        } else {
            stored(document, write);
        }
        if (done.docs != null || write.docs() == Care.UNMADE) {
            document.textKnown = false;
            document.jsonKnown = false;
            document.blocks = null;
            document.contentChanged |= write.contentChanged();
            document.docsRetry = document.docsRetry == null ? new Retry() : document.docsRetry;
            document.docsRetry.refused(nowNanos, patience, done.docs == null || done.docs.isDear());
        } else if (write.docs() != Care.NOT_NOW) {
            document.docsRetry = null;
        }
    }

    private static void stored(ResidentDocument document, DocumentWrite write) {
        document.rowsRetry = null;
        document.heldReason = null;
        document.unparkSeqs = ResidentDocument.NO_SEQS;
        if (write.fold() != null) {
            document.stored = true;
            document.foldRetry = null;
            document.stateBytes = write.fold().state().length;
            document.tailBytes = 0;
            document.tailRows = 0;
        } else {
            appended(document, write);
        }
    }

    private static void appended(ResidentDocument document, DocumentWrite write) {
        if (write.change() != null) {
            document.tailBytes += write.change().length;
            document.tailRows++;
        }
    }

    /** What it should have said is in held, and will be rows of tail and parked. */
    private static void held(ResidentDocument document, Submission done, long nowNanos, Patience patience) {
        appended(document, done.write);
        document.unparkSeqs = done.write.parkedRemovedSeqs();
        if (done.rows == null) {
            return;
        }
        document.heldReason = done.rows.reason();
        if (done.rows.isWithoutState()) {
            // Someone removed its ydoc row: the next write is all of it.
            document.stored = false;
        }
        if (done.write.fold() != null && document.stored) {
            document.foldRetry = document.foldRetry == null ? new Retry() : document.foldRetry;
            document.foldRetry.refused(nowNanos, patience, true);
        }
        document.rowsRetry = document.rowsRetry == null ? new Retry() : document.rowsRetry;
        document.rowsRetry.refused(nowNanos, patience, true);
    }
}
