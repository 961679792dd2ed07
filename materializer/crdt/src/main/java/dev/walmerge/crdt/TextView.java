package dev.walmerge.crdt;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The visible units of a text, without formats and embeds. */
final class TextView {
    private static final int FIRST_ROOM = 256;

    /** So few structs at a time that a process that has just started compiles early what copies them. */
    private static final int FEW = 8;

    private byte[] out = {};
    private int count;
    private boolean hasEmbeds;

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
        TextView view = new TextView();
        for (int s = store.types.start[type]; s != StructStore.NONE; ) {
            s = view.copy(store, units, s);
        }
        if (view.hasEmbeds && !embeds) {
            return null;
        }
        return view.count == 0 ? "" : new String(view.out, 0, view.count, StandardCharsets.ISO_8859_1);
    }

    /** Copies the text of some structs and returns the one behind them. */
    private int copy(StructStore store, Units units, int from) {
        int s = from;
        for (int n = 0; n < FEW && s != StructStore.NONE; n++) {
            if (store.isText(s)) {
                int length = store.length.get(s);
                if (out.length - count < length) {
                    out = Arrays.copyOf(out, Math.max(count + length, Math.max(FIRST_ROOM, count * 2)));
                }
                units.copyLatin(store.content[s], length, out, count);
                count += length;
            } else if (!hasEmbeds) {
                hasEmbeds = isEmbed(store, s);
            }
            s = store.right[s];
        }
        return s;
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
