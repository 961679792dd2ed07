package dev.walmerge.engine;

/** Spreads documents over shards, and names them in logs. */
public final class DocumentHash {
    private DocumentHash() {}

    /** The finalizer of MurmurHash3 (public domain) over Java's string hashes, which alone differ in few bits. */
    public static int of(String collection, String doc) {
        int h = 31 * collection.hashCode() + doc.hashCode();
        h ^= h >>> 16;
        h *= 0x85ebca6b;
        h ^= h >>> 13;
        h *= 0xc2b2ae35;
        return h ^ (h >>> 16);
    }

    /** What a log may say of a document. */
    public static String print(int hash) {
        return String.format("%08x", hash);
    }
}
