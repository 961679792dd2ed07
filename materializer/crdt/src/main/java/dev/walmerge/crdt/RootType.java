package dev.walmerge.crdt;

/** What a root of a document is used as. An update doesn't say; WIRE.md has the table that infers it. */
public enum RootType {
    TEXT,
    MAP,
    ARRAY,
    XML_FRAGMENT,
    /** Nothing visible tells. */
    UNKNOWN
}
