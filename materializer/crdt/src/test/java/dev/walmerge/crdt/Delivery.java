package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What a document is given at once: one update, or several merged into one. Its text, as in {@code "V1 00ff 1234"}, can
 * stand in a test.
 *
 * @param updates in version 1
 */
record Delivery(UpdateFormat format, List<byte[]> updates) {
    static Delivery parse(String text) {
        String[] words = text.split(" ", -1);
        List<byte[]> updates = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            updates.add(HexFormat.of().parseHex(words[i]));
        }
        return new Delivery(UpdateFormat.valueOf(words[0]), updates);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(format.toString());
        updates.forEach(update -> text.append(' ').append(HexFormat.of().formatHex(update)));
        return text.toString();
    }

    byte[] bytes() throws MalformedUpdateException {
        byte[] merged = updates.size() == 1 ? updates.get(0) : Updates.merge(UpdateFormat.V1, updates);
        return format == UpdateFormat.V1 ? merged : Updates.convert(merged, UpdateFormat.V1, format);
    }

    int applyTo(Doc doc) throws MalformedUpdateException {
        return Vectors.apply(doc, format, bytes());
    }
}
