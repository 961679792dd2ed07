package dev.walmerge.crdt;

/**
 * The last encoded state, for a document that is exported again and again and doesn't change. It is kept from the second
 * time on: one that is encoded once a change, as most are, costs no memory.
 */
final class StateCache {
    private long revision = -1;
    private UpdateFormat format;
    private byte[] state;

    byte[] encode(StructStore store, UpdateFormat wanted) {
        boolean again = store.revision == revision && wanted == format;
        if (again && state != null) {
            return state.clone();
        }
        byte[] encoded = new StateEncoder(store, wanted).state();
        revision = store.revision;
        format = wanted;
        state = again ? encoded : null;
        return again ? encoded.clone() : encoded;
    }

    long bytes() {
        return state == null ? 0 : state.length;
    }
}
