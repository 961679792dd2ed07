package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * One Yjs document: updates in, state out.
 *
 * <p>Not thread-safe; owned by one thread at a time. Buffers given to it are only read during the call. No input makes it
 * throw anything unchecked, and one that is refused leaves it unchanged. Order and duplication of updates don't matter:
 * documents that were given the same updates hold the same content.
 */
public final class Doc {
    /** A bit of {@link #apply}: a struct was added or something was newly deleted. */
    public static final int CHANGED = 1;

    /** A bit of {@link #apply}: a struct or delete of this update waits for what has not arrived. */
    public static final int PARKED = 2;

    /**
     * A bit of {@link #apply}: an id of this update is known here with other content. The first one stays, as in Yjs; two
     * writers used the same client id.
     */
    public static final int CONFLICT = 4;

    /** The most units, bytes of values and rows a document may hold: arrays must have room to grow. */
    private static final int CONTENT_LAST = 1 << 29;

    /** No lambda: the first one of a process costs milliseconds. */
    private static final Comparator<Root> BY_NAME = new Comparator<>() {
        @Override
        public int compare(Root a, Root b) {
            return a.name().compareTo(b.name());
        }
    };

    /** The objects and smallest arrays of a document that holds next to nothing; measured. */
    private static final int FIXED_BYTES = 3000;

    final StructStore store = new StructStore();
    private final Limits limits;
    private final Merge merge;
    private final Integrator integrator;
    final PendingStructs pendingStructs = new PendingStructs();

    /** By client id; always sorted and merged. */
    final ClockRanges pendingDeletes = new ClockRanges();

    private final ClockRanges parkedDeletes = new ClockRanges();

    /** What the waiting structs lack, as far as it was found out when they came or were tried again last. */
    private final TreeMap<Long, Integer> missing = new TreeMap<>();

    private final UpdateDecoder decoder = new UpdateDecoder();
    private final StructBuffer decoded = new StructBuffer();
    private final ClockRanges decodedDeletes = new ClockRanges();

    private Doc(boolean gc, Limits limits) {
        this.limits = limits;
        merge = new Merge(store, gc);
        integrator = new Integrator(store, merge);
    }

    /**
     * An empty document with {@link Limits#DEFAULT}.
     *
     * @param gc whether the content of what is deleted is freed
     */
    public static Doc create(boolean gc) {
        return create(gc, Limits.DEFAULT);
    }

    /** An empty document with limits of its own. */
    public static Doc create(boolean gc, Limits limits) {
        return new Doc(gc, limits);
    }

    /**
     * Merges one update. All bytes of it must be used up.
     *
     * @return an or of {@link #CHANGED}, {@link #PARKED} and {@link #CONFLICT}
     * @throws MalformedUpdateException when it can't be read or exceeds a limit; the document is unchanged
     */
    public int apply(UpdateFormat format, byte[] buf, int off, int len) throws MalformedUpdateException {
        Objects.checkFromIndexSize(off, len, buf.length);
        try {
            decoder.decode(format, buf, off, len, limits.structsPerUpdate(), decoded, decodedDeletes);
            checkRoom();
            return merge();
        } finally {
            decoded.clear();
            decodedDeletes.clear();
        }
    }

    /** Everything of the update might have to wait; only when that could be too much is it worth finding out. */
    private void checkRoom() throws MalformedUpdateException {
        ContentStore contents = store.contents;
        boolean full = (long) contents.units.count + decoded.units.count > CONTENT_LAST
                || (long) contents.blobCount + decoded.blob.size() > CONTENT_LAST
                || (long) store.used + 3L * decoded.size > CONTENT_LAST;
        if (full) {
            throw new MalformedUpdateException("document-limit", 0);
        }
        long structs = (long) pendingStructs.size() + decoded.structs;
        long bytes = pendingStructs.bytes() + decoded.waitingBytes() + pendingDeletes.bytes() + decodedDeletes.bytes();
        if (structs > limits.pendingStructs() || bytes > limits.pendingBytes()) {
            Parking parking = new Parking(this, decoded, decodedDeletes);
            parking.predict();
            if (parking.structs() > limits.pendingStructs() || parking.bytes() > limits.pendingBytes()) {
                throw new MalformedUpdateException("pending-limit", 0);
            }
        }
    }

    private int merge() {
        int flags = 0;
        // Deletes that wait may be for what comes now, so it must be told apart from what it is joined to.
        boolean plain = pendingDeletes.size == 0;
        if (decoded.size > 16) {
            store.reserve(decoded.size);
            store.contents.units.reserve(decoded.units.count);
        }
        for (int i = 0; i < decoded.size; i++) {
            int c = store.clients.find(decoded.client[i]);
            int state = c == ClientTable.NONE ? 0 : store.clients.state[c];
            int clock = decoded.clock[i];
            if (clock == state && plain && integrator.typedOn(decoded, i, c)) {
                continue;
            }
            if (clock > state) {
                pendingStructs.add(decoded, i);
            } else if (decoded.end(i) <= state) {
                flags |= Conflicts.differs(store, decoded, i, decoded.end(i)) ? CONFLICT : 0;
            } else if (integrator.ready(decoded, i)) {
                if (decoded.has(i, StructBuffer.TYPED)) {
                    flags |= clock < state && Conflicts.differs(store, decoded, i, state) ? CONFLICT : 0;
                    integrator.integrateTyped(decoded, i, state - clock);
                } else {
                    integrator.integrate(decoded, i, state - clock);
                }
            } else {
                pendingStructs.add(decoded, i);
            }
        }
        if (!pendingStructs.isEmpty() && merge.addedStructs()) {
            pendingStructs.drain(store, integrator);
        }
        if (pendingDeletes.size > 0) {
            merge.retryDeletes(pendingDeletes);
        }
        boolean parked = parkedStructs();
        noteMissing(parked);
        parked |= applyDeletes(decodedDeletes);
        flags |= parked ? PARKED : 0;
        flags |= merge.changed() ? CHANGED : 0;
        merge.finish();
        return flags;
    }

    private boolean parkedStructs() {
        if (!pendingStructs.isEmpty()) {
            for (int i = 0; i < decoded.size; i++) {
                if (decoded.end(i) > store.clients.stateOf(decoded.client[i])) {
                    return true;
                }
            }
        }
        return false;
    }

    /** As in Yjs, what is missing is asked anew only when something of it came. */
    private void noteMissing(boolean parked) {
        if (pendingStructs.isEmpty()) {
            missing.clear();
            return;
        }
        boolean anew = missing.isEmpty();
        for (Map.Entry<Long, Integer> entry : missing.entrySet()) {
            anew |= entry.getValue() < store.clients.stateOf(entry.getKey());
        }
        if (anew) {
            missing.clear();
            pendingStructs.heads().missing(store, integrator, missing);
        } else if (parked) {
            BlockedHeads.of(decoded, store).missing(store, integrator, missing);
        }
    }

    /** Deletes what is here and parks the rest; true when there was a rest. */
    private boolean applyDeletes(ClockRanges ranges) {
        for (int i = 0; i < ranges.size; i++) {
            int c = store.clients.find(ranges.client[i]);
            int state = c == ClientTable.NONE ? 0 : store.clients.state[c];
            int from = ranges.clock[i];
            int end = ranges.end(i);
            if (from < state) {
                merge.deleteRange(c, from, Math.min(end, state));
            }
            if (end > state) {
                parkedDeletes.add(ranges.client[i], Math.max(from, state), end - Math.max(from, state));
            }
        }
        if (parkedDeletes.size == 0) {
            return false;
        }
        parkedDeletes.sortAndMerge();
        pendingDeletes.mergeSorted(parkedDeletes);
        parkedDeletes.clear();
        return true;
    }

    /** Whether structs or deletes wait for what has not arrived. */
    public boolean hasPending() {
        return !pendingStructs.isEmpty() || pendingDeletes.size > 0;
    }

    /** What is waited for; null when nothing is. */
    public Pending pending() {
        if (!hasPending()) {
            return null;
        }
        return new Pending(Collections.unmodifiableSortedMap(new TreeMap<>(missing)), pendingDeletes.size > 0);
    }

    /**
     * Whether the document says all that the update says: every struct is merged and every delete applied. What waits
     * doesn't count.
     */
    public boolean contains(UpdateFormat format, byte[] buf, int off, int len) throws MalformedUpdateException {
        Objects.checkFromIndexSize(off, len, buf.length);
        try {
            decoder.decode(format, buf, off, len, limits.structsPerUpdate(), decoded, decodedDeletes);
            for (int i = 0; i < decoded.size; i++) {
                if (decoded.end(i) > store.clients.stateOf(decoded.client[i])) {
                    return false;
                }
            }
            for (int i = 0; i < decodedDeletes.size; i++) {
                int c = store.clients.find(decodedDeletes.client[i]);
                if (!merge.isDeleted(c, decodedDeletes.clock[i], decodedDeletes.end(i))) {
                    return false;
                }
            }
            return true;
        } finally {
            decoded.clear();
            decodedDeletes.clear();
        }
    }

    /** The whole document as one update, without what is pending: no gaps, and Yjs 13 can load it. */
    public byte[] encodeState(UpdateFormat format) {
        return new StateEncoder(store, format).state();
    }

    /** What Yjs' {@code encodeStateAsUpdate} gives: with what is pending, and Skips over what is missing. */
    public byte[] encodeStateWithPending(UpdateFormat format) {
        return new StateEncoder(store, format).stateWithPending(pendingStructs, pendingDeletes);
    }

    /**
     * What a replica of the given state vector lacks, with all deletes.
     *
     * @throws MalformedUpdateException when the state vector can't be read
     */
    public byte[] encodeStateSince(UpdateFormat format, byte[] stateVector) throws MalformedUpdateException {
        return new StateEncoder(store, format).since(StateVectors.decode(stateVector));
    }

    /** The state vector as Yjs encodes it. */
    public byte[] stateVector() {
        return StateVectors.encode(store.clients);
    }

    /** What is merged now: enough to see the document as it is, later, when nothing is collected. */
    public Snapshot snapshot() {
        return Snapshot.of(store);
    }

    /**
     * The document as it was at a snapshot, as one of its own; the views of {@link Projection} show it. This document is
     * unchanged. As in Yjs, what other writers collected before it came here can't be shown.
     *
     * @throws IllegalStateException when this document frees deleted content
     * @throws MalformedUpdateException {@code snapshot-not-covered}: the snapshot is of more than this document holds
     */
    public Doc at(Snapshot snapshot) throws MalformedUpdateException {
        if (merge.frees()) {
            throw new IllegalStateException("deleted content was freed");
        }
        Doc then = create(false, limits);
        new Restorer(store, then.decoded, then.decodedDeletes).restore(snapshot);
        then.merge();
        then.decoded.clear();
        then.decodedDeletes.clear();
        if (then.hasPending()) {
            throw new MalformedUpdateException("snapshot-not-covered", 0);
        }
        then.discardChanges();
        return then;
    }

    /**
     * What Yjs' {@code update} event would say of everything since the last drain, or since the document was empty. Its
     * cost grows with the change, not with the document.
     *
     * @return null when nothing changed
     */
    public byte[] drainChanges(UpdateFormat format) {
        if (!merge.hasNews()) {
            return null;
        }
        byte[] update = new StateEncoder(store, format).changes(merge);
        merge.drained();
        return update;
    }

    /** Takes all changes so far for drained, without encoding them: what was just loaded is not news. */
    public void discardChanges() {
        merge.drained();
    }

    /**
     * Whether the other document holds the same: state vector, structs with their place and content, deletes, and the
     * order of items. How structs are cut into runs and what is pending don't count.
     */
    public boolean sameContent(Doc other) {
        return Comparison.same(store, other.store);
    }

    /** How many structs are stored. */
    public int structCount() {
        return store.size();
    }

    /** An estimate of the memory this document holds, in bytes; costs a walk over its clients only. */
    public long residentBytes() {
        return FIXED_BYTES
                + store.bytes()
                + pendingStructs.bytes()
                + decoded.bytes()
                + pendingDeletes.bytes()
                + decodedDeletes.bytes()
                + parkedDeletes.bytes()
                + merge.bytes();
    }

    /** The roots something was ever put in, ordered by name. */
    public List<Root> roots() {
        List<Root> roots = new ArrayList<>();
        for (int t = 0; t < store.types.size; t++) {
            if (store.types.isRoot(t)) {
                roots.add(new Root(store.names.get(store.types.name[t]), RootTypes.infer(store, t)));
            }
        }
        roots.sort(BY_NAME);
        return roots;
    }
}
