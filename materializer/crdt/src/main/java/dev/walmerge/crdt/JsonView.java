package dev.walmerge.crdt;

import dev.walmerge.crdt.ValueText.Style;

/** Shared types as JSON, as their {@code toJSON} gives it: text and XML as strings, arrays and maps as such. */
final class JsonView {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;
    private final Style style;
    private final StringBuilder out;

    JsonView(StructStore store, Style style, StringBuilder out) {
        this.store = store;
        this.style = style;
        this.out = out;
    }

    void root(int type, RootType as) {
        switch (as) {
            case TEXT -> ValueText.quote(TextView.text(store, type), style, out);
            case XML_FRAGMENT -> ValueText.quote(XmlView.children(store, type), style, out);
            case ARRAY -> array(type, 0);
            case MAP -> map(type, 0);
            default -> out.append("null");
        }
    }

    void type(int type, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            out.append("null");
            return;
        }
        switch (TypeRef.shown(store, type)) {
            case TypeRef.ARRAY -> array(type, depth);
            case TypeRef.MAP, TypeRef.XML_HOOK -> map(type, depth);
            case TypeRef.TEXT -> ValueText.quote(TextView.text(store, type), style, out);
            case TypeRef.WEAK_LINK -> out.append("null");
            default -> ValueText.quote(XmlView.type(store, type), style, out);
        }
    }

    private void map(int type, int depth) {
        out.append('{');
        boolean first = true;
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int s = store.types.entryItem[e];
            if (!store.isDeleted(s)) {
                if (!first) {
                    out.append(',');
                }
                first = false;
                ValueText.quote(store.names.get(store.types.entryKey[e]), style, out);
                out.append(':');
                last(s, depth);
            }
        }
        out.append('}');
    }

    private void array(int type, int depth) {
        out.append('[');
        boolean first = true;
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s) || !Kind.countable(store.kind(s))) {
                continue;
            }
            int at = store.content[s];
            for (int i = 0; i < store.length.get(s); i++) {
                if (!first) {
                    out.append(',');
                }
                first = false;
                at = element(s, at, i, depth);
            }
        }
        out.append(']');
    }

    /** The value a map key holds: the last element of its item. */
    void last(int s, int depth) {
        int at = store.content[s];
        int last = store.length.get(s) - 1;
        if (store.kind(s) == Kind.ANY || store.kind(s) == Kind.JSON) {
            for (int i = 0; i < last; i++) {
                at = AnyValue.end(store.contents.blob, at);
            }
        }
        element(s, at, last, depth);
    }

    /** Writes element {@code i} of an item, the value of which is at {@code at}; returns where the next one is. */
    int element(int s, int at, int i, int depth) {
        byte[] blob = store.contents.blob;
        switch (store.kind(s)) {
            case Kind.ANY, Kind.JSON, Kind.EMBED -> {
                ValueText.write(blob, at, style, out);
                return AnyValue.end(blob, at);
            }
            case Kind.STRING ->
                ValueText.quote(String.valueOf(store.contents.units.at(store.content[s] + i)), style, out);
            case Kind.BINARY -> ValueText.bytes(blob, at, store.contentBytes.get(s), style, out);
            case Kind.DOC -> subdocument(at);
            case Kind.TYPE -> type(store.content[s], depth + 1);
            default -> out.append("null");
        }
        return at;
    }

    private void subdocument(int at) {
        byte[] blob = store.contents.blob;
        int options = AnyValue.end(blob, at);
        boolean autoLoad = flag(options, "autoLoad", false);
        out.append(style == Style.MARKED ? "{\"$t\":\"doc\",\"guid\":" : "{\"guid\":");
        ValueText.quote(AnyValue.text(blob, at + 1), style, out);
        out.append(",\"meta\":");
        int meta = AnyValue.member(blob, options, "meta");
        if (meta == AnyValue.NONE) {
            out.append("null");
        } else {
            ValueText.write(blob, meta, style, out);
        }
        out.append(",\"autoLoad\":").append(autoLoad);
        out.append(",\"shouldLoad\":").append(autoLoad || flag(options, "shouldLoad", false));
        out.append(",\"gc\":").append(flag(options, "gc", true)).append('}');
    }

    private boolean flag(int options, String name, boolean absent) {
        int at = AnyValue.member(store.contents.blob, options, name);
        return at == AnyValue.NONE ? absent : (store.contents.blob[at] & 0xff) == AnyValue.TRUE;
    }
}
