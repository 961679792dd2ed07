package dev.walmerge.crdt;

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
        StructBuffer structs = new StructBuffer();
        new UpdateDecoder()
                .decode(format, buf, off, len, Limits.DEFAULT.structsPerUpdate(), structs, new ClockRanges());
        ByteWriter entries = new ByteWriter();
        int clients = 0;
        for (int i = 0; i < structs.size; ) {
            long client = structs.client[i];
            int next = 0;
            for (; i < structs.size && structs.client[i] == client; i++) {
                if (structs.clock[i] == next) {
                    next = structs.end(i);
                }
            }
            if (next > 0) {
                entries.varUint(client);
                entries.varUint(next);
                clients++;
            }
        }
        ByteWriter out = new ByteWriter();
        out.varUint(clients);
        out.append(entries);
        return out.toBytes();
    }
}
