package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.Erasure;
import dev.walmerge.engine.writeback.ParkedUpdate;
import dev.walmerge.engine.writeback.StalenessBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A document in memory, with what its shard must know about it. Plain fields: it has one owner, the shard's thread.
 *
 * <p>It is clean (in one of the two lists of those that may rest or be evicted), dirty (in the list ordered by {@link #floorLsn}), in
 * flight (handed to write-back), or dirty and in flight.
 */
final class ResidentDocument {
    static final int NONE = -1;
    static final long[] NO_SEQS = {};

    final DocumentKey key;
    final int hash;
    /** Replaced when the core failed on it. */
    Doc doc;
    /** What was merged into it since its last flush. */
    final RawOps raw = new RawOps();

    // What is stored, as far as this process knows.
    /** Whether there is a ydoc row. */
    boolean stored;
    /** Every op of a commit that ends at or before it was in the rows that were loaded; 0 for a new document. */
    long loadedLsn;

    long opCount;
    /** Those of {@link #opCount} that no row counts. */
    int uncountedOps;
    /** Those of {@link #uncountedOps} whose transaction is open: they may come again. */
    int openOps;

    long stateBytes;
    long tailBytes;
    int tailRows;
    /** Fingerprints of text and JSON that were sent last; meaningless unless known. */
    long textPrint;

    long jsonPrint;
    boolean textKnown;
    boolean jsonKnown;
    /** What was sent last of its blocks, null when that is not known. */
    BlockPrints blocks = BlockPrints.NONE;
    /** What a state that could not be verified left to be written as a tail row. */
    byte[] carriedChange;

    // What Postgres refused, each null when it did not.
    /** Of ydoc, tail and parked: rows of the document stand in held. */
    Retry rowsRetry;
    /** Of the docs row. */
    Retry docsRetry;
    /** Of a new state, while a tail may go through. */
    Retry foldRetry;
    /** Why the document is held, or null. */
    String heldReason;
    /** Parked updates that are merged, whose rows could not be removed yet. */
    long[] unparkSeqs = NO_SEQS;

    // What the docs row should say.
    String warning;
    String error;
    /** It can't be decoded, or the core fails on it: nothing is written over what is stored, ops are refused. */
    boolean corrupt;
    /** By this rule. */
    String corruptRule;
    /** Its docs row says so. */
    boolean corruptFlagged;

    // Whether it is forgotten.
    /** Its ops are dropped. */
    boolean forgotten;
    /** Of the tombstone that was loaded: ops of commits that start before it are dropped. */
    long forgottenLsn;
    /** What is to be written of it before anything else, without a position yet; or null. */
    Erasure erasure;
    /** What is in flight of it, or null. */
    Erasure erasing;

    // Causally early updates.
    List<ParkedUpdate> parked = new ArrayList<>(0);
    /** How many at the end of {@link #parked} are not stored yet. */
    int parkedNew;
    /** How many at the end came in the open transaction, whose end is not known. */
    int parkedOpen;

    /** Dead letters that are merged into it and not deleted yet. */
    long[] lettersMerged = NO_SEQS;

    long parkedBytes;
    /** How many of the stored ones are known to be merged since: they go with the next write. */
    int mergedStored;

    long mergedStoredBytes;
    /** How many came, or were refused, since it was looked last which are merged. */
    int parkedSinceReview;

    long nextParkedSeq;

    // Flush state.
    boolean dirty;
    boolean contentChanged;
    boolean inFlight;
    /** What is in flight, else null. */
    DocumentWrite told;
    /** In an open transaction: not written before it ends, unless memory runs out. */
    boolean touched;
    /** The end of the commit before the first one that is not written. */
    long floorLsn;

    long firstDirtyNanos;
    long lastOpNanos;
    /** When it was last handed over to be written, and what that cost, 0 for never. */
    long flushedNanos;

    long flushedWalBytes;
    /** What the last write said, for writes that no op caused. */
    long lastStalenessMillis;

    StalenessBound lastBound = StalenessBound.DEBOUNCE;
    /** The state did not survive its verification: it is not tried again before something changes. */
    boolean foldRefused;
    /** Why it must be written at once, or null. */
    StalenessBound urgent;

    long residentBytes;
    boolean evicted;

    // Places in the shard's structures.
    int heapIndex = NONE;
    long dueNanos;
    DocumentList list;
    ResidentDocument previous;
    ResidentDocument next;

    ResidentDocument(DocumentKey key, int hash, Doc doc) {
        this.key = key;
        this.hash = hash;
        this.doc = doc;
    }

    /** Handed over neither twice at a time, nor inside a transaction. */
    boolean isFree() {
        return !inFlight && !touched;
    }

    /** Whether what is stored of it is to be deleted, and may be there still. */
    boolean isErasing() {
        return (erasure != null && erasure.isDeleting()) || (erasing != null && erasing.isDeleting());
    }

    /** Whether an op of that commit, however bad, is nobody's business any more. */
    boolean drops(long commitLsn) {
        return forgotten || Lsn.isBefore(commitLsn, forgottenLsn);
    }

    /** Drops all that is known of it, but not where it stands in the shard's structures. */
    void forgetContent() {
        doc = Doc.create(true);
        raw.clear();
        stored = false;
        opCount = 0;
        uncountedOps = 0;
        openOps = 0;
        stateBytes = 0;
        tailBytes = 0;
        tailRows = 0;
        textKnown = false;
        jsonKnown = false;
        carriedChange = null;
        rowsRetry = null;
        docsRetry = null;
        foldRetry = null;
        heldReason = null;
        unparkSeqs = NO_SEQS;
        warning = null;
        error = null;
        corrupt = false;
        corruptRule = null;
        corruptFlagged = false;
        parked = new ArrayList<>(0);
        parkedNew = 0;
        parkedOpen = 0;
        lettersMerged = NO_SEQS;
        parkedBytes = 0;
        mergedStored = 0;
        mergedStoredBytes = 0;
        parkedSinceReview = 0;
        nextParkedSeq = 0;
        contentChanged = false;
        told = null;
        foldRefused = false;
        flushedWalBytes = 0;
    }

    /** Whether nothing of it is refused. */
    boolean isWell() {
        return !corrupt && rowsRetry == null && docsRetry == null;
    }

    /** How many parked updates wait, as far as is known. */
    int waitingCount() {
        return parked.size() - mergedStored;
    }

    long waitingBytes() {
        return parkedBytes - mergedStoredBytes;
    }

    /** Nothing waits any more: those that are not stored need never be. */
    void forgetNewParked() {
        List<ParkedUpdate> fresh = parked.subList(parked.size() - parkedNew, parked.size());
        for (ParkedUpdate update : fresh) {
            parkedBytes -= update.payload().length;
        }
        fresh.clear();
        parkedNew = 0;
        parkedOpen = 0;
    }

    /** Whether a dead letter was merged since the last flush. */
    boolean isMerged(long letterId) {
        for (long merged : lettersMerged) {
            if (merged == letterId) {
                return true;
            }
        }
        return false;
    }

    void noteMerged(long letterId) {
        lettersMerged = Arrays.copyOf(lettersMerged, lettersMerged.length + 1);
        lettersMerged[lettersMerged.length - 1] = letterId;
    }

    /** What a row may say that holds everything up to the last commit, or, if not, up to the floor. */
    long countOps(boolean isComplete) {
        return opCount - (isComplete ? openOps : uncountedOps);
    }

    /** The open transaction ended: either its ops count, or they come again and count then. */
    void endOps(boolean isCommitted) {
        if (!isCommitted) {
            opCount -= openOps;
            uncountedOps -= openOps;
        }
        openOps = 0;
    }

    /** Gives the parked updates of a transaction that ended its position. */
    void stampParked(long endLsn) {
        for (int i = parked.size() - parkedOpen; i < parked.size(); i++) {
            ParkedUpdate update = parked.get(i);
            parked.set(i, new ParkedUpdate(update.seq(), update.format(), update.payload(), update.rowId(), endLsn));
        }
        parkedOpen = 0;
    }
}
