package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An array: Yjs' {@code Y.Array}. */
public final class SharedArray extends SharedType {
    SharedArray(Editor editor, String root) {
        super(editor, root);
    }

    SharedArray(Editor editor, Id holder, int type) {
        super(editor, holder, type);
    }

    public int length() {
        return visibleLength();
    }

    /** A plain value, or the handle of a nested type; null for a sub-document. */
    public Object get(int index) {
        return element(index);
    }

    /** Inserts one plain value. */
    public void insert(int index, Object value) {
        put(at(index), Collections.singletonList(value));
    }

    /** Inserts plain values; bytes among them become items of their own. */
    public void insertAll(int index, List<?> values) {
        put(at(index), values);
    }

    /** Appends one plain value, behind what was deleted at the end too. */
    public void push(Object value) {
        put(NONE, Collections.singletonList(value));
    }

    /** Appends plain values. */
    public void pushAll(List<?> values) {
        put(NONE, values);
    }

    /** NONE stands for the end. */
    static int at(int index) {
        if (index < 0) {
            throw new IndexOutOfBoundsException("index " + index);
        }
        return index;
    }

    private void put(int index, List<?> values) {
        Object[] parts = parts(values);
        if (parts.length == 0) {
            check(Math.max(0, index), 0);
            return;
        }
        int found = writable(Math.max(0, index));
        editor.begin();
        try {
            int left = index == NONE ? author.last(found) : author.before(found, index);
            int right = index == NONE ? NONE : author.behind(found, left);
            for (int i = 0; i < parts.length; i += 2) {
                left = parts[i] instanceof byte[] binary
                        ? author.binary(found, Names.NONE, left, right, binary)
                        : author.values(found, Names.NONE, left, right, (ByteWriter) parts[i], (int) parts[i + 1]);
            }
        } finally {
            editor.end();
        }
    }

    /** Runs of values, each with how many they are, and single byte arrays: encoded before anything changes. */
    private static Object[] parts(List<?> values) {
        ArrayList<Object> parts = new ArrayList<>();
        int open = NONE;
        for (Object value : values) {
            if (value instanceof byte[]) {
                parts.add(value);
                parts.add(1);
                open = NONE;
                continue;
            }
            if (open == NONE) {
                open = parts.size();
                parts.add(new ByteWriter());
                parts.add(0);
            }
            Values.encode(value, (ByteWriter) parts.get(open));
            parts.set(open + 1, (int) parts.get(open + 1) + 1);
        }
        return parts.toArray();
    }

    /** Inserts a new empty map. */
    public SharedMap insertMap(int index) {
        int s = nest(at(index), TypeRef.MAP, null);
        return new SharedMap(editor, id(s), store().content[s]);
    }

    /** Inserts a new empty array. */
    public SharedArray insertArray(int index) {
        int s = nest(at(index), TypeRef.ARRAY, null);
        return new SharedArray(editor, id(s), store().content[s]);
    }

    /** Inserts a new empty text. */
    public SharedText insertText(int index) {
        int s = nest(at(index), TypeRef.TEXT, null);
        return new SharedText(editor, id(s), store().content[s]);
    }

    /** Appends a new empty map. */
    public SharedMap pushMap() {
        int s = nest(NONE, TypeRef.MAP, null);
        return new SharedMap(editor, id(s), store().content[s]);
    }

    /** Appends a new empty array. */
    public SharedArray pushArray() {
        int s = nest(NONE, TypeRef.ARRAY, null);
        return new SharedArray(editor, id(s), store().content[s]);
    }

    /** Appends a new empty text. */
    public SharedText pushText() {
        int s = nest(NONE, TypeRef.TEXT, null);
        return new SharedText(editor, id(s), store().content[s]);
    }

    /** Deletes elements, which must be there. */
    public void delete(int index, int count) {
        deleteElements(index, count);
    }
}
