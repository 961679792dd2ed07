package dev.walmerge.decoder.pgoutput;

/** The values of one row: a view into the message, valid only during the callback that gave it. */
public interface Tuple {
    /** How a value was sent. */
    enum Kind {
        NULL,
        /** A value stored out of line that an update did not change: not sent. Only in the row after an update. */
        UNCHANGED,
        TEXT,
        BINARY
    }

    int count();

    Kind kind(int column);

    byte[] buffer();

    /** Where the value starts in {@link #buffer()}. */
    int offset(int column);

    /** Bytes; 0 unless the value was sent. */
    int length(int column);
}
