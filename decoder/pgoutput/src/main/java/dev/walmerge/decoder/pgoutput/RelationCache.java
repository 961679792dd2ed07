package dev.walmerge.decoder.pgoutput;

/** Relations by object id: open addressing over two arrays, so that looking a row's relation up allocates nothing. */
final class RelationCache {
    private static final int INITIAL_SLOTS = 16;
    private static final int GOLDEN_RATIO = 0x9e3779b9;

    private Relation[] slots = new Relation[INITIAL_SLOTS];
    private int size;

    /** The relation, or null. */
    Relation get(int oid) {
        return slots[slotOf(slots, oid)];
    }

    void put(Relation relation) {
        int slot = slotOf(slots, relation.oid());
        if (slots[slot] == null) {
            size++;
        }
        slots[slot] = relation;
        if (size * 2 > slots.length) {
            grow();
        }
    }

    private void grow() {
        Relation[] larger = new Relation[slots.length * 2];
        for (Relation relation : slots) {
            if (relation != null) {
                larger[slotOf(larger, relation.oid())] = relation;
            }
        }
        slots = larger;
    }

    /** The slot that holds the id, or the free one where it would go; there is one, as half of them always are. */
    private static int slotOf(Relation[] slots, int oid) {
        int mask = slots.length - 1;
        int hash = oid * GOLDEN_RATIO;
        int slot = (hash ^ hash >>> 16) & mask;
        while (slots[slot] != null && slots[slot].oid() != oid) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }
}
