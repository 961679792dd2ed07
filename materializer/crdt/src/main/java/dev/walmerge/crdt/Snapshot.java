package dev.walmerge.crdt;

import java.util.Arrays;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A moment of a document: its state vector and what was deleted. Immutable; equal when both are.
 *
 * @see Doc#at
 */
public final class Snapshot {
    /** Descending. */
    final long[] clients;

    final int[] clocks;

    /** By client id, in order. */
    final ClockRanges deletes;

    private Snapshot(long[] clients, int[] clocks, ClockRanges deletes) {
        this.clients = clients;
        this.clocks = clocks;
        this.deletes = deletes;
    }

    static Snapshot of(StructStore store) {
        int[] order = store.clients.byIdDescending();
        int size = store.clients.size;
        long[] clients = new long[size];
        int[] clocks = new int[size];
        for (int i = 0; i < size; i++) {
            clients[i] = store.clients.id[order[i]];
            clocks[i] = store.clients.state[order[i]];
        }
        return new Snapshot(clients, clocks, store.deletes.copy(store));
    }

    /**
     * Reads what {@link #encode} or Yjs wrote.
     *
     * @throws MalformedUpdateException when it can't be read
     */
    public static Snapshot decode(UpdateFormat format, byte[] bytes) throws MalformedUpdateException {
        StructSource source = Objects.requireNonNull(format) == UpdateFormat.V1 ? new SourceV1() : new SourceV2();
        ByteReader in = source.rest.reset(bytes, 0, 0, bytes.length);
        ClockRanges deletes = new ClockRanges();
        UpdateDecoder.readDeletes(source, deletes);
        deletes.sortAndMerge();
        ClockRanges states = new ClockRanges();
        for (int left = in.count("count-too-large"); left > 0; left--) {
            long client = in.varUint();
            states.add(client, 0, in.clock());
        }
        if (!in.atEnd()) {
            throw in.fault("trailing-bytes");
        }
        states.sortAndMerge();
        return new Snapshot(
                Arrays.copyOf(states.client, states.size), Arrays.copyOf(states.length, states.size), deletes);
    }

    /** As Yjs' {@code encodeSnapshot} and {@code encodeSnapshotV2}. */
    public byte[] encode(UpdateFormat format) {
        UpdateWriter out = UpdateWriter.of(format);
        StateEncoder.deletes(out, deletes);
        out.rest.varUint(clients.length);
        for (int i = 0; i < clients.length; i++) {
            out.rest.varUint(clients[i]);
            out.rest.varUint(clocks[i]);
        }
        return out.rest.toBytes();
    }

    /** The next clock of each client. */
    public SortedMap<Long, Integer> stateVector() {
        TreeMap<Long, Integer> states = new TreeMap<>();
        for (int i = 0; i < clients.length; i++) {
            states.put(clients[i], clocks[i]);
        }
        return states;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Snapshot that
                && Arrays.equals(clients, that.clients)
                && Arrays.equals(clocks, that.clocks)
                && deletes.sameAs(that.deletes);
    }

    @Override
    public int hashCode() {
        return (Arrays.hashCode(clients) * 31 + Arrays.hashCode(clocks)) * 31 + deletes.size;
    }
}
