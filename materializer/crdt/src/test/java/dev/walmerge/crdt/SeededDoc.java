package dev.walmerge.crdt;

import java.util.List;

/** A small document that has text, formats, nested types and deletes, and waits for what never comes. */
final class SeededDoc {
    private static final byte[] STATE = state();

    private SeededDoc() {}

    private static byte[] state() {
        Doc doc = Doc.create(false);
        try {
            for (String family : List.of("nested", "text-rich")) {
                List<byte[]> all = Vectors.updates(Vectors.family(family).get(0), UpdateFormat.V1);
                for (int i = 0; i < Math.min(24, all.size()); i += i % 5 == 4 ? 2 : 1) {
                    Vectors.apply(doc, UpdateFormat.V1, all.get(i));
                }
            }
        } catch (MalformedUpdateException e) {
            throw new AssertionError(e);
        }
        return doc.encodeStateWithPending(UpdateFormat.V2);
    }

    static Doc half(boolean gc) throws MalformedUpdateException {
        Doc doc = Doc.create(gc);
        Vectors.apply(doc, UpdateFormat.V2, STATE);
        return doc;
    }
}
