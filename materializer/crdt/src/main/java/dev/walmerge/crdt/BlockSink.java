package dev.walmerge.crdt;

/** Where a walk over a document writes what it reads: text, and where blocks begin and end. Blocks nest. */
interface BlockSink {
    /**
     * A block among those beside it.
     *
     * @param type what the block is, or NONE for a part of a plain value
     * @param kind its name in the document; may be empty
     */
    void enter(int type, String kind);

    /** A member of a map or object: found by its key, not by its place. */
    void enterMember(int type, String key);

    void leave();

    /** To append to the innermost block; asked for anew each time, and only when there is something to append. */
    StringBuilder out();

    /** Appends a string that isn't empty. */
    void string(int struct);
}
