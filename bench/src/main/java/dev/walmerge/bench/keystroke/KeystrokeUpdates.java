package dev.walmerge.bench.keystroke;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Yjs V1 updates of one size, each appending to the root text {@code text} what it takes to fill the size.
 *
 * <p>Layout: one client, one struct, client id, clock, an Item of string content (its parent the root, later its origin
 * the unit before), an empty delete set.
 */
public final class KeystrokeUpdates {
    private static final int CLIENT = 2_000_000_011;
    private static final int STRING_CONTENT = 4;
    private static final int HAS_ORIGIN = 0x80;

    private KeystrokeUpdates() {}

    /** @param bytes of each update, at least what its head needs */
    public static List<byte[]> ofSize(int bytes, int count) {
        List<byte[]> updates = new ArrayList<>(count);
        int clock = 0;
        for (int i = 0; i < count; i++) {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            varint(head, 1);
            varint(head, 1);
            varint(head, CLIENT);
            varint(head, clock);
            if (clock == 0) {
                head.write(STRING_CONTENT);
                head.write(1);
                string(head, "text");
            } else {
                head.write(STRING_CONTENT | HAS_ORIGIN);
                varint(head, CLIENT);
                varint(head, clock - 1);
            }
            // One byte for the string's length, one for the empty delete set.
            int length = bytes - head.size() - 2;
            string(head, "keystrokes ".repeat(length / 11 + 1).substring(0, length));
            head.write(0);
            updates.add(head.toByteArray());
            clock += length;
        }
        return updates;
    }

    private static void string(ByteArrayOutputStream out, String ascii) {
        varint(out, ascii.length());
        for (int i = 0; i < ascii.length(); i++) {
            out.write(ascii.charAt(i));
        }
    }

    private static void varint(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
