package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.ParkedUpdate;
import dev.walmerge.engine.writeback.ServerNotReadyException;
import dev.walmerge.engine.writeback.StoredDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The documents of a shard that are in memory: loaded at the first op; when memory runs out put to rest, and evicted when
 * that isn't enough. Single thread.
 */
final class Residents {
    private static final Logger LOG = LoggerFactory.getLogger(Residents.class);

    private static final String CORRUPT = "stored-state-corrupt";
    /** What a document costs besides its content. */
    private static final long OVERHEAD_BYTES = 600;

    private final Function<DocumentKey, StoredDocument> loader;
    private final OpMerger merger;
    private final DueHeap timers;
    private final long maxBytes;
    private final Map<DocumentKey, ResidentDocument> documents = new HashMap<>();
    /** Those that are clean, the one that has been so for longest first. */
    private final DocumentList clean = new DocumentList();
    /** Clean ones that rest, or can't; the coldest first. Whatever asks for one may open it, so {@link #get} makes it warm. */
    private final DocumentList resting = new DocumentList();

    private final OwedCounts owed = new OwedCounts();

    private long bytes;

    /**
     * @param loader by primary key, null for an unknown document
     * @param timers of which evicted documents are taken out
     */
    Residents(Function<DocumentKey, StoredDocument> loader, OpMerger merger, long maxBytes, DueHeap timers) {
        this.timers = timers;
        this.loader = loader;
        this.merger = merger;
        this.maxBytes = maxBytes;
    }

    /** The document, loaded if need be, new if it is unknown. */
    ResidentDocument get(DocumentKey key, int hash) {
        ResidentDocument document = documents.get(key);
        if (document == null) {
            document = restore(key, hash);
            if (Poison.OUT_OF_MEMORY.equals(document.corruptRule)) {
                evictClean(null);
                document = restore(key, hash);
            }
            documents.put(key, document);
            clean.append(document);
            resized(document);
        } else if (document.list == resting) {
            resting.remove(document);
            clean.append(document);
        }
        return document;
    }

    /** What is stored of a document, or null. */
    StoredDocument load(DocumentKey key) {
        return loader.apply(key);
    }

    private ResidentDocument restore(DocumentKey key, int hash) {
        ResidentDocument document = new ResidentDocument(key, hash, Doc.create(true));
        try {
            StoredDocument stored = load(key);
            if (stored != null && !Forgetting.restore(document, stored)) {
                restore(document, stored);
            }
            owed.restore(document);
        } catch (BackOff.StoppedException | ServerNotReadyException e) {
            throw e;
        } catch (MalformedUpdateException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            document.doc = Doc.create(true);
            LOG.error("document {}: what is stored can't be decoded: {}", DocumentHash.print(hash), Poison.name(e));
            document.corrupt = true;
            document.corruptRule = e instanceof OutOfMemoryError ? Poison.OUT_OF_MEMORY : CORRUPT;
            document.error =
                    document.corruptRule + ": " + Poison.name(e) + "; nothing is written over it, ops are dead letters";
        }
        return document;
    }

    private void restore(ResidentDocument document, StoredDocument stored) throws MalformedUpdateException {
        document.stored = stored.state() != null;
        document.loadedLsn = stored.mergedLsn();
        document.opCount = stored.opCount();
        document.textKnown = stored.projected();
        document.textPrint = WriteBuilder.print(stored.text());
        document.blocks = stored.blocks() ? null : BlockPrints.NONE;
        document.parked = new ArrayList<>(stored.parked());
        document.heldReason = stored.held();
        document.rowsRetry = stored.held() == null ? null : new Retry();
        document.docsRetry = stored.projected() ? null : new Retry();
        if (document.stored) {
            document.stateBytes = stored.state().length;
            merger.restore(document.doc, stored.stateFormat(), stored.state());
        }
        for (byte[] change : stored.changes()) {
            merger.restore(document.doc, "yjs-v1", change);
            document.tailBytes += change.length;
            document.tailRows++;
        }
        // What is stored is no change; what a parked update now adds would be one.
        document.doc.discardChanges();
        for (ParkedUpdate parked : stored.parked()) {
            merger.restore(document.doc, parked.format(), parked.payload());
            document.parkedBytes += parked.payload().length;
            document.nextParkedSeq = Math.max(document.nextParkedSeq, parked.seq() + 1);
        }
    }

    OwedCounts owed() {
        return owed;
    }

    boolean isResident(DocumentKey key) {
        return documents.containsKey(key);
    }

    /** Call it after a document changed its size. */
    void resized(ResidentDocument document) {
        long carriedBytes = document.carriedChange == null ? 0 : document.carriedChange.length;
        long now = document.doc.residentBytes()
                + document.parkedBytes
                + carriedBytes
                + document.raw.bytes()
                + (document.blocks == null ? 0 : document.blocks.bytes())
                + OVERHEAD_BYTES;
        bytes += now - document.residentBytes;
        document.residentBytes = now;
    }

    /** The document is clean now. */
    void addClean(ResidentDocument document) {
        clean.append(document);
    }

    /** The document, if it was clean, is handed over or changed. */
    void removeClean(ResidentDocument document) {
        if (isClean(document)) {
            document.list.remove(document);
        }
    }

    boolean isClean(ResidentDocument document) {
        return document.list == clean || document.list == resting;
    }

    /**
     * Puts clean documents to rest, the coldest first, until all fits, and when none is left evicts them. One that rests
     * costs about its stored bytes and no query to come back.
     */
    void relieve() {
        while (bytes > maxBytes && clean.head() != null) {
            ResidentDocument cold = clean.head();
            clean.remove(cold);
            resting.append(cold);
            if (cold.doc.rest()) {
                resized(cold);
            }
        }
        while (bytes > maxBytes && resting.head() != null) {
            evict(resting.head());
        }
    }

    /** Evicts every clean document but one: memory ran out. */
    void evictClean(ResidentDocument but) {
        evictAll(resting, but);
        evictAll(clean, but);
    }

    private void evictAll(DocumentList list, ResidentDocument but) {
        ResidentDocument document = list.head();
        while (document != null) {
            ResidentDocument next = document.next;
            if (document != but) {
                evict(document);
            }
            document = next;
        }
    }

    private void evict(ResidentDocument document) {
        document.list.remove(document);
        timers.remove(document);
        documents.remove(document.key);
        document.evicted = true;
        bytes -= document.residentBytes;
        owed.evicted(document);
        // The open transaction may remember it until it ends.
        document.doc = null;
        document.parked = List.of();
    }

    /** How much too much there is; negative when there is room. */
    long excessBytes() {
        return bytes - maxBytes;
    }

    long bytes() {
        return bytes;
    }

    int count() {
        return documents.size();
    }
}
