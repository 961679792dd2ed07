package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Every struct of a document as one row of parallel arrays; INTERNALS.md draws the layout. A struct is named by its row,
 * {@link #NONE} is no struct. Rows of merged structs are reused.
 *
 * <p>Knows how to find, cut and join structs; where an item belongs is {@link Integrator}'s business.
 */
final class StructStore {
    static final int NONE = -1;

    /** The flag byte: five bits of {@link Kind}, then these. */
    private static final int DELETED = 0x20;

    private static final int FREE = 0x40;

    final ClientTable clients = new ClientTable();
    final ContentStore contents = new ContentStore();
    final TypeTable types = new TypeTable();
    final Names names = new Names();
    final DeleteSet deletes = new DeleteSet();

    /** Changes with everything that is encoded: what was encoded at the same number says the same. */
    long revision;

    /** Of lists that are edited by index; null until there is one. */
    ListIndex order;

    int[] client = {};
    int[] clock = {};
    int[] length = {};
    int[] left = {};
    int[] right = {};
    int[] originClient = {};
    int[] originClock = {};
    int[] rightClient = {};
    int[] rightClock = {};
    int[] parent = {};
    int[] parentSub = {};

    /** Where the content starts in its store, or the index of a type. */
    int[] content = {};

    int[] contentBytes = {};

    /** Room from {@link #content} on, of which the content may use part; the key of a format. */
    int[] room = {};

    /** When a conflict scan saw the struct last; only as long as {@link #reserveSeen} made it. */
    int[] seen = {};

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

    void markDeleted(int s) {
        flags[s] |= DELETED;
    }

    int end(int s) {
        return clock[s] + length[s];
    }

    int allocate(int kind) {
        int s = free;
        if (s != NONE) {
            free = right[s];
        } else {
            if (used == clock.length) {
                grow(Math.max(4, used + (used >> 1)));
            }
            s = used++;
        }
        live++;
        collected |= kind == Kind.GC;
        flags[s] = (byte) (kind == Kind.GC ? DELETED : kind);
        left[s] = NONE;
        right[s] = NONE;
        originClient[s] = NONE;
        originClock[s] = 0;
        rightClient[s] = NONE;
        rightClock[s] = 0;
        parent[s] = NONE;
        parentSub[s] = NONE;
        content[s] = 0;
        contentBytes[s] = 0;
        room[s] = 0;
        return s;
    }

    /** Makes room for rows that are about to come; little more when they are the first ones, so that an edit behind a load copies nothing. */
    void reserve(int more) {
        if (more > clock.length - used) {
            grow(used == 0 ? more + more / 64 : Math.max(used + more, used + (used >> 1)));
        }
    }

    /** The kind of a row that was never used before, an item's. */
    void setKind(int s, int kind) {
        flags[s] = (byte) (kind == Kind.DELETED ? Kind.DELETED | DELETED : kind);
    }

    /** The next {@code count} rows were filled with structs of a client, in order; the last one ends at {@code state}. */
    void addRows(int c, int count, int state) {
        StructList list = clients.structs[c];
        for (int i = 0; i < count; i++) {
            list.append(used++, clock);
        }
        live += count;
        clients.state[c] = state;
    }

    /** Gives room back when far fewer rows came than it was made for. */
    void trim() {
        int wanted = used + used / 32;
        if (wanted < clock.length / 4 * 3) {
            grow(wanted);
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
        client = Arrays.copyOf(client, capacity);
        clock = Arrays.copyOf(clock, capacity);
        length = Arrays.copyOf(length, capacity);
        left = Arrays.copyOf(left, capacity);
        right = Arrays.copyOf(right, capacity);
        originClient = Arrays.copyOf(originClient, capacity);
        originClock = Arrays.copyOf(originClock, capacity);
        rightClient = Arrays.copyOf(rightClient, capacity);
        rightClock = Arrays.copyOf(rightClock, capacity);
        parent = Arrays.copyOf(parent, capacity);
        parentSub = Arrays.copyOf(parentSub, capacity);
        content = Arrays.copyOf(content, capacity);
        contentBytes = Arrays.copyOf(contentBytes, capacity);
        room = Arrays.copyOf(room, capacity);
        flags = Arrays.copyOf(flags, capacity);
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
        client[r] = c;
        clock[r] = clock[s] + at;
        length[r] = length[s] - at;
        originClient[r] = c;
        originClock[r] = clock[s] + at - 1;
        rightClient[r] = rightClient[s];
        rightClock[r] = rightClock[s];
        parent[r] = parent[s];
        parentSub[r] = parentSub[s];
        left[r] = s;
        right[r] = right[s];
        splitContent(s, r, at);
        length[s] = at;
        right[s] = r;
        if (right[r] != NONE) {
            left[right[r]] = r;
        } else if (parentSub[r] != NONE) {
            types.setLast(parent[r], parentSub[r], r);
        }
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
            room[r] = room[s] - at;
            room[s] = at;
        } else if (kind == Kind.ANY || kind == Kind.JSON) {
            int cut = content[s];
            for (int i = 0; i < at; i++) {
                cut = AnyValue.end(contents.blob, cut);
            }
            int bytes = cut - content[s];
            content[r] = cut;
            contentBytes[r] = contentBytes[s] - bytes;
            room[r] = room[s] - bytes;
            contentBytes[s] = bytes;
            room[s] = bytes;
        }
    }

    /** Joins {@code r} to its predecessor in the client's list when both say one run. */
    boolean tryJoin(int s, int r) {
        if (isGc(s) || isGc(r)) {
            if (!isGc(s) || !isGc(r)) {
                return false;
            }
            length[s] += length[r];
            release(r);
            return true;
        }
        if (flags[s] != flags[r]
                || right[s] != r
                || originClient[r] != client[s]
                || originClock[r] != end(s) - 1
                || rightClient[s] != rightClient[r]
                || rightClock[s] != rightClock[r]
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
        if (right[s] != NONE) {
            left[right[s]] = s;
        } else if (parentSub[s] != NONE) {
            types.setLast(parent[s], parentSub[s], s);
        }
        length[s] += length[r];
        release(r);
        return true;
    }

    /** Forgets the content of a deleted item but keeps its place. */
    void dropContent(int s) {
        int kind = kind(s);
        if (kind == Kind.STRING) {
            contents.dropUnits(content[s], room[s]);
        } else if (Kind.inBlob(kind)) {
            contents.dropBytes(content[s], kind == Kind.FORMAT ? contentBytes[s] : room[s]);
        }
        content[s] = 0;
        contentBytes[s] = 0;
        room[s] = 0;
        flags[s] = (byte) (Kind.DELETED | DELETED);
    }

    /** Forgets the place too: the parent is gone. */
    void becomeGc(int s) {
        dropContent(s);
        collected = true;
        flags[s] = (byte) (Kind.GC | DELETED);
        left[s] = NONE;
        right[s] = NONE;
        originClient[s] = NONE;
        rightClient[s] = NONE;
        parent[s] = NONE;
        parentSub[s] = NONE;
    }

    long bytes() {
        return 57L * clock.length
                + 4L * seen.length
                + clients.bytes()
                + contents.bytes()
                + types.bytes()
                + names.bytes()
                + deletes.bytes()
                + (order == null ? 0 : order.bytes());
    }
}
