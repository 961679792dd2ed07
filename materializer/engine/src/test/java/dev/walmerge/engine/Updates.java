package dev.walmerge.engine;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Small Yjs V1 updates, written by hand. All go to the text root {@code t}, as client 1. */
final class Updates {
    /** Inserts "hello" into the empty document. */
    static final String HELLO = "01 01 01 00 04 01 01 74 05 68 65 6c 6c 6f 00";
    /** Appends " you", after (1,4). */
    static final String YOU = "01 01 01 05 84 01 04 04 20 79 6f 75 00";
    /** Appends "!", after (1,8). */
    static final String BANG = "01 01 01 09 84 01 08 01 21 00";
    /** Appends "?", after (1,9). */
    static final String QUESTION = "01 01 01 0a 84 01 09 01 3f 00";
    /** "ab" in V2. */
    static final String AB_V2 = "0000010100000104060374616201020101000001010000";
    /** Content of a kind that does not exist. */
    static final String UNKNOWN_CONTENT = "01 01 01 00 0b 01 01 74 00";

    private Updates() {}

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    /** As Postgres prints the bytes. */
    static String bytea(String hex) {
        return "\\x" + hex.replace(" ", "");
    }

    /** Inserts ASCII text at {@code clock}: at the start of the document, or behind what client 1 wrote before. */
    static byte[] append(int clock, String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {1, 1, 1});
        varint(out, clock);
        if (clock == 0) {
            out.writeBytes(new byte[] {4, 1, 1, 't'});
        } else {
            out.write(0x84);
            out.write(1);
            varint(out, clock - 1);
        }
        varint(out, text.length());
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        out.write(0);
        return out.toByteArray();
    }

    static void varint(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
