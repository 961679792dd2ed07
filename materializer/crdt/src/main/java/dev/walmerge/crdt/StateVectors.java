package dev.walmerge.crdt;

import java.util.Arrays;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** State vectors: for each client the next clock that is expected of it. */
public final class StateVectors {
    private StateVectors() {}

    static byte[] encode(ClientTable clients) {
        int[] order = clients.byIdDescending();
        ByteWriter out = new ByteWriter(1 + order.length * 6);
        out.varUint(order.length);
        for (int c : order) {
            out.varUint(clients.id[c]);
            out.varUint(clients.state[c]);
        }
        return out.toBytes();
    }

    /** The clocks by client, without boxes. */
    static LongIntMap clocks(byte[] stateVector) throws MalformedUpdateException {
        ByteReader in = new ByteReader().reset(stateVector, 0, 0, stateVector.length);
        LongIntMap clocks = new LongIntMap();
        for (int left = in.count("count-too-large"); left > 0; left--) {
            clocks.put(in.varUint(), in.clock());
        }
        if (!in.atEnd()) {
            throw in.fault("trailing-bytes");
        }
        return clocks;
    }

    /** The clocks by client. */
    public static SortedMap<Long, Integer> decode(byte[] stateVector) throws MalformedUpdateException {
        ByteReader in = new ByteReader().reset(stateVector, 0, 0, stateVector.length);
        int count = in.count("count-too-large");
        TreeMap<Long, Integer> clocks = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            long client = in.varUint();
            clocks.put(client, in.clock());
        }
        if (!in.atEnd()) {
            throw in.fault("trailing-bytes");
        }
        return clocks;
    }

    /**
     * The state vector of a document that holds just this update, as Yjs' {@code encodeStateVectorFromUpdate} counts it:
     * a client whose structs don't begin at 0 is left out, and counting ends at the first gap.
     */
    public static byte[] fromUpdate(UpdateFormat format, byte[] buf, int off, int len) throws MalformedUpdateException {
        Objects.checkFromIndexSize(off, len, buf.length);
        StructCursor cursor = new StructCursor(Limits.DEFAULT.structsPerUpdate());
        ByteWriter entries = new ByteWriter();
        int clients = 0;
        cursor.open(format, off == 0 && len == buf.length ? buf : Arrays.copyOfRange(buf, off, off + len), false);
        while (!cursor.done) {
            long client = cursor.client;
            int next = 0;
            for (; !cursor.done && cursor.client == client; cursor.next()) {
                if (cursor.clock == next) {
                    next = cursor.end();
                }
            }
            if (next > 0) {
                entries.varUint(client);
                entries.varUint(next);
                clients++;
            }
        }
        cursor.deletes(new ClockRanges());
        ByteWriter out = new ByteWriter();
        out.varUint(clients);
        out.append(entries);
        return out.toBytes();
    }
}
