package dev.walmerge.engine.writeback;

import dev.walmerge.crdt.TextBlock;
import java.util.List;

/** Builds document writes for tests: what is not said is plain. */
final class Writes {
    private final String doc;
    private final long mergedLsn;
    private String text;
    private boolean textChanged;
    private String json;
    private boolean jsonChanged;
    private List<TextBlock> blocks;
    private String missing;
    private String error;
    private byte[] change;
    private Fold fold;
    private List<ParkedUpdate> parkedAdded = List.of();
    private long[] parkedRemovedSeqs = {};
    private Care rows = Care.WITH_OTHERS;
    private Care docs = Care.WITH_OTHERS;
    private String held;
    private long[] lettersMerged = {};

    private Writes(String doc, long mergedLsn) {
        this.doc = doc;
        this.mergedLsn = mergedLsn;
    }

    static DocumentKey key(String doc) {
        return new DocumentKey("default", doc);
    }

    static Writes of(String doc, long mergedLsn) {
        return new Writes(doc, mergedLsn);
    }

    Writes text(String newText) {
        text = newText;
        textChanged = true;
        return this;
    }

    Writes json(String newJson) {
        json = newJson;
        jsonChanged = true;
        return this;
    }

    /** Text and JSON that are said, but did not change. */
    Writes unchanged(String sameText, String sameJson) {
        text = sameText;
        json = sameJson;
        return this;
    }

    Writes blocks(TextBlock... all) {
        blocks = List.of(all);
        return this;
    }

    Writes missing(String what) {
        missing = what;
        return this;
    }

    Writes error(String what) {
        error = what;
        return this;
    }

    Writes tail(int... bytes) {
        change = bytes(bytes);
        return this;
    }

    Writes fold(int... state) {
        return fold(bytes(state));
    }

    Writes fold(byte[] state) {
        fold = new Fold("yjs-v1", state, new byte[] {0});
        return this;
    }

    Writes park(ParkedUpdate... updates) {
        parkedAdded = List.of(updates);
        return this;
    }

    Writes unpark(long... seqs) {
        parkedRemovedSeqs = seqs;
        return this;
    }

    /** The document is held, and its rows are tried again, or not. */
    Writes rows(Care care, String reason) {
        rows = care;
        held = reason;
        return this;
    }

    Writes docs(Care care) {
        docs = care;
        return this;
    }

    Writes letters(long... ids) {
        lettersMerged = ids;
        return this;
    }

    DocumentWrite build() {
        return new DocumentWrite(
                key(doc),
                mergedLsn,
                mergedLsn,
                text,
                textChanged,
                json,
                jsonChanged,
                blocks,
                missing,
                null,
                error,
                120,
                StalenessBound.DEBOUNCE,
                textChanged || jsonChanged,
                change,
                fold,
                parkedAdded,
                parkedRemovedSeqs,
                rows,
                docs,
                held,
                lettersMerged);
    }

    static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
