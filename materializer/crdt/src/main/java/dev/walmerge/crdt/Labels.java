package dev.walmerge.crdt;

import java.util.HashMap;
import java.util.Map;

/** What stands for a thing that has no text of its own: a caption, a formula, the name of somebody mentioned. */
final class Labels {
    private static final int NONE = StructStore.NONE;

    /** What is shown of a leaf, all that differ. */
    private static final String[] CAPTIONS = {
        "caption", "alt", "altText", "title", "name", "latex", "formula", "equation"
    };

    /** What is shown of a mention, the first there is. */
    private static final String[] NAMES = {"label", "value", "user", "character", "name", "text", "title", "id"};

    private static final String[] TRIGGERS = {"mentionSuggestionChar", "denotationChar", "trigger"};

    private final StructStore store;
    private final Map<String, Integer> ids = new HashMap<>();

    Labels(StructStore store) {
        this.store = store;
    }

    /** The name of an element: of its own, or by the attribute that editors of XML texts use. */
    String kind(int type) {
        int ref = store.types.ref[type];
        String marked = string(type, "__type");
        if (!marked.isEmpty()) {
            return marked;
        }
        return ref == TypeRef.XML_ELEMENT ? store.names.get(store.types.name[type]) : string(type, "type");
    }

    /** An attribute that is a string; else empty. */
    String string(int type, String key) {
        int at = value(type, id(key));
        return at == NONE ? "" : text(at);
    }

    private int id(String key) {
        Integer found = ids.get(key);
        if (found == null) {
            found = store.names.find(key);
            ids.put(key, found);
        }
        return found;
    }

    /** Where the plain value of a key is, or NONE. */
    int value(int type, int name) {
        int s = name == Names.NONE ? NONE : store.types.last(type, name);
        if (s == NONE || store.isDeleted(s) || (store.kind(s) != Kind.ANY && store.kind(s) != Kind.JSON)) {
            return NONE;
        }
        int at = store.content[s];
        for (int i = store.length.get(s) - 1; i > 0; i--) {
            at = AnyValue.end(store.contents.blob, at);
        }
        return at;
    }

    private String text(int at) {
        byte[] blob = store.contents.blob;
        return (blob[at] & 0xff) == AnyValue.STRING ? AnyValue.text(blob, at + 1) : "";
    }

    /** Of an element. Lexical's attributes begin with {@code __}. */
    String captions(int type) {
        StringBuilder out = new StringBuilder();
        for (String key : CAPTIONS) {
            add(string(type, key), out);
            add(string(type, "__" + key), out);
        }
        return out.toString();
    }

    String mention(int type) {
        return first(type, TRIGGERS) + first(type, NAMES);
    }

    private String first(int type, String[] keys) {
        for (String key : keys) {
            String found = string(type, key);
            found = found.isEmpty() ? string(type, "__" + key) : found;
            if (!found.isEmpty()) {
                return found;
            }
        }
        return "";
    }

    /** Of a plain object: the members of an element of which nothing is shared. */
    String mentionAt(int at) {
        return firstAt(at, TRIGGERS) + firstAt(at, NAMES);
    }

    private String firstAt(int at, String[] keys) {
        for (String key : keys) {
            String found = memberAt(at, key);
            if (!found.isEmpty()) {
                return found;
            }
        }
        return "";
    }

    private String memberAt(int at, String key) {
        int found = AnyValue.member(store.contents.blob, at, key);
        return found == AnyValue.NONE ? "" : text(found);
    }

    private void captionsAt(int at, StringBuilder out) {
        for (String key : CAPTIONS) {
            add(memberAt(at, key), out);
        }
    }

    /**
     * Of an embed: an object whose first member names its kind.
     *
     * @param alt the text that a format gives it; empty when there is none
     */
    String embed(int at, String alt) {
        byte[] blob = store.contents.blob;
        if ((blob[at] & 0xff) != AnyValue.OBJECT || AnyValue.number(blob, at + 1) == 0) {
            return alt;
        }
        int pos = AnyValue.endOfNumber(blob, at + 1);
        String kind = AnyValue.text(blob, pos);
        int value = AnyValue.endOfNumber(blob, pos) + (int) AnyValue.number(blob, pos);
        if (Tag.of(kind) == Tag.MENTION) {
            return (blob[value] & 0xff) == AnyValue.OBJECT ? mentionAt(value) : text(value);
        }
        StringBuilder out = new StringBuilder();
        captionsAt(at, out);
        captionsAt(value, out);
        add(alt, out);
        return out.toString();
    }

    private static void add(String text, StringBuilder out) {
        if (!text.isEmpty() && out.indexOf(text) < 0) {
            out.append(out.length() == 0 ? "" : " ").append(text);
        }
    }
}
