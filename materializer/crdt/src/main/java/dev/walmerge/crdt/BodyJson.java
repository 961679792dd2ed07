package dev.walmerge.crdt;

import dev.walmerge.crdt.ValueText.Style;
import java.util.List;
import java.util.Map;

/** A root in the JSON its editor uses, fit for jsonb; PROJECTIONS.md shows each form. */
final class BodyJson {
    private static final int NONE = StructStore.NONE;

    /** Version 2 says a name once for all elements; a longer one is cut, so that repeating it can't make gigabytes. */
    private static final int NAME_LAST = 128;

    /** What y-prosemirror appends to the name of a mark that may overlap others of its kind: two hyphens and a hash. */
    private static final int MARK_HASH = 10;

    private final StructStore store;
    private final StringBuilder out;
    private final JsonView values;

    BodyJson(StructStore store, StringBuilder out) {
        this.store = store;
        this.out = out;
        this.values = new JsonView(store, Style.JSONB, out);
    }

    void root(int type, RootType found, BodyProjection as) {
        switch (as) {
            case QUILL -> delta(type);
            case PROSEMIRROR -> {
                out.append("{\"type\":\"doc\",\"content\":[");
                nodes(type, 0);
                out.append("]}");
            }
            case LEXICAL -> {
                out.append("{\"type\":\"root\"");
                properties(type, 0);
                out.append(",\"children\":[");
                lexicalChildren(type, 0);
                out.append("]}");
            }
            case SLATE -> {
                out.append('[');
                slateChildren(type, 0);
                out.append(']');
            }
            default -> values.root(type, found);
        }
    }

    /** Whether a text has what a string can't say. */
    static boolean isFormatted(StructStore store, int type) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (!store.isDeleted(s) && store.kind(s) != Kind.STRING) {
                return true;
            }
        }
        return false;
    }

    private void quote(CharSequence text) {
        ValueText.quote(text.toString(), Style.JSONB, out);
    }

    private void name(String name) {
        quote(name.length() > NAME_LAST ? name.substring(0, NAME_LAST) : name);
    }

    private void comma(boolean wanted) {
        if (wanted) {
            out.append(',');
        }
    }

    private void delta(int type) {
        out.append('[');
        boolean first = true;
        for (DeltaView.Op op : DeltaView.joined(store, type)) {
            comma(!first);
            first = false;
            out.append("{\"insert\":");
            insert(op);
            if (!op.attributes.isEmpty()) {
                out.append(",\"attributes\":{");
                attributes(op, true);
                out.append('}');
            }
            out.append('}');
        }
        out.append(']');
    }

    private void insert(DeltaView.Op op) {
        if (op.text != null) {
            quote(op.text);
        } else {
            values.last(op.struct, 0);
        }
    }

    /** The formats of an op as members. */
    private void attributes(DeltaView.Op op, boolean first) {
        boolean begin = first;
        for (Map.Entry<Integer, Integer> attribute : op.attributes.entrySet()) {
            comma(!begin);
            begin = false;
            quote(store.names.get(attribute.getKey()));
            out.append(':');
            ValueText.write(store.contents.blob, attribute.getValue(), Style.JSONB, out);
        }
    }

    /** The children of a fragment or element as ProseMirror's nodes. */
    private void nodes(int type, int depth) {
        if (hasStrings(type)) {
            texts(type, depth);
            return;
        }
        boolean first = true;
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s) || store.kind(s) != Kind.TYPE) {
                continue;
            }
            int child = store.content[s];
            int from = out.length();
            comma(!first);
            int begin = out.length();
            if (depth >= Limits.VIEW_DEPTH) {
                out.append("null");
            } else if (store.types.ref[child] == TypeRef.XML_TEXT || store.types.ref[child] == TypeRef.TEXT) {
                texts(child, depth);
            } else {
                node(child, depth);
            }
            if (out.length() == begin) {
                out.setLength(from);
            } else {
                first = false;
            }
        }
    }

    /** Yjs 14 puts strings right into elements. */
    private boolean hasStrings(int type) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isText(s)) {
                return true;
            }
        }
        return false;
    }

    private void node(int type, int depth) {
        if (store.types.ref[type] != TypeRef.XML_ELEMENT) {
            values.type(type, depth);
            return;
        }
        out.append("{\"type\":");
        name(store.names.get(store.types.name[type]));
        int from = out.length();
        out.append(",\"attrs\":{");
        int begin = out.length();
        members(type, depth);
        if (out.length() == begin) {
            out.setLength(from);
        } else {
            out.append('}');
        }
        from = out.length();
        out.append(",\"content\":[");
        begin = out.length();
        nodes(type, depth + 1);
        if (out.length() == begin) {
            out.setLength(from);
        } else {
            out.append(']');
        }
        out.append('}');
    }

    /** The entries of a type as members. */
    private void members(int type, int depth) {
        boolean first = true;
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int s = store.types.entryItem[e];
            if (!store.isDeleted(s)) {
                comma(!first);
                first = false;
                quote(store.names.get(store.types.entryKey[e]));
                out.append(':');
                values.last(s, depth);
            }
        }
    }

    private void texts(int type, int depth) {
        List<DeltaView.Op> ops = DeltaView.joined(store, type);
        for (int i = 0; i < ops.size(); i++) {
            DeltaView.Op op = ops.get(i);
            comma(i > 0);
            if (op.text == null && store.kind(op.struct) == Kind.TYPE) {
                if (depth >= Limits.VIEW_DEPTH) {
                    out.append("null");
                } else {
                    node(store.content[op.struct], depth + 1);
                }
                continue;
            }
            out.append(op.text != null ? "{\"type\":\"text\",\"text\":" : "{\"type\":\"embed\",\"attrs\":");
            insert(op);
            if (!op.attributes.isEmpty()) {
                out.append(",\"marks\":[");
                marks(op);
                out.append(']');
            }
            out.append('}');
        }
    }

    private void marks(DeltaView.Op op) {
        boolean first = true;
        for (Map.Entry<Integer, Integer> attribute : op.attributes.entrySet()) {
            comma(!first);
            first = false;
            out.append("{\"type\":");
            quote(markName(store.names.get(attribute.getKey())));
            out.append(",\"attrs\":");
            ValueText.write(store.contents.blob, attribute.getValue(), Style.JSONB, out);
            out.append('}');
        }
    }

    private static String markName(String key) {
        int at = key.length() - MARK_HASH;
        if (at < 0 || !key.startsWith("--", at)) {
            return key;
        }
        for (int i = at + 2; i < key.length(); i++) {
            char c = key.charAt(i);
            if (!(c < 0x80 && Character.isLetterOrDigit(c)) && c != '+' && c != '/' && c != '=') {
                return key;
            }
        }
        return key.substring(0, at);
    }

    private void slateChildren(int type, int depth) {
        List<DeltaView.Op> ops = DeltaView.joined(store, type);
        if (ops.isEmpty()) {
            out.append("{\"text\":\"\"}");
        }
        for (int i = 0; i < ops.size(); i++) {
            DeltaView.Op op = ops.get(i);
            comma(i > 0);
            if (op.text != null) {
                out.append('{');
                attributes(op, true);
                comma(!op.attributes.isEmpty());
                out.append("\"text\":");
                quote(op.text);
                out.append('}');
            } else if (store.kind(op.struct) == Kind.TYPE) {
                slateElement(store.content[op.struct], depth + 1);
            } else {
                values.last(op.struct, depth);
            }
        }
    }

    private void slateElement(int type, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            out.append("null");
        } else if (store.types.ref[type] != TypeRef.XML_TEXT) {
            node(type, depth);
        } else {
            out.append('{');
            int begin = out.length();
            members(type, depth);
            comma(out.length() > begin);
            out.append("\"children\":[");
            slateChildren(type, depth);
            out.append("]}");
        }
    }

    /** The properties of a Lexical node, each behind a comma and without the underscores. */
    private void properties(int type, int depth) {
        for (int e = store.types.firstEntry[type]; e != NONE; e = store.types.entryNext[e]) {
            int s = store.types.entryItem[e];
            String key = store.names.get(store.types.entryKey[e]);
            if (!store.isDeleted(s) && !key.equals("__type")) {
                out.append(',');
                quote(key.startsWith("__") ? key.substring(2) : key);
                out.append(':');
                values.last(s, depth);
            }
        }
    }

    /** A text node is a map with its properties, and the string behind it. */
    private void lexicalChildren(int type, int depth) {
        boolean first = true;
        boolean open = false;
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s) || (store.kind(s) != Kind.TYPE && store.kind(s) != Kind.STRING)) {
                continue;
            }
            if (store.kind(s) == Kind.TYPE) {
                out.append(open ? "\"}" : "").append(first ? "" : ",");
                open = lexicalNode(store.content[s], depth + 1);
            } else {
                if (!open) {
                    out.append(first ? "" : ",").append("{\"type\":\"text\",\"text\":\"");
                    open = true;
                }
                unquoted(store.contents.units.string(store.content[s], store.length.get(s)));
            }
            first = false;
        }
        out.append(open ? "\"}" : "");
    }

    /** The inside of a JSON string. */
    private void unquoted(String text) {
        int from = out.length();
        quote(text);
        out.setLength(out.length() - 1);
        out.deleteCharAt(from);
    }

    /** Whether it is left open within the string of its text. */
    private boolean lexicalNode(int type, int depth) {
        String kind = new Labels(store).string(type, "__type");
        if (depth > Limits.VIEW_DEPTH || kind.isEmpty()) {
            out.append("null");
            return false;
        }
        out.append("{\"type\":");
        quote(kind);
        properties(type, depth);
        if (store.types.ref[type] == TypeRef.MAP && !kind.equals("linebreak")) {
            out.append(",\"text\":\"");
            return true;
        }
        if (store.types.ref[type] == TypeRef.XML_TEXT) {
            out.append(",\"children\":[");
            lexicalChildren(type, depth);
            out.append(']');
        }
        out.append('}');
        return false;
    }
}
