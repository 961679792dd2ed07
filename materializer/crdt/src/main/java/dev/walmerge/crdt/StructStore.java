package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Every struct of a document as one row of parallel columns; INTERNALS.md draws the layout. A struct is named by its row,
 * {@link #NONE} is no struct. Rows of merged structs are reused.
 *
 * <p>Knows how to find, cut and join structs; where an item belongs is {@link Integrator}'s business.
 */
final class StructStore {
    static final int NONE = -1;

    /** The flag byte: five bits of {@link Kind}, then these. */
    private static final int DELETED = 0x20;

    private static final int FREE = 0x40;

    /** Bytes of a row in the columns that are always there. */
    private static final long ROW_BYTES = 21;

    private static final int[] NO_ROWS = {};

    final ClientTable clients = new ClientTable();
    final ContentStore contents = new ContentStore();
    final TypeTable types = new TypeTable();
    final Names names = new Names();
    final DeleteSet deletes = new DeleteSet();

    /** Changes with everything that is encoded: what was encoded at the same number says the same. */
    long revision;

    /** Of lists that are edited by index; null until there is one. */
    ListIndex order;

    int[] clock = NO_ROWS;
    int[] right = NO_ROWS;

    /** NONE when an item has no origin; its client is 0 then. */
    int[] originClock = NO_ROWS;

    /** The same of the right origin. */
    int[] rightClock = NO_ROWS;

    /** Where the content starts in its store, or the index of a type. */
    int[] content = NO_ROWS;

    final Column client = new Column(0);
    final Lengths length = new Lengths();
    final Column originClient = new Column(0);
    final Column rightClient = new Column(0);
    final Column parent = new Column(0);
    final Column parentSub = new Column(NONE);
    final Column contentBytes = new Column(0);

    /** Units or bytes that are reserved behind the content; the name of a format's key. */
    final Column spare = new Column(0);

    /** What is before an item in its list or chain; null until somebody asks, since merging needs only what is behind. */
    private int[] left;

    /** When a conflict scan saw the struct last; only as long as {@link #reserveSeen} made it. */
    int[] seen = NO_ROWS;

    private byte[] flags = {};

    /** Whether there is or was a GC. */
    private boolean collected;

    int used;
    private int free = NONE;
    private int live;

    int size() {
        return live;
    }

    int kind(int s) {
        return flags[s] & Kind.MASK;
    }

    boolean isGc(int s) {
        return (flags[s] & Kind.MASK) == Kind.GC;
    }

    boolean isDeleted(int s) {
        return (flags[s] & DELETED) != 0;
    }

    boolean isFree(int s) {
        return (flags[s] & FREE) != 0;
    }

    /** A string that is not deleted. */
    boolean isText(int s) {
        return flags[s] == Kind.STRING;
    }

    /** Whether the struct that holds an id that is here is a GC. */
    boolean isCollected(int c, int at) {
        return collected && isGc(find(c, at));
    }

    /** The id of its client. */
    long id(int s) {
        return clients.id[client.get(s)];
    }

    boolean hasOrigin(int s) {
        return originClock[s] != NONE;
    }

    /** The row that holds the origin, or NONE. */
    int origin(int s) {
        return hasOrigin(s) ? find(originClient.get(s), originClock[s]) : NONE;
    }

    boolean hasRightOrigin(int s) {
        return rightClock[s] != NONE;
    }

    void markDeleted(int s) {
        flags[s] |= DELETED;
    }

    int end(int s) {
        return clock[s] + length.get(s);
    }

    /** A row of its own for a struct, of which the caller sets client, clock, length and parent. */
    int allocate(int kind) {
        int s = free;
        if (s != NONE) {
            free = right[s];
            reset(s);
        } else {
            if (used == clock.length) {
                grow(used + (used >> 2) + 4);
            }
            s = used++;
        }
        live++;
        collected |= kind == Kind.GC;
        flags[s] = (byte) (kind == Kind.GC ? DELETED : kind);
        setLeft(s, NONE);
        right[s] = NONE;
        originClock[s] = NONE;
        rightClock[s] = NONE;
        return s;
    }

    /** Makes a row that was used before as one that was not. */
    private void reset(int s) {
        originClient.set(s, 0);
        rightClient.set(s, 0);
        parentSub.set(s, NONE);
        content[s] = 0;
        contentBytes.set(s, 0);
        spare.set(s, 0);
    }

    /** Makes room for rows that are about to come; little more when they are the first ones, so that an edit behind a load copies nothing. */
    void reserve(int more) {
        if (more > clock.length - used) {
            grow(used == 0 ? more + more / 64 : Math.max(used + more, used + (used >> 2)));
        }
    }

    /** The kind of a row that was never used before, an item's. */
    void setKind(int s, int kind) {
        flags[s] = (byte) (kind == Kind.DELETED ? Kind.DELETED | DELETED : kind);
    }

    /** The next {@code count} rows were filled with structs of a client, in order; the last one ends at {@code state}. */
    void addRows(int c, int count, int state) {
        clients.structs[c].append(used, count, clock);
        used += count;
        live += count;
        clients.state[c] = state;
    }

    /** A whole state came: gives room back that it didn't need. */
    void trim() {
        int wanted = used + used / 64;
        if (wanted < clock.length / 4 * 3) {
            grow(wanted);
        }
        for (int c = 0; c < clients.size; c++) {
            clients.structs[c].trim();
        }
    }

    private void release(int s) {
        flags[s] = FREE;
        right[s] = free;
        free = s;
        live--;
    }

    /** Makes room for {@link #seen}: documents without conflicts never need it. What a row's former struct left there is too old to matter. */
    void reserveSeen() {
        if (seen.length < used) {
            seen = Arrays.copyOf(seen, clock.length);
        }
    }

    private void grow(int capacity) {
        clock = Arrays.copyOf(clock, capacity);
        right = Arrays.copyOf(right, capacity);
        originClock = Arrays.copyOf(originClock, capacity);
        rightClock = Arrays.copyOf(rightClock, capacity);
        content = Arrays.copyOf(content, capacity);
        flags = Arrays.copyOf(flags, capacity);
        left = left == null ? null : Arrays.copyOf(left, capacity);
        client.resize(capacity);
        length.resize(capacity);
        originClient.resize(capacity);
        rightClient.resize(capacity);
        parent.resize(capacity);
        parentSub.resize(capacity);
        contentBytes.resize(capacity);
        spare.resize(capacity);
    }

    /** The item before one in its list or chain, or NONE. */
    int left(int s) {
        if (left == null) {
            left = new int[clock.length];
            Arrays.fill(left, NONE);
            for (int i = 0; i < used; i++) {
                if (right[i] != NONE) {
                    left[right[i]] = i;
                }
            }
        }
        return left[s];
    }

    void setLeft(int s, int item) {
        if (left != null) {
            left[s] = item;
        }
    }

    /** The name of a format's key. */
    int formatKey(int s) {
        return spare.get(s);
    }

    /** The position in the client's list of the struct that holds {@code at}, which must be below its state. */
    int position(int c, int at) {
        return clients.structs[c].position(at, clock);
    }

    int find(int c, int at) {
        StructList list = clients.structs[c];
        return list.row(list.position(at, clock));
    }

    /** The struct that ends with {@code at}, cutting one that goes on behind it. A GC is never cut. */
    int cleanEnd(int c, int at, ClockRanges dirty) {
        StructList list = clients.structs[c];
        int position = list.position(at, clock);
        int s = list.row(position);
        if (end(s) - 1 != at && !isGc(s)) {
            split(c, position, at - clock[s] + 1, dirty);
        }
        return s;
    }

    /** The struct that starts with {@code at}, cutting one that began before. A GC is never cut. */
    int cleanStart(int c, int at, ClockRanges dirty) {
        StructList list = clients.structs[c];
        int position = list.position(at, clock);
        int s = list.row(position);
        if (clock[s] != at && !isGc(s)) {
            return list.row(split(c, position, at - clock[s], dirty));
        }
        return s;
    }

    /**
     * Cuts an item and returns the position of its right part, which is noted as {@code dirty}: it may be joined again.
     */
    int split(int c, int position, int at, ClockRanges dirty) {
        StructList list = clients.structs[c];
        int s = list.row(position);
        int r = allocate(kind(s));
        if (isDeleted(s)) {
            markDeleted(r);
        }
        client.set(r, c);
        clock[r] = clock[s] + at;
        length.set(r, length.get(s) - at);
        originClient.set(r, c);
        originClock[r] = clock[s] + at - 1;
        rightClient.set(r, rightClient.get(s));
        rightClock[r] = rightClock[s];
        parent.set(r, parent.get(s));
        parentSub.set(r, parentSub.get(s));
        right[r] = right[s];
        splitContent(s, r, at);
        length.set(s, at);
        right[s] = r;
        setLeft(r, s);
        linkedAnew(r);
        if (!clients.isNew(c, clock[r])) {
            dirty.add(c, clock[r], 1);
        }
        if (order != null) {
            order.split(s, r);
        }
        return list.insertAfter(position, r, clock);
    }

    private void splitContent(int s, int r, int at) {
        int kind = kind(s);
        if (kind == Kind.STRING) {
            int cut = content[s] + at;
            Units units = contents.units;
            if (units.isWide() && Character.isHighSurrogate(units.at(cut - 1))) {
                // Half a pair can't be encoded, so Yjs gives up both halves; so must everyone.
                units.set(cut - 1, Utf8.REPLACEMENT);
                units.set(cut, Utf8.REPLACEMENT);
            }
            content[r] = cut;
            spare.set(r, spare.get(s));
            spare.set(s, 0);
        } else if (kind == Kind.ANY || kind == Kind.JSON) {
            int cut = content[s];
            for (int i = 0; i < at; i++) {
                cut = AnyValue.end(contents.blob, cut);
            }
            int bytes = cut - content[s];
            content[r] = cut;
            contentBytes.set(r, contentBytes.get(s) - bytes);
            contentBytes.set(s, bytes);
            spare.set(r, spare.get(s));
            spare.set(s, 0);
        }
    }

    /** Joins {@code r} to its predecessor in the client's list when both say one run. */
    boolean tryJoin(int s, int r) {
        if (isGc(s) || isGc(r)) {
            if (!isGc(s) || !isGc(r)) {
                return false;
            }
            length.add(s, length.get(r));
            release(r);
            return true;
        }
        if (flags[s] != flags[r]
                || right[s] != r
                || originClock[r] != clock[r] - 1
                || rightClock[s] != rightClock[r]
                || originClient.get(r) != client.get(s)
                || rightClient.get(s) != rightClient.get(r)
                || !Kind.mergeable(kind(s))) {
            return false;
        }
        if (order != null) {
            order.joined(s, r);
        }
        if (kind(s) == Kind.STRING) {
            contents.joinUnits(this, s, r);
        } else if (kind(s) != Kind.DELETED) {
            contents.joinBytes(this, s, r);
        }
        right[s] = right[r];
        linkedAnew(s);
        length.add(s, length.get(r));
        release(r);
        return true;
    }

    /** Tells what is behind an item, or its key when it is the last of a chain. */
    private void linkedAnew(int s) {
        if (right[s] != NONE) {
            setLeft(right[s], s);
        } else if (parentSub.get(s) != NONE) {
            types.setLast(parent.get(s), parentSub.get(s), s);
        }
    }

    /** Forgets the content of a deleted item but keeps its place. */
    void dropContent(int s) {
        int kind = kind(s);
        if (kind == Kind.STRING) {
            contents.dropUnits(content[s], length.get(s) + spare.get(s));
        } else if (Kind.inBlob(kind)) {
            contents.dropBytes(content[s], contentBytes.get(s) + (kind == Kind.FORMAT ? 0 : spare.get(s)));
        }
        content[s] = 0;
        contentBytes.set(s, 0);
        spare.set(s, 0);
        flags[s] = (byte) (Kind.DELETED | DELETED);
    }

    /** Forgets the place too: the parent is gone. */
    void becomeGc(int s) {
        dropContent(s);
        collected = true;
        flags[s] = (byte) (Kind.GC | DELETED);
        setLeft(s, NONE);
        right[s] = NONE;
        originClient.set(s, 0);
        originClock[s] = NONE;
        rightClient.set(s, 0);
        rightClock[s] = NONE;
        parent.set(s, NONE);
        parentSub.set(s, NONE);
    }

    long bytes() {
        return ROW_BYTES * clock.length
                + 4L * ((left == null ? 0 : left.length) + seen.length)
                + client.bytes()
                + length.bytes()
                + originClient.bytes()
                + rightClient.bytes()
                + parent.bytes()
                + parentSub.bytes()
                + contentBytes.bytes()
                + spare.bytes()
                + clients.bytes()
                + contents.bytes()
                + types.bytes()
                + names.bytes()
                + deletes.bytes()
                + (order == null ? 0 : order.bytes());
    }
}
