package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Puts a decoded struct into the document. The one place that decides the order of items.
 *
 * <p>The order is YATA's (Nicolaescu et al., 2016) with the refinement of Yjs 13: each item remembers what was left and
 * right of it when it was made (its origins) and belongs between them. Others that were put there meanwhile are its
 * conflict zone:
 *
 * <pre>
 *   origin | b b b | new? | c c | new? | c | new? | right origin
 *            ^ scanned, and passed for good: the new item is right of them
 *                           ^ scanned since the place last moved: the new item is still left of them
 *
 *   scan o from left to right:
 *     same origin as the new item     lower client id: pass it      (the place moves behind o)
 *                                     same right origin: stop       (higher id, same place: the new item is before it)
 *                                     otherwise: look on
 *     o's origin was scanned          and is passed for good: pass o as well
 *                                     and is not: look on           (o belongs to something right of the new item)
 *     otherwise                       stop                          (o began left of our origin: its zone encloses ours)
 * </pre>
 *
 * Instead of two sets of items, each struct keeps the number of the scan step that saw it last: "scanned" is a number
 * above the one this scan began with, "passed for good" one not above that of the last move.
 */
final class Integrator {
    private static final int NONE = StructStore.NONE;

    /** What {@link #scan} gives up with. */
    private static final int LONG = -2;

    /** A scan of so many steps is worth remembering. */
    private static final int LONG_SCAN = 256;

    private final StructStore store;
    private final Merge merge;

    /** Of this merge; null until a scan was long, as in most documents. */
    private LongScans scans;

    /** Of scans, so far: what they cost. */
    int step;

    /** The row that {@link #held} found last. */
    private int lastHolder = NONE;

    /** Tests set it to try what rarely happens. */
    int longScan = LONG_SCAN;

    /** What {@link #ready} found missing. */
    long missingClient;

    int missingClock;

    Integrator(StructStore store, Merge merge) {
        this.store = store;
        this.merge = merge;
    }

    /** Whether all that the struct refers to is here; otherwise {@link #missingClient} lacks {@link #missingClock}. */
    boolean ready(StructBuffer in, int i) {
        if (in.has(i, StructBuffer.HAS_ORIGIN | StructBuffer.PARENT_ID)
                && lacks(in.client[i], in.originClient[i], in.originClock[i])) {
            return false;
        }
        return !in.has(i, StructBuffer.HAS_RIGHT_ORIGIN) || !lacks(in.client[i], in.rightClient[i], in.rightClock[i]);
    }

    private boolean lacks(long own, long client, int clock) {
        if (client != own && clock >= store.clients.stateOf(client)) {
            missingClient = client;
            missingClock = clock;
            return true;
        }
        return false;
    }

    /**
     * The commonest update: text that goes on where its client typed last, between the same neighbours. What {@link #integrate}
     * would add and join again grows in place. False when the struct is anything else; nothing has changed then.
     */
    boolean typedOn(StructBuffer in, int i, int c) {
        int info = in.info[i];
        if ((info & ~(StructBuffer.HAS_RIGHT_ORIGIN | StructBuffer.TYPED)) != (Kind.STRING | StructBuffer.HAS_ORIGIN)
                || in.originClient[i] != in.client[i]
                || in.originClock[i] != in.clock[i] - 1) {
            return false;
        }
        int s = store.clients.structs[c].newest();
        int rightClock = store.rightClock[s];
        boolean hasRight = (info & StructBuffer.HAS_RIGHT_ORIGIN) != 0;
        if (!store.isText(s) || store.parentSub.get(s) != NONE || (rightClock != NONE) != hasRight) {
            return false;
        }
        if (hasRight) {
            int right = store.rightClient.get(s);
            if (rightClock != in.rightClock[i]
                    || store.clients.id[right] != in.rightClient[i]
                    || store.isCollected(right, rightClock)) {
                return false;
            }
        }
        int next = store.right[s];
        if (next != NONE && store.originClock[next] == in.originClock[i] && store.originClient.get(next) == c) {
            return false;
        }
        if (scans != null) {
            scans.typedOn(c, in.originClock[i]);
        }
        store.contents.append(store, s, in.units, in.content[i], in.length[i]);
        store.clients.state[c] += in.length[i];
        if (store.order != null) {
            store.order.changed(s);
        }
        merge.grew(c);
        return true;
    }

    /**
     * Adds a struct whose references are here. {@code offset} units of it are known already; less than its length.
     */
    void integrate(StructBuffer in, int i, int offset) {
        int c = store.clients.intern(in.client[i]);
        merge.touch(c);
        int kind = in.kind(i);
        if (kind == Kind.GC) {
            addGc(c, in.length[i] - offset);
            return;
        }
        int left = NONE;
        int right = NONE;
        if (in.has(i, StructBuffer.HAS_ORIGIN)) {
            left = store.cleanEnd(store.clients.find(in.originClient[i]), in.originClock[i], merge.dirty);
        }
        if (in.has(i, StructBuffer.HAS_RIGHT_ORIGIN)) {
            right = rightOf(left, store.clients.find(in.rightClient[i]), in.rightClock[i]);
        }
        int parent = parentOf(in, i, left, right);
        int sub = subOf(in, i, left, right);
        if (offset > 0) {
            left = store.clients.structs[c].newest();
            if (store.isGc(left)) {
                parent = NONE;
            }
        }
        if (parent == NONE) {
            addGc(c, in.length[i] - offset);
            return;
        }
        int s = store.allocate(kind);
        store.client.set(s, c);
        store.clock[s] = in.clock[i] + offset;
        store.length.set(s, in.length[i] - offset);
        store.parent.set(s, parent);
        store.parentSub.set(s, sub);
        if (left != NONE) {
            store.originClient.set(s, store.client.get(left));
            store.originClock[s] = offset > 0 ? store.clock[s] - 1 : in.originClock[i];
        }
        if (right != NONE) {
            store.rightClient.set(s, store.client.get(right));
            store.rightClock[s] = in.rightClock[i];
        }
        takeContent(s, in, i, offset);
        link(s, place(s, left, right));
        append(c, s);
        settle(s, in, i);
    }

    /** Adds an item made here, which knows its neighbours; its client's next. Only behind the newest it may be joined. */
    void add(int s, int behind, boolean waitedFor) {
        int c = store.client.get(s);
        StructList own = store.clients.structs[c];
        if (waitedFor || (behind != NONE && !own.isEmpty() && behind == own.newest())) {
            merge.touch(c);
        } else {
            merge.grew(c);
        }
        link(s, behind);
        append(c, s);
    }

    /** The struct that begins with the right origin: nearly always the one behind the origin, which saves a search. */
    private int rightOf(int left, int c, int clock) {
        int next = left == NONE ? NONE : store.right[left];
        if (next != NONE && store.clock[next] == clock && store.client.get(next) == c) {
            return next;
        }
        return store.cleanStart(c, clock, merge.dirty);
    }

    /** Text that came unit by unit: the first one finds its place, the others go on from there unless something keeps them apart. */
    void integrateTyped(StructBuffer in, int i, int known) {
        if (known > 0) {
            in.cutTyped(i, known);
        }
        int c = store.clients.intern(in.client[i]);
        int rest = in.length[i];
        while (rest > 0) {
            in.length[i] = 1;
            integrate(in, i, 0);
            in.cutTyped(i, 1);
            in.length[i] = --rest;
            if (rest > 0 && typedOn(in, i, c)) {
                return;
            }
        }
    }

    private void addGc(int c, int length) {
        int s = store.allocate(Kind.GC);
        store.client.set(s, c);
        store.clock[s] = store.clients.state[c];
        store.length.set(s, length);
        store.parent.set(s, NONE);
        store.deletes.note(store.clients.id[c], store.clock[s], length);
        append(c, s);
    }

    private void append(int c, int s) {
        store.clients.structs[c].append(s, store.clock);
        store.clients.state[c] = store.end(s);
    }

    /** The type the item belongs to, or NONE when that is collected or was never a type. */
    private int parentOf(StructBuffer in, int i, int left, int right) {
        if ((left != NONE && store.isGc(left)) || (right != NONE && store.isGc(right))) {
            return NONE;
        }
        if (in.has(i, StructBuffer.PARENT_ROOT)) {
            return store.types.root(store.names.intern(in.root(i)));
        }
        if (in.has(i, StructBuffer.PARENT_ID)) {
            return held(in.originClient[i], in.originClock[i]);
        }
        return left != NONE ? store.parent.get(left) : store.parent.get(right);
    }

    /** The type of an item; the entries of a map, which come one after another, have the same. */
    private int held(long client, int clock) {
        int s = lastHolder;
        if (s == NONE
                || store.clock[s] != clock
                || store.kind(s) != Kind.TYPE
                || store.isFree(s)
                || store.clients.id[store.client.get(s)] != client) {
            s = store.find(store.clients.find(client), clock);
            lastHolder = s;
        }
        return store.kind(s) == Kind.TYPE ? store.content[s] : NONE;
    }

    private int subOf(StructBuffer in, int i, int left, int right) {
        if (in.has(i, StructBuffer.PARENT_ROOT | StructBuffer.PARENT_ID)) {
            return in.sub(i) == null ? NONE : in.subName(i, store.names);
        }
        return left != NONE ? store.parentSub.get(left) : store.parentSub.get(right);
    }

    private void takeContent(int s, StructBuffer in, int i, int offset) {
        ContentStore contents = store.contents;
        int kind = in.kind(i);
        if (kind == Kind.STRING) {
            int count = store.length.get(s);
            store.content[s] = contents.addUnits(in.units, in.content[i] + offset, count);
            if (offset > 0 && Character.isHighSurrogate(in.units.at(in.content[i] + offset - 1))) {
                contents.units.set(store.content[s], Utf8.REPLACEMENT);
            }
        } else if (Kind.inBlob(kind)) {
            byte[] blob = in.blob.array();
            int from = in.content[i];
            for (int n = 0; n < offset; n++) {
                from = AnyValue.end(blob, from);
            }
            int count = in.contentBytes[i] - (from - in.content[i]);
            store.content[s] = contents.addBytes(blob, from, count);
            store.contentBytes.set(s, count);
            if (kind == Kind.FORMAT) {
                store.spare.set(s, store.names.intern(in.key(i)));
            }
        }
    }

    /** The item the new one goes behind, or NONE for the front. */
    private int place(int s, int left, int right) {
        boolean leftOfOrigin = left != NONE && store.end(left) - 1 != store.originClock[s];
        if (leftOfOrigin && scans != null) {
            // The right origin lies before the origin and cut it off. No editor makes that.
            scans.forgetPlaces();
        }
        boolean lowestKnown = scans != null && scans.knowLowest(s);
        if (lowestKnown && scans.isLowest(s)) {
            return left;
        }
        int next = behind(s, left);
        if (next == NONE || next == right) {
            return left;
        }
        if (step > Integer.MAX_VALUE - 3 * (store.used + 1)) {
            Arrays.fill(store.seen, 0);
            step = 0;
        }
        store.reserveSeen();
        int from = scans == null ? NONE : scans.before(s);
        boolean goesOn = from != NONE;
        int begin = step;
        int behind = scan(s, goesOn ? from : left, right, lowestKnown || goesOn ? Integer.MAX_VALUE : longScan, goesOn);
        if (behind == LONG) {
            if (remembered().isLowest(s, lowestBehind(s, left))) {
                return left;
            }
            begin = step;
            behind = scan(s, left, right, Integer.MAX_VALUE, false);
        }
        if (behind != left) {
            if (scans != null) {
                scans.moved(begin, behind);
            }
            if (!leftOfOrigin && (goesOn || step - begin >= longScan)) {
                remembered().ended(s);
            }
        }
        return behind;
    }

    private LongScans remembered() {
        scans = scans == null ? new LongScans(store) : scans;
        return scans;
    }

    /**
     * As the picture says, from behind {@code from} on; {@link #LONG} when nothing was passed within {@code most} steps. One that
     * goes on has passed {@code from}, an item like the new one.
     */
    private int scan(int s, int from, int right, int most, boolean goesOn) {
        int begin = step;
        if (goesOn) {
            store.seen[from] = ++step;
        }
        int passed = step;
        int behind = from;
        long id = store.id(s);
        for (int o = behind(s, from); o != NONE && o != right; o = store.right[o]) {
            if (passed == begin && step - begin >= most) {
                return LONG;
            }
            store.seen[o] = ++step;
            if (sameOrigin(o, s)) {
                if (store.id(o) < id) {
                    behind = o;
                    passed = step;
                } else if (sameRightOrigin(o, s)) {
                    break;
                }
            } else {
                int origin = store.origin(o);
                int seen = origin == NONE ? 0 : store.seen[origin];
                if (seen <= begin) {
                    break;
                }
                if (seen <= passed) {
                    behind = o;
                    passed = step;
                }
            }
        }
        return behind;
    }

    /**
     * The lowest client of the items a scan could meet that have the same origin. The first thing a scan passes is one of
     * them that is lower than the new item, so one that is not above the lowest stays where it begins.
     */
    private long lowestBehind(int s, int left) {
        int begin = step;
        long low = Long.MAX_VALUE;
        for (int o = behind(s, left); o != NONE; o = store.right[o]) {
            store.seen[o] = ++step;
            if (sameOrigin(o, s)) {
                low = Math.min(low, store.id(o));
            } else if (store.origin(o) == NONE || store.seen[store.origin(o)] <= begin) {
                break;
            }
        }
        return low;
    }

    private int behind(int s, int left) {
        return left != NONE ? store.right[left] : first(store.parent.get(s), store.parentSub.get(s));
    }

    /**
     * Whether what is put into place must be told to what was remembered. What lies right behind its origin, as all that {@link Loader} puts,
     * matters only where the lowest client is known.
     */
    boolean remembersLowest() {
        return scans != null && scans.knowLowest();
    }

    /** A merge is over; structs may be joined and collected now. */
    void forgetScans() {
        scans = null;
    }

    private boolean sameOrigin(int a, int b) {
        return store.originClock[a] == store.originClock[b] && store.originClient.get(a) == store.originClient.get(b);
    }

    private boolean sameRightOrigin(int a, int b) {
        return store.rightClock[a] == store.rightClock[b] && store.rightClient.get(a) == store.rightClient.get(b);
    }

    /** The first item of a type's list, or of the chain of a key. */
    private int first(int parent, int sub) {
        if (sub == NONE) {
            return store.types.start[parent];
        }
        return store.types.first(parent, sub);
    }

    private void link(int s, int behind) {
        int next;
        if (behind != NONE) {
            next = store.right[behind];
            store.right[behind] = s;
        } else {
            next = first(store.parent.get(s), store.parentSub.get(s));
            if (store.parentSub.get(s) == NONE) {
                store.types.start[store.parent.get(s)] = s;
            } else {
                store.types.setFirst(store.parent.get(s), store.parentSub.get(s), s);
            }
        }
        store.setLeft(s, behind);
        store.right[s] = next;
        if (next != NONE) {
            store.setLeft(next, s);
        } else if (store.parentSub.get(s) != NONE) {
            store.types.setLast(store.parent.get(s), store.parentSub.get(s), s);
            if (behind != NONE) {
                merge.delete(behind);
            }
        }
        if (store.order != null) {
            store.order.linked(s, behind);
        }
    }

    /** What the content does to the document, and whether the item is deleted as it arrives. */
    private void settle(int s, StructBuffer in, int i) {
        int kind = in.kind(i);
        if (kind == Kind.DELETED) {
            store.markDeleted(s);
            merge.cameDeleted(s);
        } else if (kind == Kind.TYPE) {
            int ref = in.content[i];
            int name = TypeRef.named(ref) ? store.names.intern(in.key(i)) : Names.NONE;
            store.content[s] = store.types.add(ref, s, name);
        }
        int holder = store.types.item[store.parent.get(s)];
        boolean orphan = holder != NONE && store.isDeleted(holder);
        if (orphan || (store.parentSub.get(s) != NONE && store.right[s] != NONE)) {
            merge.delete(s);
        }
    }
}
