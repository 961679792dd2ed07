package dev.walmerge.engine.shard;

import dev.walmerge.engine.writeback.DeadLetter;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.Entry;
import dev.walmerge.engine.writeback.Erasure;
import dev.walmerge.engine.writeback.Refused;

/**
 * What a shard hands to write-back: one document, one entry, or one entry of a document. It comes back to the shard once committed.
 * Ownership passes with the queues.
 */
final class Submission {
    final ResidentDocument document;
    final DocumentWrite write;
    final Entry entry;
    /** About what it holds in memory. */
    final long bytes;
    /** Set by write-back before it comes back, null otherwise: ydoc, tail and parked were refused. */
    Refused rows;
    /** The same of the docs row. */
    Refused docs;

    private Submission(ResidentDocument document, DocumentWrite write, Entry entry, long bytes) {
        this.document = document;
        this.write = write;
        this.entry = entry;
        this.bytes = bytes;
    }

    static Submission of(ResidentDocument document, DocumentWrite write) {
        long bytes = 512 + lengthOf(write.text()) * 2L + lengthOf(write.json()) * 2L;
        bytes += write.blocks() == null ? 0 : BlockPrints.bytes(write.blocks());
        bytes += write.change() == null ? 0 : write.change().length;
        bytes += write.fold() == null ? 0 : write.fold().state().length;
        return new Submission(document, write, null, bytes);
    }

    static Submission of(ResidentDocument document, Erasure erasure) {
        return new Submission(document, null, erasure, 512);
    }

    static Submission of(Entry entry) {
        long bytes = 512;
        if (entry instanceof DeadLetter letter) {
            bytes += lengthOf(letter.json()) * 2L;
            bytes += letter.payload() == null ? 0 : letter.payload().length;
        }
        return new Submission(null, null, entry, bytes);
    }

    /** Write-back tells what it could not write, of this document if it is the one. */
    void note(Refused refused) {
        if (document != null && refused.key().equals(document.key)) {
            if (refused.part() == Refused.Part.ROWS) {
                rows = refused;
            } else {
                docs = refused;
            }
        }
    }

    private static int lengthOf(String text) {
        return text == null ? 0 : text.length();
    }
}
