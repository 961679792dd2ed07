package dev.walmerge.crdt;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads the strings of maps, lists and plain values, a line each: lists in their order, maps by key, plain objects as they are
 * written. Texts and XML types in them are read as such, and so is a plain object that is a ProseMirror document.
 *
 * <p>Of the records of drawings only what is shown counts: an object that looks like one is read by the names of its members,
 * wherever it is. {@code data:} URLs are never text.
 *
 * <p>A value is named by one int: where a plain one is in the blob, or the complement of a shared type.
 */
final class ValueWalk {
    private static final int NONE = StructStore.NONE;
    private static final int ABSENT = Integer.MIN_VALUE;

    /** Records lie near the root; looking for them deeper would read nested values again and again. */
    private static final int RECORD_DEPTH = 8;

    /** The same of documents in a value. */
    private static final int RICH_DEPTH = 64;

    /** The members of a record that are shown. */
    private static final Set<String> SHOWN =
            Set.of("text", "originalText", "richText", "name", "title", "description", "label", "caption", "altText");

    private final StructStore store;
    private final BlockSink sink;
    private final BlockWalk blocks;
    private final byte[] blob;

    ValueWalk(StructStore store, BlockSink sink) {
        this.store = store;
        this.sink = sink;
        this.blocks = new BlockWalk(store, sink);
        this.blob = store.contents.blob;
    }

    /** A root that is a map or a list. */
    void root(int type, RootType as) {
        if (as == RootType.MAP) {
            map(type, false, 0);
        } else {
            list(type, false, 0);
        }
    }

    private void string(String text) {
        if (!text.isEmpty() && !text.startsWith("data:")) {
            sink.enter(NONE, "");
            sink.out().append(text);
            sink.leave();
        }
    }

    private void type(int type, boolean record, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            return;
        }
        switch (TypeRef.shown(store, type)) {
            case TypeRef.MAP, TypeRef.XML_HOOK -> map(type, record, depth);
            case TypeRef.ARRAY -> list(type, record, depth);
            case TypeRef.TEXT -> {
                sink.enter(type, "");
                blocks.text(type, depth);
                sink.leave();
            }
            case TypeRef.XML_ELEMENT, TypeRef.XML_TEXT -> blocks.block(type, depth);
            case TypeRef.XML_FRAGMENT -> blocks.fragment(type, depth);
            default -> {}
        }
    }

    private void value(int value, boolean record, int depth) {
        if (value < 0) {
            type(~value, record, depth);
            return;
        }
        switch (blob[value] & 0xff) {
            case AnyValue.STRING -> string(AnyValue.text(blob, value + 1));
            case AnyValue.ARRAY -> {
                int count = (int) AnyValue.number(blob, value + 1);
                int pos = AnyValue.endOfNumber(blob, value + 1);
                for (int i = 0; i < count; i++) {
                    value(pos, record, depth + 1);
                    pos = AnyValue.end(blob, pos);
                }
            }
            case AnyValue.OBJECT -> object(value, record, depth);
            default -> {}
        }
    }

    private void list(int type, boolean record, int depth) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s)) {
                continue;
            }
            if (store.kind(s) == Kind.TYPE) {
                value(~store.content[s], record, depth + 1);
            } else if (store.kind(s) == Kind.ANY || store.kind(s) == Kind.JSON) {
                int at = store.content[s];
                for (int i = 0; i < store.length.get(s); i++) {
                    value(at, record, depth + 1);
                    at = AnyValue.end(blob, at);
                }
            }
        }
    }

    private void map(int type, boolean record, int depth) {
        int inner = depth <= RECORD_DEPTH ? special(~type, record) : ABSENT;
        if (inner != ABSENT) {
            record(inner, depth + 1);
            return;
        }
        TreeMap<String, Integer> entries = new TreeMap<>();
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int value = entry(store.types.entryItem[e], type, store.types.entryKey[e]);
            if (value != ABSENT) {
                entries.put(store.names.get(store.types.entryKey[e]), value);
            }
        }
        boolean original = record && entries.containsKey("originalText");
        for (Map.Entry<String, Integer> entry : entries.entrySet()) {
            member(entry.getKey(), entry.getValue(), record, original, depth);
        }
    }

    private void object(int at, boolean record, int depth) {
        int inner = depth <= RECORD_DEPTH ? special(at, record) : ABSENT;
        if (inner != ABSENT) {
            record(inner, depth + 1);
            return;
        }
        boolean original = record && depth <= RECORD_DEPTH && member(at, "originalText") != ABSENT;
        int count = (int) AnyValue.number(blob, at + 1);
        int pos = AnyValue.endOfNumber(blob, at + 1);
        for (int i = 0; i < count; i++) {
            String key = AnyValue.text(blob, pos);
            pos = AnyValue.endOfNumber(blob, pos) + (int) AnyValue.number(blob, pos);
            member(key, pos, record, original, depth);
            pos = AnyValue.end(blob, pos);
        }
    }

    /** @param original whether the text is there as it was typed, too, so that the one with its line breaks doesn't count */
    private void member(String key, int value, boolean record, boolean original, int depth) {
        boolean nested = value < 0 || (blob[value] & 0xff) == AnyValue.OBJECT || (blob[value] & 0xff) == AnyValue.ARRAY;
        if (!record || nested || (SHOWN.contains(key) && !(original && key.equals("text")))) {
            value(value, record, depth + 1);
        }
    }

    /** What of an object is to be read in another way: a record, or a document; ABSENT when it is nothing special. */
    private int special(int value, boolean record) {
        if (isRich(value)) {
            return value;
        }
        if (record) {
            return ABSENT;
        }
        if (isRecord(value)) {
            return value;
        }
        for (String wrapper : new String[] {"val", "el"}) {
            int inner = member(value, wrapper);
            if (inner != ABSENT && isRecord(inner)) {
                return inner;
            }
        }
        return ABSENT;
    }

    private void record(int value, int depth) {
        if (value >= 0 && isRich(value)) {
            rich(value, 0);
        } else if (!isTrue(member(value, "isDeleted"))) {
            if (value < 0) {
                map(~value, true, depth);
            } else {
                object(value, true, depth);
            }
        }
    }

    private boolean isTrue(int value) {
        return value >= 0 && (blob[value] & 0xff) == AnyValue.TRUE;
    }

    /** tldraw's, Excalidraw's, and the images of the latter. */
    private boolean isRecord(int value) {
        return (has(value, "typeName") && has(value, "id"))
                || (has(value, "versionNonce") && has(value, "type"))
                || (has(value, "dataURL") && has(value, "mimeType"));
    }

    private boolean isRich(int value) {
        int kind = value < 0 ? ABSENT : member(value, "type");
        int content = kind == ABSENT || !isString(kind) ? ABSENT : member(value, "content");
        return content != ABSENT
                && (blob[content] & 0xff) == AnyValue.ARRAY
                && AnyValue.text(blob, kind + 1).equals("doc");
    }

    private boolean isString(int value) {
        return (blob[value] & 0xff) == AnyValue.STRING;
    }

    private boolean has(int value, String key) {
        return member(value, key) != ABSENT;
    }

    private int member(int value, String key) {
        if (value < 0) {
            int type = ~value;
            int name = store.types.ref[type] == TypeRef.MAP || store.types.isRoot(type) ? store.names.find(key) : NONE;
            return name == NONE ? ABSENT : entry(store.types.last(type, name), type, name);
        }
        int found = AnyValue.member(blob, value, key);
        return found == AnyValue.NONE ? ABSENT : found;
    }

    /** The value an entry holds now, when it is plain or a type. */
    private int entry(int s, int type, int name) {
        if (s != NONE && !store.isDeleted(s) && store.kind(s) == Kind.TYPE) {
            return ~store.content[s];
        }
        int at = blocks.labels.value(type, name);
        return at == NONE ? ABSENT : at;
    }

    /** A node of a ProseMirror document in a value. */
    private void rich(int at, int depth) {
        if (depth > RICH_DEPTH || (blob[at] & 0xff) != AnyValue.OBJECT) {
            return;
        }
        int text = member(at, "text");
        int content = member(at, "content");
        int name = member(at, "type");
        String kind = name != ABSENT && isString(name) ? AnyValue.text(blob, name + 1) : "";
        Tag tag = Tag.of(kind);
        boolean inline = tag == Tag.INLINE || tag == Tag.MENTION || kind.equals("text");
        if (!inline && tag != Tag.BREAK) {
            sink.enter(NONE, kind);
        }
        if (tag == Tag.BREAK) {
            sink.out().append('\n');
        } else if (text != ABSENT && isString(text)) {
            blocks.write(AnyValue.text(blob, text + 1));
        } else if (tag == Tag.MENTION && has(at, "attrs")) {
            blocks.write(blocks.labels.mentionAt(member(at, "attrs")));
        } else if (content != ABSENT && (blob[content] & 0xff) == AnyValue.ARRAY) {
            int count = (int) AnyValue.number(blob, content + 1);
            int pos = AnyValue.endOfNumber(blob, content + 1);
            for (int i = 0; i < count; i++) {
                rich(pos, depth + 1);
                pos = AnyValue.end(blob, pos);
            }
        }
        if (!inline && tag != Tag.BREAK) {
            sink.leave();
        }
    }
}
