package dev.walmerge.bench.peers;

/** What is compared, in the order of the table's columns; ours last. */
enum Engine {
    YJS("yjs", "yjs", true),
    YWASM("ywasm", "ywasm", true),
    LORO("loro", "loro-crdt", false),
    AUTOMERGE("automerge", "@automerge/automerge", false),
    JSON_JOY("json-joy", "json-joy", false),
    DIAMOND_TYPES("diamond-types", "diamond-types-node", false),
    WALMERGE("walmerge", null, true);

    private final String label;
    private final String npmPackage;
    private final boolean readsYjs;

    Engine(String label, String npmPackage, boolean readsYjs) {
        this.label = label;
        this.npmPackage = npmPackage;
        this.readsYjs = readsYjs;
    }

    /** As in the lines and the table. */
    String label() {
        return label;
    }

    /** Null for ours. */
    String npmPackage() {
        return npmPackage;
    }

    /** Whether it is measured on the bytes that yjs wrote. */
    boolean readsYjs() {
        return readsYjs;
    }

    /** Whose history it is measured on. */
    Engine historian() {
        return readsYjs ? YJS : this;
    }
}
