package dev.walmerge.crdt;

import dev.walmerge.crdt.ValueText.Style;
import java.util.List;
import java.util.Map;

/** A lossless dump of types, attributes and values, and the deltas of texts. */
final class TreeView {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;
    private final StringBuilder out;
    private final JsonView values;

    TreeView(StructStore store, StringBuilder out) {
        this.store = store;
        this.out = out;
        this.values = new JsonView(store, Style.MARKED, out);
    }

    void root(int type, RootType as) {
        switch (as) {
            case TEXT -> text(type, "text", 0);
            case MAP -> map(type, "map", 0);
            case ARRAY -> list(type, "array", 0);
            case XML_FRAGMENT -> list(type, "xmlFragment", 0);
            default -> out.append("null");
        }
    }

    private void type(int type, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            out.append("null");
            return;
        }
        switch (TypeRef.shown(store, type)) {
            case TypeRef.ARRAY -> list(type, "array", depth);
            case TypeRef.MAP -> map(type, "map", depth);
            case TypeRef.XML_HOOK -> map(type, "xmlHook", depth);
            case TypeRef.TEXT -> text(type, "text", depth);
            case TypeRef.XML_TEXT -> text(type, "xmlText", depth);
            case TypeRef.XML_ELEMENT -> list(type, "xmlElement", depth);
            case TypeRef.WEAK_LINK -> out.append("{\"k\":\"weakLink\"}");
            default -> list(type, "xmlFragment", depth);
        }
    }

    private void begin(int type, String kind) {
        out.append("{\"k\":\"").append(kind).append('"');
        if (TypeRef.named(store.types.ref[type])) {
            out.append(",\"name\":");
            ValueText.quote(store.names.get(store.types.name[type]), Style.MARKED, out);
        }
    }

    private void list(int type, String kind, int depth) {
        begin(type, kind);
        if (store.types.ref[type] == TypeRef.XML_ELEMENT) {
            out.append(",\"attrs\":");
            attributes(type, depth);
        }
        out.append(",\"c\":[");
        boolean first = true;
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s) || !Kind.countable(store.kind(s))) {
                continue;
            }
            int at = store.content[s];
            for (int i = 0; i < store.length.get(s); i++) {
                out.append(first ? "" : ",");
                first = false;
                if (store.kind(s) == Kind.TYPE) {
                    type(at, depth + 1);
                } else {
                    out.append("{\"v\":");
                    at = values.element(s, at, i, depth);
                    out.append('}');
                }
            }
        }
        out.append("]}");
    }

    private void map(int type, String kind, int depth) {
        begin(type, kind);
        out.append(",\"e\":{");
        boolean first = true;
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int s = store.types.entryItem[e];
            if (store.isDeleted(s)) {
                continue;
            }
            out.append(first ? "" : ",");
            first = false;
            ValueText.quote(store.names.get(store.types.entryKey[e]), Style.MARKED, out);
            out.append(':');
            if (store.kind(s) == Kind.TYPE) {
                type(store.content[s], depth + 1);
            } else {
                out.append("{\"v\":");
                values.last(s, depth);
                out.append('}');
            }
        }
        out.append("}}");
    }

    private void attributes(int type, int depth) {
        out.append('{');
        boolean first = true;
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int s = store.types.entryItem[e];
            if (store.isDeleted(s)) {
                continue;
            }
            out.append(first ? "" : ",");
            first = false;
            ValueText.quote(store.names.get(store.types.entryKey[e]), Style.MARKED, out);
            out.append(':');
            if (store.kind(s) == Kind.TYPE) {
                type(store.content[s], depth + 1);
            } else {
                values.last(s, depth);
            }
        }
        out.append('}');
    }

    private void text(int type, String kind, int depth) {
        begin(type, kind);
        out.append(",\"len\":").append(TextView.length(store, type)).append(",\"delta\":");
        delta(type, depth);
        out.append(",\"attrs\":");
        attributes(type, depth);
        out.append('}');
    }

    void delta(int type, int depth) {
        List<DeltaView.Op> ops = DeltaView.joined(store, type);
        out.append('[');
        for (int i = 0; i < ops.size(); i++) {
            DeltaView.Op op = ops.get(i);
            out.append(i == 0 ? "{\"insert\":" : ",{\"insert\":");
            if (op.text != null) {
                ValueText.quote(op.text.toString(), Style.MARKED, out);
            } else if (store.kind(op.struct) == Kind.TYPE) {
                out.append("{\"$type\":");
                type(store.content[op.struct], depth + 1);
                out.append('}');
            } else {
                values.last(op.struct, depth);
            }
            if (!op.attributes.isEmpty()) {
                out.append(",\"attributes\":{");
                boolean first = true;
                for (Map.Entry<Integer, Integer> attribute : op.attributes.entrySet()) {
                    out.append(first ? "" : ",");
                    first = false;
                    ValueText.quote(store.names.get(attribute.getKey()), Style.MARKED, out);
                    out.append(':');
                    ValueText.write(store.contents.blob, attribute.getValue(), Style.MARKED, out);
                }
                out.append('}');
            }
            out.append('}');
        }
        out.append(']');
    }
}
