package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.ParkedUpdate;
import dev.walmerge.engine.writeback.StoredDocument;
import java.util.ArrayList;
import java.util.HashMap;
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

    /** What a document costs besides its content. */
    private static final long OVERHEAD_BYTES = 600;

    private final Function<DocumentKey, StoredDocument> loader;
    private final OpMerger merger;
    private final long maxBytes;
    private final Map<DocumentKey, ResidentDocument> documents = new HashMap<>();
    /** Those that are clean, the one that has been so for longest first. */
    private final DocumentList clean = new DocumentList();
    /** Clean ones that rest, or can't; the coldest first. Whatever asks for one may open it, so {@link #get} makes it warm. */
    private final DocumentList resting = new DocumentList();

    private long bytes;

    /** @param loader by primary key, null for an unknown document */
    Residents(Function<DocumentKey, StoredDocument> loader, OpMerger merger, long maxBytes) {
        this.loader = loader;
        this.merger = merger;
        this.maxBytes = maxBytes;
    }

    /** The document, loaded if need be, new if it is unknown. */
    ResidentDocument get(DocumentKey key, int hash) {
        ResidentDocument document = documents.get(key);
        if (document == null) {
            document = restore(key, hash, loader.apply(key));
            documents.put(key, document);
            clean.append(document);
            resized(document);
        } else if (document.list == resting) {
            resting.remove(document);
            clean.append(document);
        }
        return document;
    }

    private ResidentDocument restore(DocumentKey key, int hash, StoredDocument stored) {
        ResidentDocument document = new ResidentDocument(key, hash, Doc.create(true));
        if (stored == null) {
            return document;
        }
        document.stored = stored.state() != null;
        document.loadedLsn = stored.mergedLsn();
        document.opCount = stored.opCount();
        document.textKnown = stored.projected();
        document.textPrint = WriteBuilder.print(stored.text());
        document.parked = new ArrayList<>(stored.parked());
        document.heldReason = stored.held();
        document.rowsRetry = stored.held() == null ? null : new Retry();
        document.docsRetry = stored.projected() ? null : new Retry();
        try {
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
            document.doc.drainChanges(UpdateFormat.V1);
            for (ParkedUpdate parked : stored.parked()) {
                merger.restore(document.doc, parked.format(), parked.payload());
                document.parkedBytes += parked.payload().length;
                document.nextParkedSeq = Math.max(document.nextParkedSeq, parked.seq() + 1);
            }
        } catch (MalformedUpdateException | RuntimeException | StackOverflowError e) {
            String rule = e instanceof MalformedUpdateException malformed
                    ? malformed.rule()
                    : e.getClass().getName();
            LOG.error("document {}: what is stored can't be decoded: {}", DocumentHash.print(hash), rule);
            document.corrupt = true;
            document.error = "stored-state-corrupt: " + rule + "; nothing is written over it, ops are dead letters";
        }
        return document;
    }

    boolean isResident(DocumentKey key) {
        return documents.containsKey(key);
    }

    /** Call it after a document changed its size. */
    void resized(ResidentDocument document) {
        long carriedBytes = document.carriedChange == null ? 0 : document.carriedChange.length;
        long now = document.doc.residentBytes() + document.parkedBytes + carriedBytes + OVERHEAD_BYTES;
        bytes += now - document.residentBytes;
        document.residentBytes = now;
    }

    /** The document is clean now. */
    void addClean(ResidentDocument document) {
        clean.append(document);
    }

    void removeClean(ResidentDocument document) {
        document.list.remove(document);
    }

    boolean isClean(ResidentDocument document) {
        return document.list == clean || document.list == resting;
    }

    /**
     * Puts clean documents to rest, the coldest first, until all fits, and when none is left evicts them; each one evicted
     * is taken out of {@code timers} too. One that rests costs about its stored bytes and no query to come back.
     */
    void relieve(DueHeap timers) {
        while (bytes > maxBytes && clean.head() != null) {
            ResidentDocument cold = clean.head();
            clean.remove(cold);
            resting.append(cold);
            if (cold.doc.rest()) {
                resized(cold);
            }
        }
        while (bytes > maxBytes && resting.head() != null) {
            ResidentDocument evicted = resting.head();
            resting.remove(evicted);
            timers.remove(evicted);
            documents.remove(evicted.key);
            evicted.evicted = true;
            bytes -= evicted.residentBytes;
        }
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
