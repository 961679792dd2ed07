package dev.walmerge.engine;

import java.util.Locale;

/** Arithmetic on log sequence numbers: unsigned 64-bit integers held in a {@code long}. */
public final class Lsn {
    private Lsn() {}

    public static boolean isBefore(long lsn, long other) {
        return Long.compareUnsigned(lsn, other) < 0;
    }

    public static long min(long a, long b) {
        return isBefore(a, b) ? a : b;
    }

    public static long max(long a, long b) {
        return isBefore(a, b) ? b : a;
    }

    /** As Postgres prints it, such as {@code 0/16B3748}. */
    public static String format(long lsn) {
        return Long.toHexString(lsn >>> 32).toUpperCase(Locale.ROOT)
                + "/"
                + Long.toHexString(lsn & 0xFFFF_FFFFL).toUpperCase(Locale.ROOT);
    }
}
