package dev.walmerge.crdt;

import java.util.Arrays;
import java.util.Objects;

/**
 * Edits a document as one client: what a Yjs application does with its {@code Y.Doc}. The items written are those Yjs writes for the
 * same calls.
 *
 * <p>Each edit is a transaction of its own, unless {@link #transact} groups several. What was edited is in
 * {@link Doc#drainChanges} with all else that changed. Belongs to the thread of its document.
 */
public final class Editor {
    private static final int NONE = StructStore.NONE;
    private static final int HANDLES = 64;

    final Doc doc;
    final Author author;

    /** Handles of nested types that were read lately, by type: who reads a field often comes by the same ones. */
    private final SharedType[] handles = new SharedType[HANDLES];

    Editor(Doc doc, Author author) {
        this.doc = doc;
        this.author = author;
    }

    /**
     * Runs edits as one transaction: runs are joined and deleted content is freed at its end. One within another, of any editor of the
     * document, belongs to the outer one. What is read, written, drained or applied meanwhile comes after all edits so far;
     * {@link Doc#rest} is refused. When {@code edits} throws, what it did until then stays, as in Yjs.
     */
    public void transact(Runnable edits) {
        Objects.requireNonNull(edits);
        begin();
        try {
            edits.run();
        } finally {
            end();
        }
    }

    void begin() {
        doc.beginEdits();
    }

    void end() {
        doc.endEdits();
    }

    /** The root text of a name. */
    public SharedText text(String name) {
        return new SharedText(this, name);
    }

    /** The root map of a name. */
    public SharedMap map(String name) {
        return new SharedMap(this, name);
    }

    /** The root array of a name. */
    public SharedArray array(String name) {
        return new SharedArray(this, name);
    }

    /** The root XML fragment of a name. */
    public SharedXml xml(String name) {
        return new SharedXml(this, name);
    }

    /** The nested type that an item holds; null when it holds none, or none that can be edited here. */
    public SharedType type(Id holder) {
        StructStore store = author.open();
        int type = new Positions(store).nested(holder);
        return type == NONE || store.isDeleted(store.types.item[type]) ? null : nested(store.types.item[type]);
    }

    /** The type a live item holds; null for a kind that can't be edited here. */
    SharedType nested(int s) {
        StructStore store = author.store;
        int type = store.content[s];
        SharedType known = handles[type & HANDLES - 1];
        if (known != null && known.isHeldBy(s) && !TypeRef.mayTurn(store.types.ref[type])) {
            return known;
        }
        SharedType made = handle(store, s, type);
        handles[type & HANDLES - 1] = made;
        return made;
    }

    private SharedType handle(StructStore store, int s, int type) {
        Id id = new Id(store.clients.id[store.client.get(s)], store.clock[s]);
        return switch (TypeRef.shown(store, type)) {
            case TypeRef.ARRAY -> new SharedArray(this, id, type);
            case TypeRef.MAP, TypeRef.XML_HOOK -> new SharedMap(this, id, type);
            case TypeRef.TEXT, TypeRef.XML_TEXT -> new SharedText(this, id, type);
            case TypeRef.XML_ELEMENT, TypeRef.XML_FRAGMENT -> new SharedXml(this, id, type);
            default -> null;
        };
    }

    /** Element {@code i} of a visible item as its user sees it. */
    Object value(int s, int i) {
        StructStore store = author.store;
        byte[] blob = store.contents.blob;
        int at = store.content[s];
        return switch (store.kind(s)) {
            case Kind.ANY, Kind.JSON, Kind.EMBED -> {
                for (int n = 0; n < i; n++) {
                    at = AnyValue.end(blob, at);
                }
                yield Values.decode(blob, at);
            }
            case Kind.STRING -> String.valueOf(store.contents.units.at(at + i));
            case Kind.BINARY -> Arrays.copyOfRange(blob, at, at + store.contentBytes.get(s));
            case Kind.TYPE -> nested(s);
            default -> null;
        };
    }
}
