package dev.walmerge.sidecar;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Yjs V1 updates, written by hand, of clients that append ASCII text to the root text {@code t} in turn. */
final class Typing {
    private final StringBuilder text = new StringBuilder();
    private final int[] clocks = new int[128];
    private int lastClient;

    /** The next update of a client from 1 to 127, which has seen all before. */
    byte[] append(int client, String more) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {1, 1, (byte) client});
        varint(out, clocks[client]);
        if (lastClient == 0) {
            out.writeBytes(new byte[] {4, 1, 1, 't'});
        } else {
            out.write(0x84);
            out.write(lastClient);
            varint(out, clocks[lastClient] - 1);
        }
        varint(out, more.length());
        out.writeBytes(more.getBytes(StandardCharsets.US_ASCII));
        out.write(0);
        clocks[client] += more.length();
        lastClient = client;
        text.append(more);
        return out.toByteArray();
    }

    /** What there is when all updates arrived. */
    String text() {
        return text.toString();
    }

    /** As another who saw the same. */
    Typing copy() {
        Typing copy = new Typing();
        copy.text.append(text);
        System.arraycopy(clocks, 0, copy.clocks, 0, clocks.length);
        copy.lastClient = lastClient;
        return copy;
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
