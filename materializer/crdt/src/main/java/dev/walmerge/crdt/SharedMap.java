package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.List;

/** A map: Yjs' {@code Y.Map}. */
public final class SharedMap extends SharedType {
    SharedMap(Editor editor, String root) {
        super(editor, root);
    }

    SharedMap(Editor editor, Id holder, int type) {
        super(editor, holder, type);
    }

    /** A plain value, or the handle of a nested type; null when there is none, or a sub-document. */
    public Object get(String key) {
        return valueOf(key);
    }

    public boolean has(String key) {
        return entry(key) != NONE;
    }

    /** The keys that have a value, in the order they came up. */
    public List<String> keys() {
        List<String> keys = new ArrayList<>();
        int found = readable();
        for (int e = found == NONE ? NONE : store().types.firstEntry[found];
                e != NONE;
                e = store().types.entryNext[e]) {
            if (!store().isDeleted(store().types.entryItem[e])) {
                keys.add(store().names.get(store().types.entryKey[e]));
            }
        }
        return keys;
    }

    /** Sets a plain value. */
    public void set(String key, Object value) {
        setValue(key, value);
    }

    /** Sets a new empty map. */
    public SharedMap setMap(String key) {
        int s = nestAt(key, TypeRef.MAP);
        return new SharedMap(editor, id(s), store().content[s]);
    }

    /** Sets a new empty array. */
    public SharedArray setArray(String key) {
        int s = nestAt(key, TypeRef.ARRAY);
        return new SharedArray(editor, id(s), store().content[s]);
    }

    /** Sets a new empty text. */
    public SharedText setText(String key) {
        int s = nestAt(key, TypeRef.TEXT);
        return new SharedText(editor, id(s), store().content[s]);
    }

    /** Deletes the value of a key, if there is one. */
    public void delete(String key) {
        deleteKey(key);
    }
}
