package dev.walmerge.decoder.pgoutput;

/** What an update or a delete says of the row as it was. */
public enum OldRow {
    NONE,
    /** The columns of the replica identity; the others are null. */
    KEY,
    /** All columns. */
    FULL
}
