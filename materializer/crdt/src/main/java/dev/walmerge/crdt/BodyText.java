package dev.walmerge.crdt;

import java.util.Locale;
import java.util.Set;

/**
 * The searchable text of an XML root: each block on a line of its own, inline elements within the line.
 *
 * <p>An element is inline when it has a text beside it and is not right in the root; every other one is a block. Hard
 * breaks end a line, and a mention stands for its label.
 */
final class BodyText {
    private static final int NONE = StructStore.NONE;
    private static final Set<String> BREAKS = Set.of("hardbreak", "hard_break", "br");

    private final StructStore store;
    private final StringBuilder out;
    private boolean lineDue;

    private BodyText(StructStore store, StringBuilder out) {
        this.store = store;
        this.out = out;
    }

    static String xml(StructStore store, int type) {
        StringBuilder out = new StringBuilder();
        new BodyText(store, out).children(type, true, 0);
        return out.toString();
    }

    private void line() {
        lineDue = lineDue || out.length() > 0;
    }

    private void write(CharSequence text) {
        if (text.length() > 0) {
            if (lineDue) {
                out.append('\n');
                lineDue = false;
            }
            out.append(text);
        }
    }

    private void children(int type, boolean blocksOnly, int depth) {
        if (depth > Limits.VIEW_DEPTH) {
            return;
        }
        boolean inline = !blocksOnly && hasText(type);
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (store.isDeleted(s)) {
                continue;
            }
            if (store.kind(s) == Kind.TYPE) {
                child(store.content[s], inline, blocksOnly, depth);
            } else if (store.kind(s) == Kind.STRING) {
                write(store.contents.units.string(store.content[s], store.length.get(s)));
            }
        }
    }

    private void child(int type, boolean inline, boolean blocksOnly, int depth) {
        int ref = store.types.ref[type];
        if (ref == TypeRef.XML_TEXT || ref == TypeRef.TEXT) {
            if (blocksOnly) {
                line();
            }
            children(type, false, depth + 1);
            if (blocksOnly) {
                line();
            }
        } else if (ref == TypeRef.XML_ELEMENT || ref == TypeRef.XML_FRAGMENT) {
            String name = ref == TypeRef.XML_ELEMENT ? store.names.get(store.types.name[type]) : "";
            String lower = name.toLowerCase(Locale.ROOT);
            if (BREAKS.contains(lower) || !inline) {
                line();
            }
            if (lower.contains("mention")) {
                write(label(type));
            }
            children(type, false, depth + 1);
            if (!inline) {
                line();
            }
        }
    }

    private boolean hasText(int type) {
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (!store.isDeleted(s) && store.kind(s) == Kind.TYPE) {
                int ref = store.types.ref[store.content[s]];
                if (ref == TypeRef.XML_TEXT || ref == TypeRef.TEXT) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What a mention shows: its label, or else its id. */
    private String label(int type) {
        for (String key : new String[] {"label", "user", "id"}) {
            int name = store.names.find(key);
            int s = name == Names.NONE ? NONE : store.types.last(type, name);
            if (s != NONE && !store.isDeleted(s) && store.kind(s) == Kind.ANY) {
                byte[] blob = store.contents.blob;
                if ((blob[store.content[s]] & 0xff) == AnyValue.STRING) {
                    return AnyValue.text(blob, store.content[s] + 1);
                }
            }
        }
        return "";
    }
}
