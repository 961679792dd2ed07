package dev.walmerge.crdt;

/**
 * Names that were read lately, once a thread: the few keys of a document's maps come again and again, and are one string each from
 * here on, so that later ones needn't be made, hashed or compared. Forgetting or mixing them up costs time only.
 */
final class NamesRead {
    private static final int SLOTS = 64;
    private static final int LONGEST = 32;

    private final String[] lately = new String[SLOTS];

    /** What {@link ByteReader#string} reads. */
    String read(ByteReader in) throws MalformedUpdateException {
        byte[] bytes = in.bytes();
        int at = in.pos();
        int count = in.remaining() > 0 ? bytes[at] : -1;
        if (count < 0 || count > LONGEST || count >= in.remaining()) {
            return in.string();
        }
        int hash = 0;
        for (int i = at + 1; i <= at + count; i++) {
            if (bytes[i] < 0) {
                return in.string();
            }
            hash = hash * 31 + bytes[i];
        }
        int slot = slot(hash);
        String known = lately[slot];
        if (known != null && known.hashCode() == hash && is(known, bytes, at + 1, count)) {
            in.skip(count + 1);
            return known;
        }
        String text = in.string();
        lately[slot] = text;
        return text;
    }

    private static boolean is(String text, byte[] bytes, int from, int count) {
        if (text.length() != count) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (text.charAt(i) != bytes[from + i]) {
                return false;
            }
        }
        return true;
    }

    /** The one string for an equal one. */
    String one(String text) {
        if (text.length() > LONGEST) {
            return text;
        }
        int slot = slot(text.hashCode());
        if (!text.equals(lately[slot])) {
            lately[slot] = text;
        }
        return lately[slot];
    }

    private static int slot(int hash) {
        return (hash ^ hash >>> 6) & SLOTS - 1;
    }
}
