package dev.walmerge.crdt;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Names as bytes, made once an update: a document of many small maps writes the same few keys again and again. */
final class WrittenNames {
    /** Names from here on are rare enough to be written anew each time. */
    private static final int KEPT = 64;

    private final Names names;
    private byte[][] plain = {};

    WrittenNames(Names names) {
        this.names = names;
    }

    /** Writes a name. */
    void write(UpdateWriter out, int name) {
        byte[] bytes = plain(name);
        if (bytes == null) {
            out.string(names.get(name));
        } else {
            out.plain(bytes);
        }
    }

    /** The bytes of a name that is ASCII without NUL, not to be changed; null of another. */
    byte[] plain(int name) {
        if (name >= KEPT) {
            return null;
        }
        if (name >= plain.length) {
            plain = Arrays.copyOf(plain, KEPT);
        }
        byte[] bytes = plain[name];
        if (bytes == null) {
            bytes = names.get(name).getBytes(StandardCharsets.UTF_8);
            if (bytes.length != names.get(name).length() || Utf8.plainBytes(bytes, 0, bytes.length) != bytes.length) {
                return null;
            }
            plain[name] = bytes;
        }
        return bytes;
    }
}
