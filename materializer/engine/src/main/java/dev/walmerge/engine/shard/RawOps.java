package dev.walmerge.engine.shard;

import java.util.Arrays;

/**
 * The ops merged into a document since its last flush, as they came: what its memory is built from again when that is no
 * good any more. Single thread.
 */
final class RawOps {
    private static final int FIRST_CAPACITY = 4;
    private static final int KEPT_CAPACITY = 64;
    /** Of an array, and of a place in each of the two. */
    private static final int OVERHEAD_BYTES = 28;

    private String[] formats = {};
    private byte[][] payloads = {};
    private int count;
    private long bytes;

    void add(String format, byte[] payload) {
        if (count == payloads.length) {
            int capacity = Math.max(FIRST_CAPACITY, count * 2);
            formats = Arrays.copyOf(formats, capacity);
            payloads = Arrays.copyOf(payloads, capacity);
        }
        formats[count] = format;
        payloads[count++] = payload;
        bytes += payload.length + OVERHEAD_BYTES;
    }

    void clear() {
        if (payloads.length > KEPT_CAPACITY) {
            formats = new String[0];
            payloads = new byte[0][];
        } else {
            Arrays.fill(formats, 0, count, null);
            Arrays.fill(payloads, 0, count, null);
        }
        count = 0;
        bytes = 0;
    }

    int count() {
        return count;
    }

    String format(int index) {
        return formats[index];
    }

    byte[] payload(int index) {
        return payloads[index];
    }

    /** About what they take in memory. */
    long bytes() {
        return bytes;
    }
}
