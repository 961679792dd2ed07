package dev.walmerge.crdt;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** XML types as Yjs' {@code toString} prints them. Nothing is escaped there, so nothing is here. */
final class XmlView {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;
    private final StringBuilder out = new StringBuilder();

    private XmlView(StructStore store) {
        this.store = store;
    }

    /** What is in a fragment. */
    static String children(StructStore store, int type) {
        XmlView view = new XmlView(store);
        view.list(type, 0);
        return view.out.toString();
    }

    /** A type with its own tag. */
    static String type(StructStore store, int type) {
        XmlView view = new XmlView(store);
        view.one(type, 0);
        return view.out.toString();
    }

    private void one(int type, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            return;
        }
        switch (TypeRef.shown(store, type)) {
            case TypeRef.XML_ELEMENT -> element(type, depth);
            case TypeRef.XML_TEXT -> formatted(type, depth);
            case TypeRef.XML_FRAGMENT -> list(type, depth);
            case TypeRef.TEXT -> TextView.append(store, type, out);
            case TypeRef.WEAK_LINK -> {}
            default -> out.append("[object Object]");
        }
    }

    private void list(int type, int depth) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s) || !Kind.countable(store.kind(s))) {
                continue;
            }
            int at = store.content[s];
            for (int i = 0; i < store.length.get(s); i++) {
                if (store.kind(s) == Kind.TYPE) {
                    one(at, depth + 1);
                } else {
                    at = plain(s, at, i);
                }
            }
        }
    }

    private int plain(int s, int at, int i) {
        switch (store.kind(s)) {
            case Kind.ANY, Kind.JSON, Kind.EMBED -> {
                JsText.append(store.contents.blob, at, out);
                return AnyValue.end(store.contents.blob, at);
            }
            case Kind.STRING -> out.append(store.contents.units.at(store.content[s] + i));
            default -> out.append("[object Object]");
        }
        return at;
    }

    private void element(int type, int depth) {
        String name = store.names.get(store.types.name[type]).toLowerCase(Locale.ROOT);
        out.append('<').append(name);
        TreeMap<String, Integer> attributes = new TreeMap<>();
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            if (!store.isDeleted(store.types.entryItem[e])) {
                attributes.put(store.names.get(store.types.entryKey[e]), store.types.entryItem[e]);
            }
        }
        for (Map.Entry<String, Integer> attribute : attributes.entrySet()) {
            out.append(' ').append(attribute.getKey()).append("=\"");
            attribute(attribute.getValue(), depth);
            out.append('"');
        }
        out.append('>');
        list(type, depth);
        out.append("</").append(name).append('>');
    }

    private void attribute(int s, int depth) {
        int at = store.content[s];
        if (store.kind(s) == Kind.TYPE) {
            one(at, depth + 1);
            return;
        }
        for (int i = 0; i < store.length.get(s) - 1; i++) {
            if (store.kind(s) == Kind.ANY || store.kind(s) == Kind.JSON) {
                at = AnyValue.end(store.contents.blob, at);
            }
        }
        plain(s, at, store.length.get(s) - 1);
    }

    private void formatted(int type, int depth) {
        List<DeltaView.Op> ops = DeltaView.cut(store, type);
        for (DeltaView.Op op : ops) {
            TreeMap<String, Integer> marks = new TreeMap<>();
            op.attributes.forEach((key, at) -> marks.put(store.names.get(key), at));
            for (Map.Entry<String, Integer> mark : marks.entrySet()) {
                out.append('<').append(mark.getKey());
                JsText.members(store.contents.blob, mark.getValue(), out);
                out.append('>');
            }
            if (op.text != null) {
                out.append(op.text);
            } else if (store.kind(op.struct) == Kind.TYPE) {
                one(store.content[op.struct], depth + 1);
            } else {
                JsText.append(store.contents.blob, store.content[op.struct], out);
            }
            for (String mark : marks.descendingKeySet()) {
                out.append("</").append(mark).append('>');
            }
        }
    }
}
