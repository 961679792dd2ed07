package dev.walmerge.engine.shard;

import java.util.Arrays;

/**
 * Cuts a {@code yjs-framed} payload: one or more updates, each after its length as a little-endian base-128 varint
 * (lib0's {@code writeVarUint8Array}). Single thread.
 */
final class Frames {
    private static final int MAX_LENGTH_BYTES = 5;

    private int[] starts = new int[4];
    private int[] lengths = new int[4];
    private int count;
    private int errorOffset;

    /** @return false if the payload is not made of whole frames; see {@link #errorOffset} */
    boolean cut(byte[] payload) {
        count = 0;
        int at = 0;
        do {
            long length = 0;
            int start = at;
            int shift = 0;
            byte read;
            do {
                if (at == payload.length || shift == 7 * MAX_LENGTH_BYTES) {
                    errorOffset = start;
                    return false;
                }
                read = payload[at++];
                length |= (long) (read & 0x7f) << shift;
                shift += 7;
            } while (read < 0);
            if (length > payload.length - at) {
                errorOffset = start;
                return false;
            }
            add(at, (int) length);
            at += (int) length;
        } while (at < payload.length);
        return true;
    }

    private void add(int start, int length) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
        }
        starts[count] = start;
        lengths[count++] = length;
    }

    int count() {
        return count;
    }

    int start(int frame) {
        return starts[frame];
    }

    int length(int frame) {
        return lengths[frame];
    }

    int errorOffset() {
        return errorOffset;
    }
}
