package dev.walmerge.sidecar.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Lines of UTF-8 of a bounded length: of one that is longer only the end is looked for. */
final class Lines {
    /** Room for an update of 48 MB in base64. */
    static final int LIMIT_BYTES = 64 << 20;

    private static final int KEPT_BYTES = 1 << 20;

    private final InputStream in;
    private final int limit;
    private final byte[] chunk = new byte[1 << 16];
    private int chunkPos;
    private int chunkEnd;
    private byte[] line = new byte[1 << 12];
    private int count;
    private boolean tooLong;

    Lines(InputStream in, int limit) {
        this.in = in;
        this.limit = limit;
    }

    /** Goes on to the next line; false when there is none. A last line needs no line feed. */
    boolean next() throws IOException {
        count = 0;
        tooLong = false;
        if (line.length > KEPT_BYTES) {
            line = new byte[1 << 12];
        }
        boolean any = false;
        while (chunkPos < chunkEnd || fill()) {
            any = true;
            int from = chunkPos;
            while (chunkPos < chunkEnd && chunk[chunkPos] != '\n') {
                chunkPos++;
            }
            take(from, chunkPos - from);
            if (chunkPos < chunkEnd) {
                chunkPos++;
                return true;
            }
        }
        return any;
    }

    private boolean fill() throws IOException {
        chunkPos = 0;
        chunkEnd = Math.max(0, in.read(chunk, 0, chunk.length));
        return chunkEnd > 0;
    }

    private void take(int from, int more) {
        if (tooLong || more > limit - count) {
            tooLong = true;
            count = 0;
            return;
        }
        if (more > line.length - count) {
            line = Arrays.copyOf(line, Math.max(count + more, Math.min(limit, line.length * 2)));
        }
        System.arraycopy(chunk, from, line, count, more);
        count += more;
    }

    boolean tooLong() {
        return tooLong;
    }

    /** The line without its line feed; what is not UTF-8 is U+FFFD. */
    String text() {
        return new String(line, 0, count, StandardCharsets.UTF_8);
    }

    /** Whether at least part of another line is here already. */
    boolean buffered() {
        return chunkPos < chunkEnd;
    }
}
