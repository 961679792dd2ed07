package dev.walmerge.engine.writeback;

/** Where a collection's documents are stored. Only the collection {@code default} exists so far. */
final class Tables {
    private Tables() {}

    static void requireDefault(String collection) {
        if (!collection.equals("default")) {
            throw new IllegalArgumentException("no tables for another collection than default");
        }
    }
}
