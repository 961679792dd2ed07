package dev.walmerge.crdt;

import java.util.List;

/**
 * Operations on updates that need no document. They read each update twice, once to check all of it and once to use it, one
 * struct at a time; memory grows with the result, not with what an update claims. Arrays given are only read.
 */
public final class Updates {
    private static final int MAX_STRUCTS = Limits.DEFAULT.structsPerUpdate();

    private Updates() {}

    /**
     * One update that says what all of them say, as Yjs' {@code mergeUpdates}: a single one comes back as it is; over
     * gaps there are Skips. An update whose clients don't come by descending id is put in order first; where two updates give
     * one id to different content, the first to come by client and clock stays.
     *
     * @throws MalformedUpdateException when one of them can't be read; the offset counts from its start
     */
    public static byte[] merge(UpdateFormat format, List<byte[]> updates) throws MalformedUpdateException {
        byte[][] inputs = updates.toArray(byte[][]::new);
        UpdateMerger merger = new UpdateMerger(format, inputs, MAX_STRUCTS);
        ClockRanges deletes = new ClockRanges();
        StructCursor cursor = new StructCursor(MAX_STRUCTS);
        for (int i = 0; i < inputs.length; i++) {
            if (!check(cursor, format, inputs[i], deletes)) {
                inputs[i] = UpdateMerger.reordered(format, inputs[i], MAX_STRUCTS);
            }
            cursor.open(format, inputs[i], false);
            if (!cursor.done) {
                merger.add(i, cursor);
            }
        }
        return inputs.length == 1 ? updates.get(0).clone() : merger.merge(deletes);
    }

    /**
     * What of the update a replica of the given state vector lacks, with all its deletes, as Yjs' {@code diffUpdate}.
     *
     * @throws MalformedUpdateException when one of the two can't be read
     */
    public static byte[] diff(UpdateFormat format, byte[] update, byte[] stateVector) throws MalformedUpdateException {
        LongIntMap known = StateVectors.clocks(stateVector);
        StructCursor cursor = new StructCursor(MAX_STRUCTS);
        ClockRanges deletes = new ClockRanges();
        byte[] input = ordered(cursor, format, update, deletes);
        BlockWriter out = new BlockWriter(format);
        cursor.open(format, input, true);
        while (!cursor.done) {
            long client = cursor.client;
            int state = Math.max(0, known.get(client));
            while (!cursor.done && cursor.client == client && (cursor.skip || cursor.end() <= state)) {
                cursor.next();
            }
            int offset = Math.max(0, state - cursor.clock);
            while (!cursor.done && cursor.client == client) {
                out.struct(cursor, offset);
                cursor.next();
                offset = 0;
            }
        }
        return out.finish(deletes);
    }

    /**
     * The same update in another format, as Yjs' {@code convertUpdateFormatV1ToV2} and its inverse. Version 1 has embeds and
     * format values as JSON text, which makes null of NaN and an object of bytes.
     *
     * @throws MalformedUpdateException when it can't be read; {@code not-in-v1}: an embed or format is undefined
     */
    public static byte[] convert(byte[] update, UpdateFormat from, UpdateFormat to) throws MalformedUpdateException {
        StructCursor cursor = new StructCursor(MAX_STRUCTS);
        ClockRanges deletes = new ClockRanges();
        byte[] input = ordered(cursor, from, update, deletes);
        if (from == to) {
            return input.clone();
        }
        BlockWriter out = new BlockWriter(to);
        for (cursor.open(from, input, true); !cursor.done; cursor.next()) {
            if (to == UpdateFormat.V1) {
                cursor.checkText();
            }
            out.struct(cursor, 0);
        }
        return out.finish(deletes);
    }

    /**
     * What a replica of the given state vector lacks to merge all of this update. Nothing is missing exactly when
     * {@link Doc#apply} on such a replica, if nothing waits there yet, parks nothing.
     *
     * @throws MalformedUpdateException when one of the two can't be read
     */
    public static Missing missing(UpdateFormat format, byte[] update, byte[] stateVector)
            throws MalformedUpdateException {
        StructCursor cursor = new StructCursor(MAX_STRUCTS).open(format, update, false);
        return new Dependencies(StateVectors.clocks(stateVector)).of(cursor, new ClockRanges());
    }

    private static byte[] ordered(StructCursor cursor, UpdateFormat format, byte[] update, ClockRanges deletes)
            throws MalformedUpdateException {
        return check(cursor, format, update, deletes) ? update : UpdateMerger.reordered(format, update, MAX_STRUCTS);
    }

    /** Reads all of an update and collects its deletes; false when its clients don't come by descending id. */
    static boolean check(StructCursor cursor, UpdateFormat format, byte[] update, ClockRanges deletes)
            throws MalformedUpdateException {
        boolean ordered = true;
        long client = Long.MAX_VALUE;
        int end = 0;
        for (cursor.open(format, update, true); !cursor.done; cursor.next()) {
            ordered &= cursor.client == client ? cursor.clock == end : cursor.client < client;
            client = cursor.client;
            end = cursor.end();
        }
        cursor.deletes(deletes);
        return ordered;
    }
}
