package dev.walmerge.crdt;

import java.util.List;
import java.util.Objects;
import java.util.SortedMap;

/**
 * One Yjs document: updates in, state out.
 *
 * <p>Not thread-safe; owned by one thread at a time. Buffers given to it are only read during the call. No input makes it
 * throw anything unchecked, and one that is refused leaves it unchanged. Order and duplication of updates don't matter:
 * documents that were given the same updates hold the same content.
 *
 * <p>An argument that is null is a {@link NullPointerException}, unless a method says what null means, and changes nothing.
 * Within a transaction of edits, what is read, written, drained or applied comes after all edits so far.
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

    /** The objects of a document that rests; measured. */
    private static final int RESTING_BYTES = 120;

    private final boolean gc;
    private final Limits limits;

    /** Null while the document rests. */
    private OpenDoc open;

    /** The document while it rests, in version 2. */
    private byte[] rested;

    private int restedStructs;

    /** Edits that began and didn't end, of all editors; one within another counts as one more. */
    private int editing;

    private Doc(boolean gc, Limits limits) {
        this.gc = gc;
        this.limits = limits;
        open = new OpenDoc(gc, limits);
    }

    /** The document as it is worked on; one that rests is opened. */
    OpenDoc open() {
        if (open == null) {
            open = OpenDoc.of(gc, limits, rested);
            rested = null;
        }
        return open;
    }

    /** The document with all edits so far finished: within a transaction too, what is written or drained is all of it. */
    private OpenDoc settled() {
        if (editing > 0 && open != null) {
            open.finishEdits();
        }
        return open();
    }

    /** The structs of the document, which is opened when it rests. */
    StructStore store() {
        return open().store;
    }

    /**
     * Gives back all memory but for the document's state in version 2; the next use opens it again, at the cost of a load.
     * What is never seen outside may differ then: how structs are cut into runs, and the order of a map's keys in JSON.
     *
     * @return false, and nothing happens, within a transaction of edits, when there are changes that were not drained,
     *     something is pending, or a text holds a lone surrogate, which an update can't hold
     */
    public boolean rest() {
        if (editing > 0) {
            return false;
        }
        if (open == null) {
            return true;
        }
        if (open.merge.hasNews() || open.hasPending() || !open.isWellFormed()) {
            return false;
        }
        rested = open.encodeState(UpdateFormat.V2);
        restedStructs = open.store.size();
        open = null;
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
        return new Doc(gc, Objects.requireNonNull(limits));
    }

    /**
     * Merges one update. All bytes of it must be used up.
     *
     * @return an or of {@link #CHANGED}, {@link #PARKED} and {@link #CONFLICT}
     * @throws MalformedUpdateException when it can't be read or exceeds a limit; the document is unchanged
     */
    public int apply(UpdateFormat format, byte[] buf, int off, int len) throws MalformedUpdateException {
        Objects.requireNonNull(format);
        Objects.checkFromIndexSize(off, len, buf.length);
        OpenDoc opened = settled();
        Workbench bench = Workbench.get();
        try {
            bench.decode(format, buf, off, len, limits.structsPerUpdate());
            opened.checkRoom(bench.structs, bench.deletes);
            return opened.merge(bench.structs, bench.deletes);
        } finally {
            bench.clear();
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
        if (open != null) {
            open.store.order = null;
        }
    }

    void beginEdits() {
        editing++;
    }

    /** The end of an edit; of the transaction when it was the outermost. */
    void endEdits() {
        if (--editing == 0 && open != null) {
            open.finishEdits();
        }
    }

    /** Whether structs or deletes wait for what has not arrived. */
    public boolean hasPending() {
        return open != null && open.hasPending();
    }

    /** What is waited for; null when nothing is. */
    public Pending pending() {
        return hasPending() && settled().hasPending() ? open.pending() : null;
    }

    /**
     * Whether the document says all that the update says: every struct is merged and every delete applied. What waits
     * doesn't count.
     */
    public boolean contains(UpdateFormat format, byte[] buf, int off, int len) throws MalformedUpdateException {
        Objects.requireNonNull(format);
        Objects.checkFromIndexSize(off, len, buf.length);
        OpenDoc opened = open();
        Workbench bench = Workbench.get();
        try {
            bench.decode(format, buf, off, len, limits.structsPerUpdate());
            return opened.holds(bench.structs, bench.deletes);
        } finally {
            bench.clear();
        }
    }

    /** The whole document as one update, without what is pending: no gaps, and Yjs 13 can load it. */
    public byte[] encodeState(UpdateFormat format) {
        Objects.requireNonNull(format);
        if (open == null && format == UpdateFormat.V2) {
            return rested.clone();
        }
        return settled().encodeState(format);
    }

    /** What Yjs' {@code encodeStateAsUpdate} gives: with what is pending, and Skips over what is missing. */
    public byte[] encodeStateWithPending(UpdateFormat format) {
        Objects.requireNonNull(format);
        if (!hasPending() || !settled().hasPending()) {
            return encodeState(format);
        }
        return new StateEncoder(open.store, format).stateWithPending(open.pendingStructs, open.pendingDeletes);
    }

    /**
     * What a replica of the given state vector lacks, with all deletes.
     *
     * @throws MalformedUpdateException when the state vector can't be read
     */
    public byte[] encodeStateSince(UpdateFormat format, byte[] stateVector) throws MalformedUpdateException {
        Objects.requireNonNull(format);
        SortedMap<Long, Integer> states = StateVectors.decode(stateVector);
        return new StateEncoder(settled().store, format).since(states);
    }

    /** The state vector as Yjs encodes it. */
    public byte[] stateVector() {
        return StateVectors.encode(store().clients);
    }

    /** How far the units of a client are merged: the clock behind the last one, 0 if there is none. */
    public int clock(long client) {
        return store().clients.stateOf(client);
    }

    /** What is merged now: enough to see the document as it is, later, when nothing is collected. */
    public Snapshot snapshot() {
        return Snapshot.of(settled().store);
    }

    /**
     * The document as it was at a snapshot, as one of its own; the views of {@link Projection} show it. This document is
     * unchanged. As in Yjs, what other writers collected before it came here can't be shown.
     *
     * @throws IllegalStateException when this document frees deleted content
     * @throws MalformedUpdateException {@code snapshot-not-covered}: the snapshot is of more than this document holds
     */
    public Doc at(Snapshot snapshot) throws MalformedUpdateException {
        Objects.requireNonNull(snapshot);
        if (gc) {
            throw new IllegalStateException("deleted content was freed");
        }
        Doc then = create(false, limits);
        Workbench bench = Workbench.get();
        try {
            new Restorer(settled().store, bench.structs, bench.deletes).restore(snapshot);
            then.open.merge(bench.structs, bench.deletes);
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
        Objects.requireNonNull(format);
        if (open == null || !settled().merge.hasNews()) {
            return null;
        }
        byte[] update = new StateEncoder(open.store, format).changes(open.merge);
        open.merge.drained();
        return update;
    }

    /** Takes all changes so far for drained, without encoding them: what was just loaded is not news. */
    public void discardChanges() {
        if (open != null) {
            settled().merge.drained();
        }
    }

    /**
     * Whether the other document holds the same: state vector, structs with their place and content, deletes, and the
     * order of items. How structs are cut into runs and what is pending don't count.
     */
    public boolean sameContent(Doc other) {
        return Comparison.same(settled().store, other.settled().store);
    }

    /**
     * Clients that each began an empty document with the same visible content, which merging then shows twice. That is
     * what the updates say, so nothing is undone; applications fill a document once, or by one client id. It is found
     * when it is all that the two wrote by themselves, or 16 units of it. Costs a walk over the clients.
     */
    public List<RepeatedSeed> repeatedSeeds() {
        return new RepeatedSeeds(settled().store).find();
    }

    /** How many structs are stored. */
    public int structCount() {
        return open != null ? open.store.size() : restedStructs;
    }

    /** An estimate of the memory this document holds, in bytes; costs a walk over its clients only. */
    public long residentBytes() {
        return open != null ? open.bytes() : (long) RESTING_BYTES + rested.length;
    }

    /** The roots something was ever put in, ordered by name. */
    public List<Root> roots() {
        return RootTypes.all(store());
    }
}
