package dev.walmerge.crdt;

/** What a struct is: the low five bits of its info byte. WIRE.md has the table. */
final class Kind {
    static final int MASK = 0x1f;
    static final int GC = 0;
    static final int DELETED = 1;
    static final int JSON = 2;
    static final int BINARY = 3;
    static final int STRING = 4;
    static final int EMBED = 5;
    static final int FORMAT = 6;
    static final int TYPE = 7;
    static final int ANY = 8;
    static final int DOC = 9;
    static final int SKIP = 10;

    private Kind() {}

    /** Whether the content is bytes of the blob store. */
    static boolean inBlob(int kind) {
        return kind == JSON || kind == BINARY || kind == EMBED || kind == FORMAT || kind == ANY || kind == DOC;
    }

    /** Whether neighbours of this kind can become one struct. */
    static boolean mergeable(int kind) {
        return kind == STRING || kind == ANY || kind == JSON || kind == DELETED;
    }

    /** Whether the content counts for the length of its parent. */
    static boolean countable(int kind) {
        return kind != DELETED && kind != FORMAT && kind != GC;
    }
}
