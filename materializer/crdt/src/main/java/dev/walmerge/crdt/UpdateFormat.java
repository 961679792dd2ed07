package dev.walmerge.crdt;

/** How an update is encoded. The format of a row is declared, never guessed: some bytes are valid in both. */
public enum UpdateFormat {
    /** One stream of interleaved fields. */
    V1,
    /** Columns: one run-length encoded stream per field. */
    V2
}
