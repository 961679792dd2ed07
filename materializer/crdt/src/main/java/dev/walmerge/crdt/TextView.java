package dev.walmerge.crdt;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The visible units of a text, without formats and embeds. */
final class TextView {
    private static final int FIRST_ROOM = 256;

    private TextView() {}

    static String text(StructStore store, int type) {
        Units units = store.contents.units;
        if (units.isWide()) {
            StringBuilder out = new StringBuilder();
            append(store, type, out);
            return out.toString();
        }
        byte[] out = {};
        int count = 0;
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (store.kind(s) == Kind.STRING && !store.isDeleted(s)) {
                int length = store.length.get(s);
                if (out.length - count < length) {
                    out = Arrays.copyOf(out, Math.max(count + length, Math.max(FIRST_ROOM, count * 2)));
                }
                units.copyLatin(store.content[s], length, out, count);
                count += length;
            }
        }
        return count == 0 ? "" : new String(out, 0, count, StandardCharsets.ISO_8859_1);
    }

    static void append(StructStore store, int type, StringBuilder out) {
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (store.kind(s) == Kind.STRING && !store.isDeleted(s)) {
                store.contents.units.appendTo(out, store.content[s], store.length.get(s));
            }
        }
    }

    /** Units and embedded things that count for positions. */
    static int length(StructStore store, int type) {
        int length = 0;
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (!store.isDeleted(s) && Kind.countable(store.kind(s))) {
                length += store.length.get(s);
            }
        }
        return length;
    }
}
