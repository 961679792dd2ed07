package dev.walmerge.bench.core;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Yjs V1 updates of many clients in one text, each made as by somebody who has seen all before: the origins of what is put
 * in are its neighbours. Knows the order of all units, so a random place costs the same in any document.
 */
final class ScaleEdits {
    /** A run of typing goes on for so many units before its client goes elsewhere. */
    private static final int TYPED_RUN = 40;

    private static final int NONE = -1;
    private static final int STRING_CONTENT = 4;
    private static final int HAS_ORIGIN = 0x80;
    private static final int HAS_RIGHT_ORIGIN = 0x40;

    private final SplittableRandom random;
    private final int[] clocks;

    /** By unit, in the order they were made. */
    private int[] next = new int[1024];

    private int[] owner = new int[1024];
    private int[] clock = new int[1024];
    private boolean[] deleted = new boolean[1024];
    private int units;
    private int first = NONE;
    private int length;
    private int cursor = NONE;
    private int typist;
    private int typed = TYPED_RUN;

    ScaleEdits(int clients, long seed) {
        random = new SplittableRandom(seed);
        clocks = new int[clients];
    }

    /** The length the text has when all updates so far are applied. */
    int length() {
        return length;
    }

    /** A document of {@code size} units: pieces of {@code piece} units, each put at a random place by a random client. */
    List<byte[]> build(int size, int piece) {
        List<byte[]> updates = new ArrayList<>();
        for (int at = 0; at < size; at += piece) {
            updates.add(insert(random.nextInt(clocks.length), randomUnit(), Math.min(piece, size - at)));
        }
        return updates;
    }

    /** One unit behind the one typed before; now and then another client goes on elsewhere. */
    byte[] type() {
        if (typed == TYPED_RUN) {
            typed = 0;
            typist = random.nextInt(clocks.length);
            cursor = randomUnit();
        }
        typed++;
        byte[] update = insert(typist, cursor, 1);
        cursor = units - 1;
        return update;
    }

    /** One unit at a random place. */
    byte[] insert() {
        return insert(random.nextInt(clocks.length), randomUnit(), 1);
    }

    /** Deletes one unit that is still there. */
    byte[] delete() {
        int unit = randomUnit();
        while (deleted[unit]) {
            unit = unit + 1 == units ? 0 : unit + 1;
        }
        deleted[unit] = true;
        length--;
        ByteArrayOutputStream out = new ByteArrayOutputStream(16);
        out.write(0);
        out.write(1);
        varint(out, id(owner[unit]));
        out.write(1);
        varint(out, clock[unit]);
        out.write(1);
        return out.toByteArray();
    }

    private int randomUnit() {
        return units == 0 ? NONE : random.nextInt(units);
    }

    private byte[] insert(int client, int behind, int count) {
        int before = behind == NONE ? first : next[behind];
        ByteArrayOutputStream out = new ByteArrayOutputStream(32 + count);
        out.write(1);
        out.write(1);
        varint(out, id(client));
        varint(out, clocks[client]);
        out.write(STRING_CONTENT | (behind == NONE ? 0 : HAS_ORIGIN) | (before == NONE ? 0 : HAS_RIGHT_ORIGIN));
        for (int unit : new int[] {behind, before}) {
            if (unit != NONE) {
                varint(out, id(owner[unit]));
                varint(out, clock[unit]);
            }
        }
        if (behind == NONE && before == NONE) {
            out.write(1);
            string(out, "text");
        }
        string(out, "lorem ipsum ".repeat(count / 12 + 1).substring(0, count));
        out.write(0);
        int left = behind;
        for (int i = 0; i < count; i++) {
            left = link(client, left, before);
        }
        length += count;
        return out.toByteArray();
    }

    private int link(int client, int left, int right) {
        if (units == next.length) {
            next = Arrays.copyOf(next, units * 2);
            owner = Arrays.copyOf(owner, units * 2);
            clock = Arrays.copyOf(clock, units * 2);
            deleted = Arrays.copyOf(deleted, units * 2);
        }
        int unit = units++;
        owner[unit] = client;
        clock[unit] = clocks[client]++;
        next[unit] = right;
        if (left == NONE) {
            first = unit;
        } else {
            next[left] = unit;
        }
        return unit;
    }

    /** Five bytes as a varint, as those of Yjs nearly always are. */
    private static long id(int client) {
        return 2_000_000_011L + 7919L * client;
    }

    private static void string(ByteArrayOutputStream out, String ascii) {
        varint(out, ascii.length());
        out.writeBytes(ascii.getBytes(StandardCharsets.US_ASCII));
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        while (rest > 0x7f) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
