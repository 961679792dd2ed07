package dev.walmerge.crdt;

import java.util.HashMap;
import java.util.Map;

/**
 * Reads texts and trees of XML types, as editors build them, block by block. One walk over everything; what is nested deeper
 * than {@link Limits#VIEW_DEPTH} is left out.
 *
 * <p>An element is a block when it is right in the root or its name says so, and inline when its name says that; any other
 * is inline when it has text beside it.
 */
final class BlockWalk {
    private static final int NONE = StructStore.NONE;
    private static final String NO_ALT = "";

    private final StructStore store;
    private final BlockSink sink;
    final Labels labels;

    private final Map<String, Tag> tags = new HashMap<>();

    BlockWalk(StructStore store, BlockSink sink) {
        this.store = store;
        this.sink = sink;
        this.labels = new Labels(store);
    }

    /** What is in a root of XML types: each a block. */
    void fragment(int type, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            return;
        }
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isText(s)) {
                string(s);
            } else if (!store.isDeleted(s) && store.kind(s) == Kind.TYPE) {
                child(store.content[s], true, true, false, depth + 1);
            }
        }
    }

    /** A text with what is embedded in it. */
    void text(int type, int depth) {
        content(type, true, depth);
    }

    /** An element, which is a block here. */
    void block(int type, int depth) {
        child(type, true, true, false, depth);
    }

    private void string(int s) {
        if (store.length.get(s) > 0) {
            sink.string(s);
        }
    }

    void write(String text) {
        if (!text.isEmpty()) {
            sink.out().append(text);
        }
    }

    private void content(int type, boolean inText, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            return;
        }
        boolean beside = hasText(type, inText);
        int altName = inText ? store.names.find("alt") : Names.NONE;
        String alt = NO_ALT;
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s)) {
                continue;
            }
            switch (store.kind(s)) {
                case Kind.STRING -> string(s);
                case Kind.TYPE -> child(store.content[s], false, beside, inText, depth + 1);
                case Kind.EMBED -> write(labels.embed(store.content[s], alt));
                case Kind.FORMAT -> alt = altName != Names.NONE && store.formatKey(s) == altName ? alt(s) : alt;
                default -> {}
            }
        }
    }

    private String alt(int s) {
        byte[] blob = store.contents.blob;
        int at = store.content[s];
        return (blob[at] & 0xff) == AnyValue.STRING ? AnyValue.text(blob, at + 1) : NO_ALT;
    }

    /** Whether text is right in there: a string of a text, or a text of an element. */
    private boolean hasText(int type, boolean inText) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isText(s)) {
                return true;
            }
            if (!inText && !store.isDeleted(s) && store.kind(s) == Kind.TYPE && isText(store.content[s])) {
                return true;
            }
        }
        return false;
    }

    private boolean isText(int type) {
        int shown = TypeRef.shown(store, type);
        return shown == TypeRef.XML_TEXT || shown == TypeRef.TEXT;
    }

    /**
     * @param root whether it is right in a root
     * @param beside whether there is text beside it
     * @param inText whether it is embedded in a text
     */
    private void child(int type, boolean root, boolean beside, boolean inText, int depth) {
        if (isText(type) && !root && !inText) {
            content(type, true, depth);
            return;
        }
        switch (TypeRef.shown(store, type)) {
            case TypeRef.XML_TEXT, TypeRef.TEXT, TypeRef.XML_ELEMENT -> element(type, root, beside, depth);
            case TypeRef.XML_FRAGMENT -> {
                sink.enter(type, "");
                fragment(type, depth);
                sink.leave();
            }
            case TypeRef.MAP -> {
                if (inText && labels.string(type, "__type").equals("linebreak")) {
                    sink.out().append('\n');
                }
            }
            default -> {}
        }
    }

    private void element(int type, boolean root, boolean beside, int depth) {
        String kind = labels.kind(type);
        Tag tag = tag(type, kind);
        if (tag == Tag.BREAK) {
            sink.out().append('\n');
            return;
        }
        boolean inline = !root && (tag == Tag.INLINE || tag == Tag.MENTION || (tag == Tag.OTHER && beside));
        if (!inline) {
            sink.enter(type, kind);
        }
        if (!hasContent(type)) {
            write(tag == Tag.MENTION ? labels.mention(type) : labels.captions(type));
        } else {
            content(type, isText(type), depth);
        }
        if (!inline) {
            sink.leave();
        }
    }

    private boolean hasContent(int type) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (!store.isDeleted(s) && Kind.countable(store.kind(s))) {
                return true;
            }
        }
        return false;
    }

    /** Remembered for names of elements, which repeat. */
    private Tag tag(int type, String kind) {
        if (store.types.ref[type] != TypeRef.XML_ELEMENT) {
            return Tag.of(kind);
        }
        Tag known = tags.get(kind);
        if (known == null) {
            known = Tag.of(kind);
            tags.put(kind, known);
        }
        return known;
    }
}
