package dev.walmerge.crdt;

import java.util.Arrays;
import java.util.List;
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
    private static final int RECORD_DEPTH = 6;

    /** The same of documents in a value. */
    private static final int RICH_DEPTH = 64;

    /** The members that tell what an object is, in the order of the constants below. */
    private static final String[] TELLING = {
        "type",
        "content",
        "text",
        "attrs",
        "id",
        "typeName",
        "versionNonce",
        "dataURL",
        "mimeType",
        "isDeleted",
        "originalText",
        "val",
        "el"
    };

    private static final int TYPE = 0;
    private static final int CONTENT = 1;
    private static final int TEXT = 2;
    private static final int ATTRS = 3;
    private static final int ID = 4;
    private static final int TYPE_NAME = 5;
    private static final int VERSION_NONCE = 6;
    private static final int DATA_URL = 7;
    private static final int MIME_TYPE = 8;
    private static final int IS_DELETED = 9;
    private static final int ORIGINAL_TEXT = 10;
    private static final int VAL = 11;
    private static final int EL = 12;

    private static final List<String> TELLING_LIST = List.of(TELLING);

    /** Bytes of the longest of them. */
    private static final int LONGEST = 12;

    /** Where a plain object ends. */
    private static final int END = TELLING.length;

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
            sink.out().append(text);
        }
    }

    private void type(int type, boolean record, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            return;
        }
        switch (TypeRef.shown(store, type)) {
            case TypeRef.MAP, TypeRef.XML_HOOK -> map(type, record, depth);
            case TypeRef.ARRAY -> list(type, record, depth);
            case TypeRef.TEXT -> blocks.text(type, depth);
            case TypeRef.XML_ELEMENT, TypeRef.XML_TEXT -> blocks.block(type, depth);
            case TypeRef.XML_FRAGMENT -> blocks.fragment(type, depth);
            default -> {}
        }
    }

    /** Returns where the next value is, when this is a plain one. */
    private int value(int value, boolean record, int depth) {
        if (value < 0) {
            type(~value, record, depth);
            return value;
        }
        switch (blob[value] & 0xff) {
            case AnyValue.ARRAY -> {
                int count = (int) AnyValue.number(blob, value + 1);
                int pos = AnyValue.endOfNumber(blob, value + 1);
                for (int i = 0; i < count; i++) {
                    pos = element(pos, record, depth + 1);
                }
                return pos;
            }
            case AnyValue.OBJECT -> {
                return object(value, record, depth);
            }
            case AnyValue.STRING -> string(AnyValue.text(blob, value + 1));
            default -> {}
        }
        return AnyValue.end(blob, value);
    }

    private int element(int value, boolean record, int depth) {
        sink.enter(value < 0 ? ~value : NONE, "");
        int end = value(value, record, depth);
        sink.leave();
        return end;
    }

    private void list(int type, boolean record, int depth) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s)) {
                continue;
            }
            if (store.kind(s) == Kind.TYPE) {
                element(~store.content[s], record, depth + 1);
            } else if (store.kind(s) == Kind.ANY || store.kind(s) == Kind.JSON) {
                int at = store.content[s];
                for (int i = 0; i < store.length.get(s); i++) {
                    at = element(at, record, depth + 1);
                }
            }
        }
    }

    private void map(int type, boolean record, int depth) {
        int[] told = depth <= RECORD_DEPTH ? told(~type) : null;
        if (told != null && isSpecial(~type, told, record, depth)) {
            return;
        }
        TreeMap<String, Integer> entries = new TreeMap<>();
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int value = entry(store.types.entryItem[e], type, store.types.entryKey[e]);
            if (value != ABSENT) {
                entries.put(store.names.get(store.types.entryKey[e]), value);
            }
        }
        boolean original = told != null && told[ORIGINAL_TEXT] != ABSENT;
        for (Map.Entry<String, Integer> entry : entries.entrySet()) {
            member(entry.getKey(), entry.getValue(), record, original, depth);
        }
    }

    private int object(int at, boolean record, int depth) {
        int[] told = depth <= RECORD_DEPTH ? told(at) : null;
        if (told != null && isSpecial(at, told, record, depth)) {
            return told[END];
        }
        boolean original = told != null && told[ORIGINAL_TEXT] != ABSENT;
        int count = (int) AnyValue.number(blob, at + 1);
        int pos = AnyValue.endOfNumber(blob, at + 1);
        for (int i = 0; i < count; i++) {
            String key = AnyValue.text(blob, pos);
            pos = AnyValue.endOfNumber(blob, pos) + (int) AnyValue.number(blob, pos);
            pos = member(key, pos, record, original, depth);
        }
        return pos;
    }

    /** @param original whether the text is there as it was typed, too, so that the one with its line breaks doesn't count */
    private int member(String key, int value, boolean record, boolean original, int depth) {
        boolean nested = value < 0 || (blob[value] & 0xff) == AnyValue.OBJECT || (blob[value] & 0xff) == AnyValue.ARRAY;
        if (record && !nested && (!SHOWN.contains(key) || (original && key.equals("text")))) {
            return AnyValue.end(blob, value);
        }
        sink.enterMember(value < 0 ? ~value : NONE, key);
        int end = value(value, record, depth + 1);
        sink.leave();
        return end;
    }

    /** Reads an object in another way when it is a document, a record or what holds one; false when it is nothing special. */
    private boolean isSpecial(int value, int[] told, boolean record, int depth) {
        if (isRich(value, told)) {
            rich(value, 0);
            return true;
        }
        if (record) {
            return false;
        }
        if (isRecord(told)) {
            record(value, told, depth);
            return true;
        }
        for (int wrapper = VAL; wrapper <= EL; wrapper++) {
            int inner = told[wrapper];
            int[] innerTold = inner == ABSENT ? null : told(inner);
            if (innerTold != null && isRecord(innerTold)) {
                record(inner, innerTold, depth);
                return true;
            }
        }
        return false;
    }

    private void record(int value, int[] told, int depth) {
        int deleted = told[IS_DELETED];
        if (deleted < 0 || (blob[deleted] & 0xff) != AnyValue.TRUE) {
            value(value, true, depth);
        }
    }

    /** tldraw's, Excalidraw's, and the images of the latter. */
    private static boolean isRecord(int[] told) {
        return (told[TYPE_NAME] != ABSENT && told[ID] != ABSENT)
                || (told[VERSION_NONCE] != ABSENT && told[TYPE] != ABSENT)
                || (told[DATA_URL] != ABSENT && told[MIME_TYPE] != ABSENT);
    }

    private boolean isRich(int value, int[] told) {
        return value >= 0
                && is(told[CONTENT], AnyValue.ARRAY)
                && is(told[TYPE], AnyValue.STRING)
                && AnyValue.text(blob, told[TYPE] + 1).equals("doc");
    }

    private boolean is(int value, int tag) {
        return value >= 0 && (blob[value] & 0xff) == tag;
    }

    /** Where the telling members are; null when the value is neither an object nor a map. */
    private int[] told(int value) {
        int[] told = new int[TELLING.length + 1];
        Arrays.fill(told, ABSENT);
        if (value < 0) {
            int type = ~value;
            if (store.types.ref[type] != TypeRef.MAP && !store.types.isRoot(type)) {
                return null;
            }
            for (int i = 0; i < TELLING.length; i++) {
                int name = store.names.find(TELLING[i]);
                told[i] = name == Names.NONE ? ABSENT : entry(store.types.last(type, name), type, name);
            }
            return told;
        }
        if (!is(value, AnyValue.OBJECT)) {
            return null;
        }
        int count = (int) AnyValue.number(blob, value + 1);
        int pos = AnyValue.endOfNumber(blob, value + 1);
        for (int i = 0; i < count; i++) {
            int length = (int) AnyValue.number(blob, pos);
            int known = length > LONGEST ? NONE : TELLING_LIST.indexOf(AnyValue.text(blob, pos));
            pos = AnyValue.endOfNumber(blob, pos) + length;
            if (known != NONE) {
                told[known] = pos;
            }
            pos = AnyValue.end(blob, pos);
        }
        told[END] = pos;
        return told;
    }

    /** The value an entry holds now, when it is plain or a type. */
    private int entry(int s, int type, int name) {
        if (s != NONE && !store.isDeleted(s) && store.kind(s) == Kind.TYPE) {
            return ~store.content[s];
        }
        int at = blocks.labels.value(type, name);
        return at == NONE ? ABSENT : at;
    }

    /** A node of a ProseMirror document in a value. Returns where the next one is. */
    private int rich(int at, int depth) {
        int[] told = depth > RICH_DEPTH ? null : told(at);
        if (told == null) {
            return AnyValue.end(blob, at);
        }
        String kind = is(told[TYPE], AnyValue.STRING) ? AnyValue.text(blob, told[TYPE] + 1) : "";
        Tag tag = Tag.of(kind);
        if (tag == Tag.BREAK) {
            sink.out().append('\n');
            return told[END];
        }
        boolean inline = tag == Tag.INLINE || tag == Tag.MENTION || kind.equals("text");
        if (!inline) {
            sink.enter(NONE, kind);
        }
        if (is(told[TEXT], AnyValue.STRING)) {
            blocks.write(AnyValue.text(blob, told[TEXT] + 1));
        } else if (tag == Tag.MENTION && is(told[ATTRS], AnyValue.OBJECT)) {
            blocks.write(blocks.labels.mentionAt(told[ATTRS]));
        } else if (is(told[CONTENT], AnyValue.ARRAY)) {
            int pos = AnyValue.endOfNumber(blob, told[CONTENT] + 1);
            for (long left = AnyValue.number(blob, told[CONTENT] + 1); left > 0; left--) {
                pos = rich(pos, depth + 1);
            }
        }
        if (!inline) {
            sink.leave();
        }
        return told[END];
    }
}
