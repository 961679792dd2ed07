package dev.walmerge.engine.writeback;

/** Where a collection's documents are stored. Only the collection {@code default} exists so far. */
final class Tables {
    static final String DEFAULT = "default";

    private Tables() {}

    static void requireDefault(String collection) {
        if (!collection.equals(DEFAULT)) {
            throw new IllegalArgumentException("no tables for another collection than default");
        }
    }
}
