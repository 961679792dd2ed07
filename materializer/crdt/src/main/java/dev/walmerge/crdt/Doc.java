package dev.walmerge.crdt;

import java.util.Collections;
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

    /** The objects and smallest arrays of a document that holds next to nothing; measured. */
    private static final int FIXED_BYTES = 3000;

    /** The same of one that rests. */
    private static final int RESTING_BYTES = 120;

    private final boolean gc;
    private final Limits limits;

    /** The document while it rests, in version 2; all that follows is null then. */
    private byte[] rested;

    private int restedStructs;
    private StructStore store;
    Merge merge;
    Integrator integrator;
    PendingStructs pendingStructs;

    /** By client id; always sorted and merged. */
    ClockRanges pendingDeletes;

    private ClockRanges parkedDeletes;

    /** What the waiting structs lack, as far as it was found out when they came or were tried again last. */
    private TreeMap<Long, Integer> missing;

    /** The update that is being merged; null outside of that. */
    private StructBuffer decoded;

    private ClockRanges decodedDeletes;
    private StateCache states;

    private Doc(boolean gc, Limits limits) {
        this.gc = gc;
        this.limits = limits;
        open();
    }

    private void open() {
        store = new StructStore();
        merge = new Merge(store, gc);
        integrator = new Integrator(store, merge);
        pendingStructs = new PendingStructs();
        pendingDeletes = new ClockRanges();
        parkedDeletes = new ClockRanges();
        missing = new TreeMap<>();
        states = new StateCache();
    }

    /** The structs of the document, which is opened when it rests. */
    StructStore store() {
        if (rested != null) {
            open();
            Workbench bench = Workbench.get();
            try {
                bench.decode(UpdateFormat.V2, rested, 0, rested.length, Integer.MAX_VALUE);
                merge(bench);
            } catch (MalformedUpdateException e) {
                throw new IllegalStateException(e);
            } finally {
                bench.clear();
            }
            merge.drained();
            rested = null;
        }
        return store;
    }

    /**
     * Gives back all memory but for the document's state in version 2; the next use opens it again, at the cost of a load.
     * What is never seen outside may differ then: how structs are cut into runs, and the order of a map's keys in JSON.
     *
     * @return false, and nothing happens, when there are changes that were not drained, something is pending, or a text
     *     holds a lone surrogate, which an update can't hold
     */
    public boolean rest() {
        if (rested != null) {
            return true;
        }
        if (hasChanges() || hasPending() || !isWellFormed()) {
            return false;
        }
        rested = states.encode(store, UpdateFormat.V2);
        restedStructs = store.size();
        store = null;
        merge = null;
        integrator = null;
        pendingStructs = null;
        pendingDeletes = null;
        parkedDeletes = null;
        missing = null;
        states = null;
        return true;
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
        store();
        Workbench bench = Workbench.get();
        try {
            bench.decode(format, buf, off, len, limits.structsPerUpdate());
            checkRoom(bench.structs, bench.deletes);
            return merge(bench);
        } finally {
            bench.clear();
        }
    }

    /** Everything of the update might have to wait; only when that could be too much is it worth finding out. */
    private void checkRoom(StructBuffer structsOfIt, ClockRanges deletesOfIt) throws MalformedUpdateException {
        ContentStore contents = store.contents;
        boolean full = (long) contents.units.count + structsOfIt.units.count > CONTENT_LAST
                || (long) contents.blobCount + structsOfIt.blob.size() > CONTENT_LAST
                || (long) store.used + 3L * structsOfIt.size > CONTENT_LAST;
        if (full) {
            throw new MalformedUpdateException("document-limit", 0);
        }
        long structs = (long) pendingStructs.size() + structsOfIt.structs;
        long bytes = pendingStructs.bytes() + structsOfIt.waitingBytes() + pendingDeletes.bytes() + deletesOfIt.bytes();
        if (structs > limits.pendingStructs() || bytes > limits.pendingBytes()) {
            Parking parking = new Parking(this, structsOfIt, deletesOfIt);
            parking.predict();
            if (parking.structs() > limits.pendingStructs() || parking.bytes() > limits.pendingBytes()) {
                throw new MalformedUpdateException("pending-limit", 0);
            }
        }
    }

    /** Edits this document as a client, whose id no other writer may use: 0 to {@link Limits#CLIENT_LAST}. */
    public Editor edit(long clientId) {
        if (clientId < 0 || clientId > Limits.CLIENT_LAST) {
            throw new IllegalArgumentException("client id " + clientId);
        }
        return new Editor(this, new Author(this, clientId));
    }

    /** Frees the memory of what edits by index set up; they set it up again when they need it. */
    public void dropIndexes() {
        if (rested == null) {
            store.order = null;
        }
    }

    /** @throws IllegalStateException when there is no room for that many units more */
    void checkRoom(int clock, int more) {
        boolean full = clock > Integer.MAX_VALUE - more
                || (long) store.contents.units.count + more > CONTENT_LAST
                || store.contents.blobCount > CONTENT_LAST
                || store.used > CONTENT_LAST - 3;
        if (full) {
            throw new IllegalStateException("the document is full");
        }
    }

    /** The end of a transaction of edits. */
    void finishEdits() {
        if (rested != null) {
            return;
        }
        if (hasPending()) {
            if (!pendingStructs.isEmpty() && merge.addedStructs()) {
                pendingStructs.drain(store, integrator);
            }
            if (pendingDeletes.size > 0) {
                merge.retryDeletes(pendingDeletes);
            }
            noteMissing(false);
        }
        merge.finish();
    }

    private int merge(Workbench bench) {
        decoded = bench.structs;
        decodedDeletes = bench.deletes;
        int flags = 0;
        boolean whole = store.used == 0 && pendingStructs.isEmpty();
        if (whole) {
            store.contents.adopt(decoded);
            store.reserve(decoded.size);
        } else if (decoded.size > 16) {
            store.reserve(decoded.size);
            store.contents.units.reserve(decoded.units.count);
        }
        Loader loader = whole && merge.isNew() && decoded.size > 16 ? new Loader(store, decoded, merge) : null;
        int[] order = decoded.byClientDescending();
        // Deletes that wait may be for what comes now, so it must be told apart from what it is joined to.
        boolean plain = pendingDeletes.size == 0;
        for (int n = 0; n < decoded.size; n++) {
            int i = order == null ? n : order[n];
            int loaded = loader == null || integrator.remembersScans() ? 0 : loader.add(i);
            if (loaded > 0) {
                n += loaded - 1;
                continue;
            }
            int c = store.clients.find(decoded.client[i]);
            int state = c == ClientTable.NONE ? 0 : store.clients.state[c];
            int clock = decoded.clock[i];
            if (clock == state && plain && integrator.typedOn(decoded, i, c)) {
                continue;
            }
            if (clock < state && Conflicts.differs(store, decoded, i)) {
                flags |= CONFLICT;
            }
            if (decoded.end(i) <= state) {
                continue;
            }
            if (clock > state || !integrator.ready(decoded, i)) {
                pendingStructs.add(decoded, i);
            } else if (decoded.has(i, StructBuffer.TYPED)) {
                integrator.integrateTyped(decoded, i, state - clock);
            } else {
                integrator.integrate(decoded, i, state - clock);
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
        integrator.forgetScans();
        merge.finish();
        if (whole) {
            store.contents.endAdoption(decoded);
            store.trim();
        }
        decoded = null;
        decodedDeletes = null;
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
        return rested == null && (!pendingStructs.isEmpty() || pendingDeletes.size > 0);
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
        store();
        Workbench bench = Workbench.get();
        try {
            bench.decode(format, buf, off, len, limits.structsPerUpdate());
            return holds(bench.structs, bench.deletes);
        } finally {
            bench.clear();
        }
    }

    private boolean holds(StructBuffer structs, ClockRanges deletes) {
        for (int i = 0; i < structs.size; i++) {
            if (structs.end(i) > store.clients.stateOf(structs.client[i])) {
                return false;
            }
        }
        for (int i = 0; i < deletes.size; i++) {
            int c = store.clients.find(deletes.client[i]);
            if (!merge.isDeleted(c, deletes.clock[i], deletes.end(i))) {
                return false;
            }
        }
        return true;
    }

    /** The whole document as one update, without what is pending: no gaps, and Yjs 13 can load it. */
    public byte[] encodeState(UpdateFormat format) {
        if (rested != null && format == UpdateFormat.V2) {
            return rested.clone();
        }
        store();
        return states.encode(store, format);
    }

    /** What Yjs' {@code encodeStateAsUpdate} gives: with what is pending, and Skips over what is missing. */
    public byte[] encodeStateWithPending(UpdateFormat format) {
        if (!hasPending()) {
            return encodeState(format);
        }
        return new StateEncoder(store, format).stateWithPending(pendingStructs, pendingDeletes);
    }

    /**
     * What a replica of the given state vector lacks, with all deletes.
     *
     * @throws MalformedUpdateException when the state vector can't be read
     */
    public byte[] encodeStateSince(UpdateFormat format, byte[] stateVector) throws MalformedUpdateException {
        return new StateEncoder(store(), format).since(StateVectors.decode(stateVector));
    }

    /** The state vector as Yjs encodes it. */
    public byte[] stateVector() {
        return StateVectors.encode(store().clients);
    }

    /** What is merged now: enough to see the document as it is, later, when nothing is collected. */
    public Snapshot snapshot() {
        return Snapshot.of(store());
    }

    /**
     * The document as it was at a snapshot, as one of its own; the views of {@link Projection} show it. This document is
     * unchanged. As in Yjs, what other writers collected before it came here can't be shown.
     *
     * @throws IllegalStateException when this document frees deleted content
     * @throws MalformedUpdateException {@code snapshot-not-covered}: the snapshot is of more than this document holds
     */
    public Doc at(Snapshot snapshot) throws MalformedUpdateException {
        if (gc) {
            throw new IllegalStateException("deleted content was freed");
        }
        Doc then = create(false, limits);
        Workbench bench = Workbench.get();
        try {
            new Restorer(store(), bench.structs, bench.deletes).restore(snapshot);
            then.merge(bench);
        } finally {
            bench.clear();
        }
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
        if (!hasChanges()) {
            return null;
        }
        byte[] update = new StateEncoder(store, format).changes(merge);
        merge.drained();
        return update;
    }

    /** Half of a surrogate pair can be in a text, or in a name; an update can't hold it. */
    private boolean isWellFormed() {
        return store.contents.isWellFormed(store) && store.names.areWellFormed();
    }

    private boolean hasChanges() {
        return rested == null && merge.hasNews();
    }

    /** Takes all changes so far for drained, without encoding them: what was just loaded is not news. */
    public void discardChanges() {
        if (rested == null) {
            merge.drained();
        }
    }

    /**
     * Whether the other document holds the same: state vector, structs with their place and content, deletes, and the
     * order of items. How structs are cut into runs and what is pending don't count.
     */
    public boolean sameContent(Doc other) {
        return Comparison.same(store(), other.store());
    }

    /**
     * Clients that each began an empty document with the same visible content, which merging then shows twice. That is
     * what the updates say, so nothing is undone; applications fill a document once, or by one client id. It is found
     * when it is all that the two wrote by themselves, or 16 units of it. Costs a walk over the clients.
     */
    public List<RepeatedSeed> repeatedSeeds() {
        return new RepeatedSeeds(store()).find();
    }

    /** How many structs are stored. */
    public int structCount() {
        return rested == null ? store.size() : restedStructs;
    }

    /** An estimate of the memory this document holds, in bytes; costs a walk over its clients only. */
    public long residentBytes() {
        if (rested != null) {
            return (long) RESTING_BYTES + rested.length;
        }
        return FIXED_BYTES
                + store.bytes()
                + pendingStructs.bytes()
                + pendingDeletes.bytes()
                + parkedDeletes.bytes()
                + merge.bytes()
                + states.bytes();
    }

    /** The roots something was ever put in, ordered by name. */
    public List<Root> roots() {
        return RootTypes.all(store());
    }
}
