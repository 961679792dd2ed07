package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Where the visible units of lists are: a counted B+-tree over the structs of each type that is edited by index, drawn in
 * INTERNALS.md. There is none until an edit has to look far, and a document without one pays a null check.
 *
 * <p>A cursor stays where the last search ended, and what is added to the leaf of the last change is told to the nodes above it
 * only when somebody looks: typing touches one slot.
 */
final class ListIndex {
    private static final int NONE = StructStore.NONE;

    /** Slots of a node, as a shift. */
    private static final int SHIFT = 5;

    private static final int WIDTH = 1 << SHIFT;

    /** How full nodes are built: the next inserts shouldn't split all of them. */
    private static final int FILL = 24;

    /** How many structs beside the cursor are looked at before the tree. */
    private static final int NEAR = 6;

    private final StructStore store;

    /** By row; NONE when it is in no indexed list. */
    private int[] leafOf = {};

    /** By type. */
    private int[] rootOf = {};

    private int[] total = {};
    private int[] formats = {};

    /** By slot: a row in a leaf, else a node; and the visible units in it. */
    private int[] slots = {};

    private int[] units = {};

    /** By node: slots in use; the node above, or for a root the complement of its type below {@link #NONE}. */
    private int[] count = {};

    private int[] above = {};
    private boolean[] leaf = {};
    private int used;
    private int free = NONE;

    private int changedLeaf = NONE;
    private int untold;

    /** The cursor: a row, and the visible units before it. */
    int row = NONE;

    int start;
    private int cursorType = NONE;

    /** Where the row of the cursor was last; checked before it is believed. */
    private int cursorSlot;

    ListIndex(StructStore store) {
        this.store = store;
    }

    boolean covers(int type) {
        return type < rootOf.length && rootOf[type] != NONE;
    }

    /** The visible units of a covered type. */
    int length(int type) {
        return total[type];
    }

    /** Whether a covered type may hold formats. */
    boolean formatted(int type) {
        return formats[type] > 0;
    }

    void build(int type) {
        if (type >= rootOf.length) {
            int capacity = Math.max(type + 1, rootOf.length * 2);
            int old = rootOf.length;
            rootOf = Arrays.copyOf(rootOf, capacity);
            Arrays.fill(rootOf, old, capacity, NONE);
            total = Arrays.copyOf(total, capacity);
            formats = Arrays.copyOf(formats, capacity);
        }
        roomForRow(store.used - 1);
        total[type] = 0;
        formats[type] = 0;
        int node = newNode(true);
        rootOf[type] = node;
        above[node] = ~(type + 1);
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            int visible = visible(s);
            total[type] += visible;
            formats[type] += store.kind(s) == Kind.FORMAT ? 1 : 0;
            if (count[node] == FILL) {
                node = appendNode(node);
            }
            place(node, count[node]++, s, visible);
        }
        int top = node;
        while (above[top] >= 0) {
            tellAbove(top);
            top = above[top];
        }
    }

    /** A new empty node behind a full one that is the last of its level while the tree is built. */
    private int appendNode(int full) {
        int parent = above[full];
        if (parent < 0) {
            parent = newNode(false);
            above[parent] = above[full];
            rootOf[~above[full] - 1] = parent;
            place(parent, count[parent]++, full, 0);
        }
        tellAbove(full);
        if (count[parent] == FILL) {
            parent = appendNode(parent);
        }
        int node = newNode(leaf[full]);
        place(parent, count[parent]++, node, 0);
        return node;
    }

    private void tellAbove(int node) {
        int parent = above[node];
        units[slotOf(parent, node)] = sum(node, 0);
    }

    private int sum(int node, int from) {
        int sum = 0;
        int base = node << SHIFT;
        for (int i = from; i < count[node]; i++) {
            sum += units[base + i];
        }
        return sum;
    }

    private int newNode(boolean isLeaf) {
        int node = free;
        if (node != NONE) {
            free = above[node];
        } else {
            if (used == count.length) {
                int capacity = Math.max(4, used + (used >> 1));
                count = Arrays.copyOf(count, capacity);
                above = Arrays.copyOf(above, capacity);
                leaf = Arrays.copyOf(leaf, capacity);
                slots = Arrays.copyOf(slots, capacity << SHIFT);
                units = Arrays.copyOf(units, capacity << SHIFT);
            }
            node = used++;
        }
        count[node] = 0;
        leaf[node] = isLeaf;
        return node;
    }

    private void freeNode(int node) {
        above[node] = free;
        free = node;
    }

    private void roomForRow(int s) {
        if (s >= leafOf.length) {
            int old = leafOf.length;
            leafOf = Arrays.copyOf(leafOf, Math.max(s + 1, old + (old >> 1)));
            Arrays.fill(leafOf, old, leafOf.length, NONE);
        }
    }

    private void place(int node, int at, int item, int visible) {
        int slot = (node << SHIFT) + at;
        slots[slot] = item;
        units[slot] = visible;
        if (leaf[node]) {
            leafOf[item] = node;
        } else {
            above[item] = node;
        }
    }

    /** Most changes are at the end of a list. */
    private int slotOf(int node, int item) {
        int slot = node << SHIFT;
        int last = slot + count[node] - 1;
        if (slots[last] == item) {
            return last;
        }
        while (slots[slot] != item) {
            slot++;
        }
        return slot;
    }

    private int slotOfRow(int s) {
        int node = leafOf[s];
        int slot = cursorSlot;
        if (slots[slot] == s && slot >>> SHIFT == node && (slot & WIDTH - 1) < count[node]) {
            return slot;
        }
        slot = slotOf(node, s);
        if (s == row) {
            cursorSlot = slot;
        }
        return slot;
    }

    private int leaf(int s) {
        return s < leafOf.length ? leafOf[s] : NONE;
    }

    int visible(int s) {
        return store.isDeleted(s) || !Kind.countable(store.kind(s)) ? 0 : store.length.get(s);
    }

    /** Puts the cursor on the row that holds a visible unit of a covered type; it must be one. */
    void seek(int type, int unit) {
        if (cursorType == type && near(unit)) {
            return;
        }
        tell();
        int node = rootOf[type];
        int rest = unit;
        while (true) {
            int slot = node << SHIFT;
            while (rest >= units[slot]) {
                rest -= units[slot++];
            }
            if (leaf[node]) {
                row = slots[slot];
                cursorSlot = slot;
                start = unit - rest;
                cursorType = type;
                return;
            }
            node = slots[slot];
        }
    }

    private boolean near(int unit) {
        int s = row;
        int before = start;
        for (int i = 0; i < NEAR && s != NONE; i++) {
            if (unit < before) {
                s = store.left(s);
                before -= s == NONE ? 0 : visible(s);
                continue;
            }
            int visible = visible(s);
            if (unit < before + visible) {
                row = s;
                start = before;
                return true;
            }
            before += visible;
            s = store.right[s];
        }
        return false;
    }

    /** The visible units before a row of a covered type. */
    int unitsBefore(int s) {
        tell();
        int before = 0;
        int item = s;
        for (int node = leafOf[s]; node >= 0; node = above[node]) {
            int end = slotOf(node, item);
            for (int slot = node << SHIFT; slot < end; slot++) {
                before += units[slot];
            }
            item = node;
        }
        return before;
    }

    /** The last row of a covered type, or NONE. */
    int last(int type) {
        int node = rootOf[type];
        while (!leaf[node]) {
            node = slots[(node << SHIFT) + count[node] - 1];
        }
        return count[node] == 0 ? NONE : slots[(node << SHIFT) + count[node] - 1];
    }

    /** An item was put into a list, behind another or at the front. */
    void linked(int s, int behind) {
        int type = store.parent.get(s);
        if (store.parentSub.get(s) != NONE || !covers(type)) {
            return;
        }
        int visible = visible(s);
        formats[type] += store.kind(s) == Kind.FORMAT ? 1 : 0;
        if (type == cursorType) {
            if (behind == row) {
                start += visible(row);
                row = s;
            } else if (visible > 0) {
                cursorType = NONE;
            }
        }
        insertBehind(type, s, behind);
        add(s, visible);
    }

    private void insertBehind(int type, int s, int behind) {
        roomForRow(s);
        if (behind != NONE) {
            int node = leafOf[behind];
            insert(node, slotOfRow(behind) - (node << SHIFT) + 1, s);
            return;
        }
        int node = rootOf[type];
        while (!leaf[node]) {
            node = slots[node << SHIFT];
        }
        insert(node, 0, s);
    }

    /** An item was cut, {@code r} is what follows. */
    void split(int s, int r) {
        if (leaf(s) == NONE) {
            return;
        }
        insertBehind(store.parent.get(s), r, s);
        int visible = visible(r);
        add(s, -visible);
        add(r, visible);
    }

    /** {@code r} is about to become part of the item before it. */
    void joined(int s, int r) {
        if (leaf(r) == NONE) {
            return;
        }
        int visible = visible(r);
        if (row == r && cursorType != NONE) {
            row = s;
            start -= visible(s);
        }
        add(r, -visible);
        add(s, visible);
        int node = leafOf[r];
        leafOf[r] = NONE;
        remove(node, slotOf(node, r));
    }

    /** The units of an item became more, or none since it is deleted. */
    void changed(int s) {
        int node = leaf(s);
        if (node == NONE) {
            return;
        }
        int delta = visible(s) - units[slotOfRow(s)];
        if (s != row && store.parent.get(s) == cursorType && store.left(s) != row) {
            cursorType = NONE;
        }
        add(s, delta);
    }

    private void add(int s, int delta) {
        if (delta == 0) {
            return;
        }
        int node = leafOf[s];
        units[slotOfRow(s)] += delta;
        total[store.parent.get(s)] += delta;
        if (node != changedLeaf) {
            tell();
            changedLeaf = node;
        }
        untold += delta;
    }

    /** Tells the nodes above of what changed in a leaf. */
    private void tell() {
        if (untold != 0) {
            addAbove(changedLeaf, untold);
            untold = 0;
        }
    }

    private void addAbove(int child, int delta) {
        int item = child;
        for (int node = above[item]; node >= 0; node = above[node]) {
            units[slotOf(node, item)] += delta;
            item = node;
        }
    }

    /** Puts an item into a node, without units as yet. */
    private void insert(int node, int at, int item) {
        int target = node;
        int position = at;
        if (count[node] == WIDTH) {
            tell();
            int next = cut(node, at);
            if (at > count[node] || count[node] == WIDTH) {
                target = next;
                position = at - count[node];
            }
        }
        int slot = (target << SHIFT) + position;
        int moved = count[target] - position;
        System.arraycopy(slots, slot, slots, slot + 1, moved);
        System.arraycopy(units, slot, units, slot + 1, moved);
        count[target]++;
        place(target, position, item, 0);
    }

    /** Moves half of a full node, or nothing when it grows at its end, to a new one behind it. */
    private int cut(int node, int at) {
        int keep = at == WIDTH ? WIDTH : WIDTH / 2;
        int next = newNode(leaf[node]);
        int moved = sum(node, keep);
        for (int i = keep; i < WIDTH; i++) {
            int slot = (node << SHIFT) + i;
            place(next, i - keep, slots[slot], units[slot]);
        }
        count[next] = WIDTH - keep;
        count[node] = keep;
        int parent = above[node];
        if (parent < 0) {
            int top = newNode(false);
            above[top] = parent;
            rootOf[~parent - 1] = top;
            count[top] = 1;
            place(top, 0, node, sum(node, 0) + moved);
            parent = top;
        }
        insert(parent, slotOf(parent, node) - (parent << SHIFT) + 1, next);
        addAbove(node, -moved);
        addAbove(next, moved);
        return next;
    }

    private void remove(int node, int slot) {
        int end = (node << SHIFT) + count[node];
        System.arraycopy(slots, slot + 1, slots, slot, end - slot - 1);
        System.arraycopy(units, slot + 1, units, slot, end - slot - 1);
        count[node]--;
        int parent = above[node];
        if (count[node] == 0 && parent >= 0) {
            if (node == changedLeaf) {
                tell();
                changedLeaf = NONE;
            }
            int at = slotOf(parent, node);
            freeNode(node);
            remove(parent, at);
        } else if (count[node] == 1 && parent < 0 && !leaf[node]) {
            tell();
            int child = slots[node << SHIFT];
            above[child] = parent;
            rootOf[~parent - 1] = child;
            freeNode(node);
        }
    }

    /** Forgets a type. */
    void drop(int type) {
        if (!covers(type)) {
            return;
        }
        tell();
        changedLeaf = NONE;
        dropNode(rootOf[type]);
        rootOf[type] = NONE;
        if (cursorType == type) {
            cursorType = NONE;
        }
    }

    private void dropNode(int node) {
        for (int i = 0; i < count[node]; i++) {
            int item = slots[(node << SHIFT) + i];
            if (leaf[node]) {
                leafOf[item] = NONE;
            } else {
                dropNode(item);
            }
        }
        freeNode(node);
    }

    long bytes() {
        return 4L * leafOf.length + 12L * rootOf.length + 4L * (slots.length + units.length) + 9L * count.length;
    }
}
