package dev.walmerge.crdt;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** A document as it is worked on: its structs, what waits, and how an update is merged into them. */
final class OpenDoc {
    /** The most units, bytes of values and rows a document may hold: arrays must have room to grow. */
    private static final int CONTENT_LAST = 1 << 29;

    /** The objects and smallest arrays of a document that holds next to nothing; measured. */
    private static final int FIXED_BYTES = 3000;

    /** An update of more structs gets room for them at once. */
    private static final int MANY = 16;

    /** Rows made room for at once: what is claimed and then waits costs no more. */
    private static final int ROWS_AT_ONCE = 1 << 16;

    private final Limits limits;
    final StructStore store = new StructStore();
    final Merge merge;
    final Integrator integrator;
    private StateCache states;
    final PendingStructs pendingStructs = new PendingStructs();

    /** By client id; always sorted and merged. */
    final ClockRanges pendingDeletes = new ClockRanges();

    private final ClockRanges parkedDeletes = new ClockRanges();

    /** What the waiting structs lack, as far as it was found out when they came or were tried again last. */
    private final TreeMap<Long, Integer> missing = new TreeMap<>();

    OpenDoc(boolean gc, Limits limits) {
        this.limits = limits;
        merge = new Merge(store, gc);
        integrator = new Integrator(store, merge);
    }

    /** The document of a state that was written here, in version 2. */
    static OpenDoc of(boolean gc, Limits limits, byte[] state) {
        OpenDoc doc = new OpenDoc(gc, limits);
        Workbench bench = Workbench.get();
        try {
            bench.decode(UpdateFormat.V2, state, 0, state.length, Integer.MAX_VALUE);
            doc.merge(bench.structs, bench.deletes);
        } catch (MalformedUpdateException e) {
            throw new IllegalStateException(e);
        } finally {
            bench.clear();
        }
        doc.merge.drained();
        return doc;
    }

    /** Everything of the update might have to wait; only when that could be too much is it worth finding out. */
    void checkRoom(StructBuffer structsOfIt, ClockRanges deletesOfIt) throws MalformedUpdateException {
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

    /** Merges a whole update; an or of {@link Doc#CHANGED}, {@link Doc#PARKED} and {@link Doc#CONFLICT}. */
    int merge(StructBuffer decoded, ClockRanges deletes) {
        int flags = 0;
        boolean whole = store.used == 0 && pendingStructs.isEmpty();
        if (whole) {
            store.contents.adopt(decoded);
            store.reserve(Math.min(decoded.size, ROWS_AT_ONCE));
        } else if (decoded.size > MANY) {
            store.reserve(Math.min(decoded.size, ROWS_AT_ONCE));
            store.contents.units.reserve(decoded.units.count);
        }
        Loader loader = whole && merge.isNew() && decoded.size > MANY ? new Loader(store, decoded, merge) : null;
        PendingStructs late = null;
        int[] order = decoded.byClientDescending();
        // Deletes that wait may be for what comes now, so it must be told apart from what it is joined to.
        boolean plain = pendingDeletes.size == 0;
        for (int n = 0; n < decoded.size; n++) {
            int i = order == null ? n : order[n];
            int loaded = loader == null || integrator.remembersLowest() ? 0 : loader.add(i);
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
                flags |= Doc.CONFLICT;
            }
            if (decoded.end(i) <= state) {
                continue;
            }
            if (clock > state || !integrator.ready(decoded, i)) {
                late = late == null ? new PendingStructs() : late;
                late.add(decoded, i);
            } else if (decoded.has(i, StructBuffer.TYPED)) {
                integrator.integrateTyped(decoded, i, state - clock);
            } else {
                integrator.integrate(decoded, i, state - clock);
            }
        }
        if (late != null) {
            // As in Yjs before what waited already: an id may have come with a pair here and with its halves there.
            if (merge.addedStructs()) {
                late.drain(store, integrator);
            }
            late.moveTo(pendingStructs);
        }
        if (!pendingStructs.isEmpty() && merge.addedStructs()) {
            pendingStructs.drain(store, integrator);
        }
        if (pendingDeletes.size > 0) {
            merge.retryDeletes(pendingDeletes);
        }
        boolean parked = parks(decoded);
        noteMissing(parked ? decoded : null);
        parked |= applyDeletes(deletes);
        flags |= parked ? Doc.PARKED : 0;
        flags |= merge.changed() ? Doc.CHANGED : 0;
        integrator.forgetScans();
        merge.finish();
        if (whole) {
            store.contents.endAdoption(decoded);
            store.trim();
        }
        return flags;
    }

    private boolean parks(StructBuffer decoded) {
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
    private void noteMissing(StructBuffer parked) {
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
        } else if (parked != null) {
            BlockedHeads.of(parked, store).missing(store, integrator, missing);
        }
    }

    /** Deletes what is here and parks the rest; true when there was a rest. */
    private boolean applyDeletes(ClockRanges ranges) {
        for (int i = 0; i < ranges.size; i++) {
            applyDelete(ranges, i);
        }
        if (parkedDeletes.size == 0) {
            return false;
        }
        parkedDeletes.sortAndMerge();
        pendingDeletes.mergeSorted(parkedDeletes);
        parkedDeletes.clear();
        return true;
    }

    private void applyDelete(ClockRanges ranges, int i) {
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

    /** The end of a transaction of edits. */
    void finishEdits() {
        if (hasPending()) {
            if (!pendingStructs.isEmpty() && merge.addedStructs()) {
                pendingStructs.drain(store, integrator);
            }
            if (pendingDeletes.size > 0) {
                merge.retryDeletes(pendingDeletes);
            }
            noteMissing(null);
            integrator.forgetScans();
        }
        merge.finish();
    }

    byte[] encodeState(UpdateFormat format) {
        states = states == null ? new StateCache() : states;
        return states.encode(store, format);
    }

    boolean hasPending() {
        return !pendingStructs.isEmpty() || pendingDeletes.size > 0;
    }

    Pending pending() {
        return new Pending(Collections.unmodifiableSortedMap(new TreeMap<>(missing)), pendingDeletes.size > 0);
    }

    /** Whether every struct is merged and every delete applied. */
    boolean holds(StructBuffer structs, ClockRanges deletes) {
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

    /** Half of a surrogate pair can be in a text, or in a name; an update can't hold it. */
    boolean isWellFormed() {
        return store.contents.isWellFormed(store) && store.names.areWellFormed();
    }

    long bytes() {
        return FIXED_BYTES
                + store.bytes()
                + pendingStructs.bytes()
                + pendingDeletes.bytes()
                + parkedDeletes.bytes()
                + merge.bytes()
                + (states == null ? 0 : states.bytes());
    }
}
