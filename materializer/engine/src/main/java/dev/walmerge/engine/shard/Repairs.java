package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Patience;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.ParkedUpdate;
import dev.walmerge.engine.writeback.ServerNotReadyException;
import dev.walmerge.engine.writeback.StalenessBound;
import dev.walmerge.engine.writeback.StoredDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What to do when the core fails on one document, by an error of its own or because memory ran out: the document's memory
 * is dropped, built again from what is stored, in flight and not yet written, and the same is tried once more. If that fails
 * too, the op becomes a dead letter; a document that can't be built or written at all is out of order: what was merged
 * into it is stored verbatim, and its ops become dead letters. Single thread.
 */
final class Repairs {
    private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);

    private final OpMerger merger;
    private final WriteBuilder builder;
    private final Residents residents;
    private final Patience patience;

    Repairs(OpMerger merger, WriteBuilder builder, Residents residents, Patience patience) {
        this.patience = patience;
        this.merger = merger;
        this.builder = builder;
        this.residents = residents;
    }

    /** Merges an op that passed {@link OpMerger#check}; like {@link OpMerger#merge}, but never fails. */
    Refusal merge(ResidentDocument document, Op op, String format) {
        try {
            return merger.merge(document, op, format);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            tell(document, "merging row " + op.rowId(), e);
            if (!rebuild(document)) {
                return refusal(e);
            }
        }
        try {
            return merger.merge(document, op, format);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            tell(document, "merging row " + op.rowId() + " again", e);
            rebuild(document);
            return refusal(e);
        }
    }

    private Refusal refusal(Throwable e) {
        // What it said last was of the document as it was built again.
        merger.forget();
        return Poison.refusal(e);
    }

    /** Like {@link WriteBuilder#build}, but never fails. */
    DocumentWrite build(
            ResidentDocument document,
            Policy policy,
            long nowNanos,
            long lsn,
            long stalenessMillis,
            StalenessBound bound,
            boolean foldWanted) {
        if (document.corrupt) {
            return builder.rescue(document, lsn);
        }
        try {
            return builder.build(document, policy, nowNanos, lsn, stalenessMillis, bound, foldWanted);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            tell(document, "a flush", e);
            if (!rebuild(document)) {
                return builder.rescue(document, lsn);
            }
        }
        try {
            if (document.stored) {
                // What its state is too much for, a tail may say all the same.
                document.foldRetry = document.foldRetry == null ? new Retry() : document.foldRetry;
                document.foldRetry.refused(nowNanos, patience, true);
            }
            return builder.build(document, policy, nowNanos, lsn, stalenessMillis, bound, foldWanted);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            tell(document, "a flush again", e);
            outOfOrder(document, e);
            return builder.rescue(document, lsn);
        }
    }

    /** @return false if that failed too: the document is out of order */
    private boolean rebuild(ResidentDocument document) {
        // Its memory first: it may be what there is too little of.
        document.doc = Doc.create(true);
        residents.evictClean(document);
        try {
            Doc doc = Doc.create(true);
            StoredDocument stored = document.isErasing() ? null : residents.load(document.key);
            if (stored != null) {
                if (stored.state() != null) {
                    merger.restore(doc, stored.stateFormat(), stored.state());
                }
                for (byte[] change : stored.changes()) {
                    merger.restore(doc, "yjs-v1", change);
                }
            }
            // It may be committed by now or not: what is merged twice changes nothing.
            if (document.told != null && document.told.change() != null) {
                merger.restore(doc, "yjs-v1", document.told.change());
            }
            if (document.carriedChange != null) {
                merger.restore(doc, "yjs-v1", document.carriedChange);
            }
            doc.discardChanges();
            for (ParkedUpdate parked : document.parked) {
                merger.restore(doc, parked.format(), parked.payload());
            }
            for (int i = 0; i < document.raw.count(); i++) {
                merger.restore(doc, document.raw.format(i), document.raw.payload(i));
            }
            document.doc = doc;
            return true;
        } catch (BackOff.StoppedException | ServerNotReadyException e) {
            throw e;
        } catch (MalformedUpdateException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            tell(document, "building it again", e);
            outOfOrder(document, e);
            return false;
        }
    }

    private static void outOfOrder(ResidentDocument document, Throwable e) {
        document.doc = Doc.create(true);
        document.corrupt = true;
        document.corruptRule = Poison.rule(e);
        document.error = WriteBuilder.PROJECTION_ERROR + " " + document.corruptRule + ": " + Poison.name(e)
                + "; what was merged is safe in parked, ops are dead letters";
    }

    private static void tell(ResidentDocument document, String what, Throwable e) {
        LOG.error(
                "document {}: {} failed: {}",
                DocumentHash.print(document.hash),
                what,
                Poison.name(e),
                Poison.withoutMessage(e));
    }
}
