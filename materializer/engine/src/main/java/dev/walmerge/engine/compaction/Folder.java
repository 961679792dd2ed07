package dev.walmerge.engine.compaction;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.engine.writeback.Fold;

/** Encodes states, and believes none that it has not decoded again. */
public final class Folder {
    public static final String STATE_FORMAT = "yjs-v1";

    private Folder() {}

    /**
     * The state of a document, decoded into a fresh one and compared. Parked updates are not in it.
     *
     * @return null if what was encoded does not say what the document says: it must not be written
     */
    public static Fold fold(Doc doc) {
        Fold fold = fold(doc, UpdateFormat.V1, STATE_FORMAT);
        // V1 writes embeds and format values as JSON text, which has no NaN, no undefined and no bytes.
        return fold != null ? fold : fold(doc, UpdateFormat.V2, "yjs-v2");
    }

    private static Fold fold(Doc doc, UpdateFormat format, String name) {
        byte[] state = doc.encodeState(format);
        Doc copy = Doc.create(true);
        try {
            copy.apply(format, state, 0, state.length);
        } catch (MalformedUpdateException e) {
            return null;
        }
        if (copy.hasPending() || !doc.sameContent(copy)) {
            return null;
        }
        return new Fold(name, state, doc.stateVector());
    }

    /** The state of a document that nobody has written to. */
    public static Fold empty() {
        Doc doc = Doc.create(true);
        return new Fold(STATE_FORMAT, doc.encodeState(UpdateFormat.V1), doc.stateVector());
    }
}
