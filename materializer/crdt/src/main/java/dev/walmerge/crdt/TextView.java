package dev.walmerge.crdt;

/** The visible units of a text, without formats and embeds. */
final class TextView {
    private TextView() {}

    static StringBuilder text(StructStore store, int type) {
        StringBuilder out = new StringBuilder();
        append(store, type, out);
        return out;
    }

    static void append(StructStore store, int type, StringBuilder out) {
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (store.kind(s) == Kind.STRING && !store.isDeleted(s)) {
                out.append(store.contents.chars, store.content[s], store.length[s]);
            }
        }
    }

    /** Units and embedded things that count for positions. */
    static int length(StructStore store, int type) {
        int length = 0;
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (!store.isDeleted(s) && Kind.countable(store.kind(s))) {
                length += store.length[s];
            }
        }
        return length;
    }
}
