package dev.walmerge.crdt;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The visible units of a text, without formats and embeds. */
final class TextView {
    private static final int FIRST_ROOM = 256;

    private TextView() {}

    static String text(StructStore store, int type) {
        return text(store, type, true);
    }

    /** Null when there is an embed or a type among the strings. */
    static String onlyText(StructStore store, int type) {
        return text(store, type, false);
    }

    private static String text(StructStore store, int type, boolean embeds) {
        Units units = store.contents.units;
        if (units.isWide()) {
            StringBuilder out = new StringBuilder();
            return append(store, type, out) && !embeds ? null : out.toString();
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
            } else if (!embeds && isEmbed(store, s)) {
                return null;
            }
        }
        return count == 0 ? "" : new String(out, 0, count, StandardCharsets.ISO_8859_1);
    }

    /** Whether there are embeds or types, too. */
    static boolean append(StructStore store, int type, StringBuilder out) {
        boolean embeds = false;
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (store.kind(s) == Kind.STRING && !store.isDeleted(s)) {
                store.contents.units.appendTo(out, store.content[s], store.length.get(s));
            } else {
                embeds = embeds || isEmbed(store, s);
            }
        }
        return embeds;
    }

    private static boolean isEmbed(StructStore store, int s) {
        return (store.kind(s) == Kind.EMBED || store.kind(s) == Kind.TYPE) && !store.isDeleted(s);
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
