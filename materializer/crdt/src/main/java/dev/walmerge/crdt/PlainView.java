package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shared types as plain values, as their {@code toJSON} gives them: the counterpart of {@link JsonView}. */
final class PlainView {
    private static final int NONE = StructStore.NONE;

    /** Room for the few members most maps have. */
    private static final int FEW = 8;

    private final StructStore store;

    PlainView(StructStore store) {
        this.store = store;
    }

    Object root(int type, RootType as) {
        return switch (as) {
            case TEXT -> TextView.text(store, type);
            case XML_FRAGMENT -> XmlView.children(store, type);
            case ARRAY -> array(type, 0);
            case MAP -> map(type, 0);
            default -> null;
        };
    }

    private Object type(int type, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            return null;
        }
        return switch (TypeRef.shown(store, type)) {
            case TypeRef.ARRAY -> array(type, depth);
            case TypeRef.MAP, TypeRef.XML_HOOK -> map(type, depth);
            case TypeRef.TEXT -> TextView.text(store, type);
            case TypeRef.WEAK_LINK -> null;
            default -> XmlView.type(store, type);
        };
    }

    private Map<String, Object> map(int type, int depth) {
        Map<String, Object> map = new LinkedHashMap<>(FEW);
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int s = store.types.entryItem[e];
            if (!store.isDeleted(s)) {
                map.put(store.names.get(store.types.entryKey[e]), last(s, depth));
            }
        }
        return Collections.unmodifiableMap(map);
    }

    /** The value a map key holds: the last element of its item. */
    private Object last(int s, int depth) {
        int at = store.content[s];
        int last = store.length.get(s) - 1;
        if (store.kind(s) == Kind.ANY || store.kind(s) == Kind.JSON) {
            for (int i = 0; i < last; i++) {
                at = AnyValue.end(store.contents.blob, at);
            }
        }
        return element(s, at, last, depth);
    }

    private List<Object> array(int type, int depth) {
        List<Object> list = new ArrayList<>();
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            int kind = store.kind(s);
            if (store.isDeleted(s) || !Kind.countable(kind)) {
                continue;
            }
            boolean values = kind == Kind.ANY || kind == Kind.JSON || kind == Kind.EMBED;
            int at = store.content[s];
            for (int i = 0; i < store.length.get(s); i++) {
                list.add(element(s, at, i, depth));
                at = values ? AnyValue.end(store.contents.blob, at) : at;
            }
        }
        return Collections.unmodifiableList(list);
    }

    /** Element {@code i} of an item, the value of which is at {@code at}. */
    private Object element(int s, int at, int i, int depth) {
        byte[] blob = store.contents.blob;
        return switch (store.kind(s)) {
            case Kind.ANY, Kind.JSON, Kind.EMBED -> Values.decode(blob, at);
            case Kind.STRING -> String.valueOf(store.contents.units.at(store.content[s] + i));
            case Kind.BINARY -> Arrays.copyOfRange(blob, at, at + store.contentBytes.get(s));
            case Kind.DOC -> subdocument(at);
            case Kind.TYPE -> type(store.content[s], depth + 1);
            default -> null;
        };
    }

    private Map<String, Object> subdocument(int at) {
        byte[] blob = store.contents.blob;
        int options = AnyValue.end(blob, at);
        boolean autoLoad = flag(options, "autoLoad", false);
        int meta = AnyValue.member(blob, options, "meta");
        Map<String, Object> map = new LinkedHashMap<>(FEW);
        map.put("guid", AnyValue.text(blob, at + 1));
        map.put("meta", meta == AnyValue.NONE ? null : Values.decode(blob, meta));
        map.put("autoLoad", autoLoad);
        map.put("shouldLoad", autoLoad || flag(options, "shouldLoad", false));
        map.put("gc", flag(options, "gc", true));
        return Collections.unmodifiableMap(map);
    }

    private boolean flag(int options, String name, boolean absent) {
        int at = AnyValue.member(store.contents.blob, options, name);
        return at == AnyValue.NONE ? absent : (store.contents.blob[at] & 0xff) == AnyValue.TRUE;
    }
}
