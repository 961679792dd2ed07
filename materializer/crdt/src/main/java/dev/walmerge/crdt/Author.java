package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Writes items of one client at places that are known: the neighbours of a new item are its origins, so there is no conflict to
 * resolve. Also finds places by index.
 */
final class Author {
    private static final int NONE = StructStore.NONE;

    /** A list of more structs than this gets an index at the first edit. */
    private static final int WALK_LAST = 16;

    private static final int KEYS = 32;

    private final Doc doc;
    private final long clientId;

    /** The parts of the document, which has others after it rested. */
    StructStore store;

    Merge merge;
    private Integrator integrator;

    /** Keys that were used lately; programs use the same few strings. */
    private final String[] keys = new String[KEYS];

    private final int[] keyNames = new int[KEYS];
    private final ByteWriter scratch = new ByteWriter();

    /** Where {@link #seek} ended: a row, and the unit within it. */
    int row;

    int offset;

    Author(Doc doc, long clientId) {
        this.doc = doc;
        this.clientId = clientId;
    }

    /** To be called before anything else is done. */
    StructStore open() {
        StructStore now = doc.store();
        if (now != store) {
            store = now;
            merge = doc.open().merge;
            integrator = doc.open().integrator;
            Arrays.fill(keys, null);
        }
        return now;
    }

    /** The name of a map's key, half of a surrogate pair being U+FFFD; NONE when there is none and none is to be made. */
    int key(String key, boolean make) {
        int slot = key.hashCode() & KEYS - 1;
        if (key.equals(keys[slot])) {
            return keyNames[slot];
        }
        String wellFormed = ValueText.wellFormed(key);
        int name = make ? store.names.intern(wellFormed) : store.names.find(wellFormed);
        if (name != Names.NONE) {
            keys[slot] = key;
            keyNames[slot] = name;
        }
        return name;
    }

    /** Emptied; for one value. */
    ByteWriter scratch() {
        scratch.shrink(1 << 12);
        return scratch;
    }

    /** Finds a visible unit of a list; false when there are not that many. */
    boolean seek(int type, int unit) {
        if (!indexed(type)) {
            int rest = unit;
            int steps = 0;
            for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
                int visible = visible(s);
                if (rest < visible) {
                    row = s;
                    offset = rest;
                    return true;
                }
                rest -= visible;
                if (++steps > WALK_LAST) {
                    return index(type) && seek(type, unit);
                }
            }
            return false;
        }
        if (unit >= store.order.length(type)) {
            return false;
        }
        store.order.seek(type, unit);
        row = store.order.row;
        offset = unit - store.order.start;
        return true;
    }

    /** Whether a list may hold formats. Looks at all of a short one. */
    boolean formatted(int type) {
        if (!indexed(type)) {
            int steps = 0;
            for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
                if (store.kind(s) == Kind.FORMAT) {
                    return true;
                }
                if (++steps > WALK_LAST) {
                    index(type);
                    return store.order.formatted(type);
                }
            }
            return false;
        }
        return store.order.formatted(type);
    }

    /** The last item of a list, deleted or not; NONE when it has none. */
    int last(int type) {
        if (!indexed(type)) {
            int last = NONE;
            int steps = 0;
            for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
                last = s;
                if (++steps > WALK_LAST) {
                    index(type);
                    return store.order.last(type);
                }
            }
            return last;
        }
        return store.order.last(type);
    }

    private boolean indexed(int type) {
        return store.order != null && store.order.covers(type);
    }

    private boolean index(int type) {
        if (store.order == null) {
            store.order = new ListIndex(store);
        }
        store.order.build(type);
        return true;
    }

    int visible(int s) {
        return store.isDeleted(s) || !Kind.countable(store.kind(s)) ? 0 : store.length.get(s);
    }

    /** Cuts an item before a unit of it and returns the part that begins there. */
    int cut(int s, int at) {
        return at == 0 ? s : store.cleanStart(store.client.get(s), store.clock[s] + at, merge.dirty);
    }

    /** The item that ends with visible unit {@code index - 1}, cut there; NONE for the front. */
    int before(int type, int index) {
        if (index == 0) {
            return NONE;
        }
        if (index < 0 || !seek(type, index - 1)) {
            throw new IndexOutOfBoundsException("index " + index);
        }
        int s = row;
        if (offset + 1 < store.length.get(s)) {
            cut(s, offset + 1);
        }
        return s;
    }

    /** What follows an item, or the first one of the list. */
    int behind(int type, int left) {
        return left == NONE ? store.types.start[type] : store.right[left];
    }

    /** @throws IndexOutOfBoundsException unless there are {@code count} visible units from {@code index} on */
    void check(int type, int index, int count) {
        if (index < 0 || count < 0 || index > Integer.MAX_VALUE - count || !seek(type, index + count - 1)) {
            throw new IndexOutOfBoundsException("index " + index + ", count " + count);
        }
    }

    /** Deletes visible units, which must be there, as Yjs does in arrays: what isn't counted between them too. */
    void delete(int type, int index, int count) {
        check(type, index, count);
        if (count > 1) {
            seek(type, index);
        }
        if (count < store.length.get(row) && erase(row, offset, count)) {
            return;
        }
        int s = cut(row, offset);
        int rest = count;
        while (rest > 0) {
            if (!store.isDeleted(s)) {
                if (rest < store.length.get(s)) {
                    cut(s, rest);
                }
                merge.delete(s);
                rest -= store.length.get(s);
            }
            s = store.right[s];
        }
    }

    /**
     * Deletes units of a string that lie beside others of it which were deleted and freed before: only the border moves. This is what
     * cutting, freeing and joining would come to, and what happens when somebody erases a text.
     */
    private boolean erase(int s, int at, int count) {
        if (!merge.frees() || !store.isText(s)) {
            return false;
        }
        int c = store.client.get(s);
        StructList list = store.clients.structs[c];
        int r = store.right[s];
        int from = store.clock[s] + at;
        if (at > 0 && at + count == store.length.get(s)) {
            if (r == NONE || !continues(s, r, from)) {
                return false;
            }
            list.moveStart(store.clock[r], from, store.clock);
            store.clock[r] = from;
            store.originClock[r] = from - 1;
            store.spare.add(s, count);
            store.length.add(r, count);
        } else {
            int l = store.left(s);
            if (at > 0 || l == NONE || !continues(l, s, from + count)) {
                return false;
            }
            list.moveStart(from, from + count, store.clock);
            store.contents.cutFront(store, s, count);
            store.clock[s] += count;
            store.originClock[s] = store.clock[s] - 1;
            store.length.add(l, count);
        }
        store.length.add(s, -count);
        if (store.order != null) {
            store.order.changed(s);
        }
        merge.erased(c, from, count);
        return true;
    }

    /** Whether two neighbours are one run but for one of them being freed, and nothing speaks against a border at {@code clock}. */
    private boolean continues(int l, int r, int clock) {
        int text = store.isText(l) ? l : r;
        int freed = text == l ? r : l;
        if (store.kind(freed) != Kind.DELETED
                || store.client.get(l) != store.client.get(r)
                || store.end(l) != store.clock[r]
                || store.originClient.get(r) != store.client.get(l)
                || store.originClock[r] != store.clock[r] - 1
                || store.rightClient.get(l) != store.rightClient.get(r)
                || store.rightClock[l] != store.rightClock[r]) {
            return false;
        }
        Units units = store.contents.units;
        return !units.isWide()
                || !Character.isHighSurrogate(units.at(store.content[text] + clock - store.clock[text] - 1));
    }

    private int item(int kind, int length, int type, int sub, int left, int right) {
        int c = store.clients.intern(clientId);
        int clock = store.clients.state[c];
        doc.open().checkRoom(clock, length);
        int s = store.allocate(kind);
        store.client.set(s, c);
        store.clock[s] = clock;
        store.length.set(s, length);
        store.parent.set(s, type);
        store.parentSub.set(s, sub);
        if (left != NONE) {
            store.originClient.set(s, store.client.get(left));
            store.originClock[s] = store.end(left) - 1;
        }
        if (right != NONE) {
            store.rightClient.set(s, store.client.get(right));
            store.rightClock[s] = store.clock[right];
        }
        return s;
    }

    /** Puts a string between neighbours; returns the item that ends with it, which may be {@code left} grown. */
    int string(int type, int left, int right, String text) {
        if (left != NONE && goesOn(left, right)) {
            grow(left, text);
            return left;
        }
        int s = item(Kind.STRING, text.length(), type, NONE, left, right);
        store.content[s] = store.contents.addUnits(text);
        integrator.add(s, left, doc.hasPending());
        return s;
    }

    /** Whether a string behind {@code left} would be joined with it at once. */
    private boolean goesOn(int left, int right) {
        int c = store.client.get(left);
        if (store.kind(left) != Kind.STRING
                || store.isDeleted(left)
                || store.end(left) != store.clients.state[c]
                || store.clients.id[c] != clientId) {
            return false;
        }
        return right == NONE
                ? !store.hasRightOrigin(left)
                : store.rightClock[left] == store.clock[right]
                        && store.rightClient.get(left) == store.client.get(right);
    }

    private void grow(int s, String text) {
        int c = store.client.get(s);
        doc.open().checkRoom(store.clients.state[c], text.length());
        if (doc.hasPending()) {
            merge.touch(c);
        } else {
            merge.grew(c);
        }
        store.contents.append(store, s, text);
        store.clients.state[c] += text.length();
        if (store.order != null) {
            store.order.changed(s);
        }
    }

    /** Puts encoded values between neighbours, or as the value of a key. */
    int values(int type, int sub, int left, int right, ByteWriter bytes, int count) {
        return bytes(item(Kind.ANY, count, type, sub, left, right), left, bytes);
    }

    int embed(int type, int left, int right, ByteWriter bytes) {
        return bytes(item(Kind.EMBED, 1, type, NONE, left, right), left, bytes);
    }

    int binary(int type, int sub, int left, int right, byte[] value) {
        int s = item(Kind.BINARY, 1, type, sub, left, right);
        return content(s, left, value, value.length);
    }

    int format(int type, int left, int right, String key, byte[] value) {
        int s = item(Kind.FORMAT, 1, type, NONE, left, right);
        store.content[s] = store.contents.addBytes(value, 0, value.length);
        store.contentBytes.set(s, value.length);
        store.spare.set(s, store.names.intern(key));
        integrator.add(s, left, doc.hasPending());
        return s;
    }

    int nested(int type, int sub, int left, int right, int ref, String name) {
        int s = item(Kind.TYPE, 1, type, sub, left, right);
        store.content[s] = store.types.add(ref, s, name == null ? Names.NONE : store.names.intern(name));
        integrator.add(s, left, doc.hasPending());
        return s;
    }

    private int bytes(int s, int left, ByteWriter bytes) {
        return content(s, left, bytes.array(), bytes.size());
    }

    private int content(int s, int left, byte[] bytes, int count) {
        store.content[s] = store.contents.addBytes(bytes, 0, count);
        store.contentBytes.set(s, count);
        integrator.add(s, left, doc.hasPending());
        return s;
    }
}
