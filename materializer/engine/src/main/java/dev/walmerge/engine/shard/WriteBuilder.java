package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Pending;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.TextBlock;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.crdt.Updates;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.compaction.FoldRule;
import dev.walmerge.engine.compaction.Folder;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.writeback.Care;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.Fold;
import dev.walmerge.engine.writeback.ParkedUpdate;
import dev.walmerge.engine.writeback.StalenessBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns a document into what its next flush says, and notes in the document that it was said. Single thread. */
final class WriteBuilder {
    /** What the error of a docs row begins with that is older than its document. */
    static final String PROJECTION_ERROR = "projection-failed";

    private static final Logger LOG = LoggerFactory.getLogger(WriteBuilder.class);

    private final OpMerger merger;
    private final Core core;

    // The last result's parts that are no part of the write.
    private boolean incomplete;
    private long walBytes;

    WriteBuilder(OpMerger merger, Core core) {
        this.merger = merger;
        this.core = core;
    }

    /**
     * Builds the write of a document. From here on the document counts as told. If it fails, only its {@link Doc} is
     * not as it was.
     *
     * @param lsn the end of the last commit merged
     * @param foldWanted whether the tail should go into the state whatever its size
     */
    DocumentWrite build(
            ResidentDocument document,
            Policy policy,
            long nowNanos,
            long lsn,
            long stalenessMillis,
            StalenessBound bound,
            boolean foldWanted) {
        Care rows = Retry.care(document.rowsRetry, nowNanos);
        Care docs = Retry.care(document.docsRetry, nowNanos);
        byte[] change = drain(document);
        byte[] carried = null;
        incomplete = false;
        Fold fold = null;
        if (rows != Care.NOT_NOW) {
            fold = fold(document, policy, change, nowNanos, foldWanted);
            if (fold == null && !document.stored) {
                // There must be a row to append to; the changes follow as a tail row with the next write.
                carried = change;
                incomplete = change != null;
                change = null;
                fold = Folder.empty();
            }
            if (fold != null && document.foldRetry != null) {
                rows = Care.ALONE;
            }
        }
        Text text = docs == Care.NOT_NOW ? Text.UNSAID : project(document, policy);
        docs = text.error == null ? docs : Care.UNMADE;
        String missing = missing(document.doc);
        List<ParkedUpdate> added = new ArrayList<>(0);
        long[] removed = settleParked(document, added);
        // Nothing can fail from here on.
        document.carriedChange = carried;
        document.raw.clear();
        document.lastStalenessMillis = stalenessMillis;
        document.lastBound = bound;
        long storedBytes = fold != null ? fold.state().length : change != null ? change.length : 0;
        walBytes = FlushPolicy.walBytes(
                text.textChanged && text.text != null ? text.text.length() : 0,
                text.jsonChanged && text.json != null ? text.json.length() : 0,
                storedBytes);
        walBytes += text.blockBytes;
        boolean contentChanged = document.contentChanged || (!document.stored && document.heldReason == null);
        document.contentChanged = docs == Care.NOT_NOW && contentChanged;
        return new DocumentWrite(
                document.key,
                incomplete ? document.floorLsn : lsn,
                document.countOps(!incomplete),
                text.text,
                text.textChanged,
                text.json,
                text.jsonChanged,
                text.blocks,
                missing,
                document.warning,
                text.error == null ? document.error : text.error,
                stalenessMillis,
                bound,
                contentChanged,
                change,
                fold,
                added,
                removed,
                rows,
                docs,
                document.heldReason,
                letters(document));
    }

    /** Whether the last write left something out: the document must be written again before it counts as clean. */
    boolean isIncomplete() {
        return incomplete;
    }

    /** What the last write costs, in bytes of WAL. */
    long walBytes() {
        return walBytes;
    }

    /** The write that flags a document that is out of order, and touches nothing else. */
    DocumentWrite flagCorrupt(ResidentDocument document) {
        incomplete = false;
        return unmade(document, document.loadedLsn, List.of());
    }

    /** The write of a document that is out of order: what was merged since the last one, verbatim, as parked updates. */
    DocumentWrite rescue(ResidentDocument document, long lsn) {
        List<ParkedUpdate> parked = document.parked;
        if (document.carriedChange != null) {
            parked.add(new ParkedUpdate(document.nextParkedSeq++, "yjs-v1", document.carriedChange, 0, lsn));
            document.parkedNew++;
        }
        for (int i = 0; i < document.raw.count(); i++) {
            parked.add(new ParkedUpdate(
                    document.nextParkedSeq++, document.raw.format(i), document.raw.payload(i), 0, lsn));
            document.parkedNew++;
        }
        List<ParkedUpdate> added = List.copyOf(parked.subList(parked.size() - document.parkedNew, parked.size()));
        document.parkedNew = 0;
        document.parkedOpen = 0;
        document.carriedChange = null;
        document.raw.clear();
        document.corruptFlagged = true;
        incomplete = false;
        walBytes = 0;
        if (!document.stored) {
            // Without a ydoc row nobody would look for its parked updates.
            document.heldReason = document.error;
        }
        return unmade(document, lsn, added);
    }

    private DocumentWrite unmade(ResidentDocument document, long lsn, List<ParkedUpdate> added) {
        return new DocumentWrite(
                document.key,
                lsn,
                document.countOps(true),
                null,
                false,
                null,
                false,
                null,
                null,
                document.warning,
                document.error,
                0,
                StalenessBound.DEBOUNCE,
                false,
                null,
                null,
                added,
                ResidentDocument.NO_SEQS,
                document.heldReason == null ? Care.WITH_OTHERS : Care.NOT_NOW,
                Care.UNMADE,
                document.heldReason,
                letters(document));
    }

    private long[] letters(ResidentDocument document) {
        if (incomplete) {
            return ResidentDocument.NO_SEQS;
        }
        long[] letters = document.lettersMerged;
        document.lettersMerged = ResidentDocument.NO_SEQS;
        return letters;
    }

    /** What was merged since the last write, with what that one could not say. */
    private byte[] drain(ResidentDocument document) {
        byte[] drained = core.drain(document.doc);
        byte[] carried = document.carriedChange;
        if (carried == null || drained == null) {
            return carried == null ? drained : carried;
        }
        try {
            return Updates.merge(UpdateFormat.V1, List.of(carried, drained));
        } catch (MalformedUpdateException e) {
            // Both were encoded here.
            throw new IllegalStateException(e);
        }
    }

    private Fold fold(ResidentDocument document, Policy policy, byte[] change, long nowNanos, boolean foldWanted) {
        if (change != null) {
            document.foldRefused = false;
        }
        long bytes = document.tailBytes + (change == null ? 0 : change.length);
        int rows = document.tailRows + (change == null ? 0 : 1);
        boolean due = foldWanted || FoldRule.isTooLong(policy, bytes, rows, document.stateBytes);
        boolean allowed = Retry.care(document.foldRetry, nowNanos) != Care.NOT_NOW;
        boolean wanted = !document.stored || (rows > 0 && due && allowed);
        if (!wanted || document.foldRefused) {
            return null;
        }
        Failpoint.BEFORE_FOLD.reach();
        Fold fold = core.fold(document.doc);
        if (fold == null) {
            LOG.error("document {}: its state did not survive being decoded again", DocumentHash.print(document.hash));
            document.foldRefused = true;
            document.error = "fold-mismatch: the encoded state differs from the document; the tail is kept";
        } else if (document.error != null && document.error.startsWith("fold-mismatch")) {
            document.error = null;
        }
        return fold;
    }

    /** Drops parked updates that are merged now; new ones that still wait go to {@code added}. */
    private long[] settleParked(ResidentDocument document, List<ParkedUpdate> added) {
        if (document.parked.isEmpty()) {
            return document.unparkSeqs;
        }
        boolean pending = document.doc.hasPending();
        int firstNew = document.parked.size() - document.parkedNew;
        List<ParkedUpdate> waiting = new ArrayList<>();
        int removedCount = document.unparkSeqs.length;
        long[] removed = Arrays.copyOf(document.unparkSeqs, removedCount + firstNew);
        for (int i = 0; i < document.parked.size(); i++) {
            ParkedUpdate update = document.parked.get(i);
            if (pending && !merger.contains(document.doc, update)) {
                waiting.add(update);
                if (i >= firstNew) {
                    added.add(update);
                }
            } else {
                document.parkedBytes -= update.payload().length;
                if (i < firstNew) {
                    removed[removedCount++] = update.seq();
                }
            }
        }
        document.parked = waiting;
        document.mergedStored = 0;
        document.mergedStoredBytes = 0;
        document.parkedSinceReview = 0;
        document.parkedNew = 0;
        document.parkedOpen = 0;
        return removedCount == 0 ? ResidentDocument.NO_SEQS : Arrays.copyOf(removed, removedCount);
    }

    /** @param blocks null: as they are */
    private record Text(
            String text,
            boolean textChanged,
            String json,
            boolean jsonChanged,
            List<TextBlock> blocks,
            long blockBytes,
            String error) {
        static final Text UNSAID = unmade(null);

        static Text unmade(String error) {
            return new Text(null, false, null, false, null, 0, error);
        }
    }

    /** Null where the text says it all. */
    static String json(Doc doc, Policy policy) {
        return policy.jsonForText() || !Projection.isPureText(doc)
                ? Projection.bodyJson(doc, policy.projection(), policy.root())
                : null;
    }

    private static Text project(ResidentDocument document, Policy policy) {
        String text;
        String json;
        List<TextBlock> blocks;
        try {
            text = Projection.bodyText(document.doc, policy.projection(), policy.root());
            json = json(document.doc, policy);
            blocks = policy.blocks() ? Projection.blocks(document.doc, policy.projection(), policy.root()) : List.of();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            LOG.error(
                    "document {}: no text: {}",
                    DocumentHash.print(document.hash),
                    e.getClass().getName());
            document.textKnown = false;
            document.jsonKnown = false;
            document.blocks = null;
            return Text.unmade(PROJECTION_ERROR + ": " + e.getClass().getName());
        }
        long textPrint = print(text);
        long jsonPrint = print(json);
        boolean textChanged = !document.textKnown || textPrint != document.textPrint;
        boolean jsonChanged = !document.jsonKnown || jsonPrint != document.jsonPrint;
        document.textPrint = textPrint;
        document.jsonPrint = jsonPrint;
        document.textKnown = true;
        document.jsonKnown = true;
        BlockPrints before = document.blocks;
        document.blocks = BlockPrints.of(blocks);
        boolean blocksChanged = !document.blocks.isSame(before);
        long blockBytes = blocksChanged ? document.blocks.walBytes(before, blocks) : 0;
        return new Text(text, textChanged, json, jsonChanged, blocksChanged ? blocks : null, blockBytes, null);
    }

    /** A 64-bit fingerprint (FNV-1a's step over UTF-16 units, length mixed in); 0 for null. */
    static long print(String text) {
        if (text == null) {
            return 0;
        }
        long hash = 0xcbf29ce484222325L ^ text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return hash ^ (hash >>> 32);
    }

    private static String missing(Doc doc) {
        if (!doc.hasPending()) {
            return null;
        }
        Pending pending = doc.pending();
        StringBuilder json = new StringBuilder("{");
        for (Map.Entry<Long, Integer> entry : pending.missing().entrySet()) {
            json.append(json.length() == 1 ? "" : ",")
                    .append('"')
                    .append(entry.getKey())
                    .append("\":")
                    .append(entry.getValue());
        }
        return json.append('}').toString();
    }
}
