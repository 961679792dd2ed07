package dev.walmerge.engine.shard;

import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.StalenessBound;
import java.util.function.Consumer;

/** Writes documents when memory runs out, and once more those that were written and evicted too early. Single thread. */
final class Relief {
    private final Residents residents;
    private final DocumentList dirty;
    private final InFlight inFlight;
    private final Consumer<ResidentDocument> flush;

    /** @param flush hands a document over */
    Relief(Residents residents, DocumentList dirty, InFlight inFlight, Consumer<ResidentDocument> flush) {
        this.residents = residents;
        this.dirty = dirty;
        this.inFlight = inFlight;
        this.flush = flush;
    }

    /** Rests and evicts; if what is left is too much still, writes dirty documents early, even inside a transaction. */
    void relieveMemory() {
        residents.relieve();
        if (!inFlight.isEmpty()) {
            // What is in flight can be evicted soon.
            return;
        }
        long excessBytes = residents.excessBytes();
        ResidentDocument document = dirty.head();
        while (document != null && excessBytes > 0 && inFlight.hasRoom()) {
            ResidentDocument next = document.next;
            // One that is forgotten is small, and its position is the end of the transaction.
            if (!document.inFlight && document.erasure == null) {
                excessBytes -= document.residentBytes;
                document.urgent = StalenessBound.MEMORY;
                flush.accept(document);
            }
            document = next;
        }
    }

    /** Counts of documents that were evicted inside a transaction. */
    void settleOwed() {
        while (residents.owed().isOwed() && residents.excessBytes() <= 0 && inFlight.hasRoom()) {
            DocumentKey key = residents.owed().next();
            ResidentDocument document = residents.get(key, DocumentHash.of(key.collection(), key.doc()));
            if (!document.isFree()) {
                return;
            }
            if (!document.dirty) {
                residents.removeClean(document);
            }
            flush.accept(document);
        }
    }
}
