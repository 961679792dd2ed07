package dev.walmerge.crdt;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growable row of UTF-16 units: one byte each while all of them are Latin-1, two from the first other one on.
 *
 * <p>Most documents never leave Latin-1, and there ASCII text is copied to and from UTF-8 as it is.
 */
final class Units {
    private static final byte[] NO_BYTES = {};
    private static final char[] NO_CHARS = {};

    /** Strings of one unit; each is made when it is asked for first. Threads may make their own: they are equal. */
    private static final String[] SINGLE = new String[128];

    /** So few bytes are looked at and copied in one loop. */
    private static final int SHORT = 16;

    private byte[] narrow = NO_BYTES;
    private char[] wide = NO_CHARS;
    private boolean isWide;
    private boolean isPlain = true;
    int count;

    /** Whether some unit was none of Latin-1; without one there are no surrogates either. */
    boolean isWide() {
        return isWide;
    }

    /** Whether all units are ASCII and none is NUL: then they are UTF-8 as they are, and every text of them is storable. */
    boolean isPlain() {
        return isPlain;
    }

    char at(int i) {
        return isWide ? wide[i] : (char) (narrow[i] & 0xff);
    }

    void set(int i, char unit) {
        if (!isWide && unit > 0xff) {
            widen(0);
        }
        isPlain &= isPlain(unit);
        if (isWide) {
            wide[i] = unit;
        } else {
            narrow[i] = (byte) unit;
        }
    }

    /** Overwrites units from {@code at} on. */
    void put(int at, String text) {
        for (int i = 0; i < text.length(); i++) {
            set(at + i, text.charAt(i));
        }
    }

    private static boolean isPlain(char unit) {
        return unit > 0 && unit < 0x80;
    }

    /** Whether no half of a pair is in {@code [from, to)} without the other one. */
    boolean isWellFormed(int from, int to) {
        for (int i = from; isWide && i < to; i++) {
            if (Character.isSurrogate(wide[i])) {
                if (Character.isLowSurrogate(wide[i]) || i + 1 == to || !Character.isLowSurrogate(wide[i + 1])) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** Makes room for {@code more} units behind the last one. */
    void reserve(int more) {
        int capacity = isWide ? wide.length : narrow.length;
        if (capacity - count < more) {
            resize(Math.max(Math.addExact(count, more), count + (count >> 1) + 8));
        }
    }

    private void resize(int capacity) {
        if (isWide) {
            wide = Arrays.copyOf(wide, capacity);
        } else {
            narrow = Arrays.copyOf(narrow, capacity);
        }
    }

    private void widen(int more) {
        int needed = Math.addExact(count, more);
        if (wide.length < needed) {
            wide = new char[Math.max(needed, narrow.length)];
        }
        for (int i = 0; i < count; i++) {
            wide[i] = (char) (narrow[i] & 0xff);
        }
        narrow = narrow.length > KEPT ? NO_BYTES : narrow;
        isWide = true;
        isPlain = false;
    }

    /** What an emptied buffer may keep. */
    private static final int KEPT = 4096;

    /** Empties it and keeps little memory. */
    void clear() {
        restart();
        narrow = narrow.length > KEPT ? NO_BYTES : narrow;
        wide = wide.length > KEPT ? NO_CHARS : wide;
    }

    /** Empties it and keeps its memory. */
    void restart() {
        count = 0;
        isWide = false;
        isPlain = true;
    }

    /** Gives back the memory behind the last unit, unless it is next to nothing. */
    void trim() {
        int most = count + count / 64;
        if (isWide) {
            wide = wide.length <= most ? wide : Arrays.copyOf(wide, count);
            narrow = NO_BYTES;
        } else {
            narrow = narrow.length <= most ? narrow : Arrays.copyOf(narrow, count);
            wide = NO_CHARS;
        }
    }

    /** Appends units of another row. */
    void add(Units from, int at, int more) {
        reserve(more);
        if (from.isWide && !isWide && !from.isLatin(at, more)) {
            widen(more);
        }
        isPlain &= from.isPlain;
        if (!from.isWide && !isWide) {
            System.arraycopy(from.narrow, at, narrow, count, more);
        } else if (from.isWide && isWide) {
            System.arraycopy(from.wide, at, wide, count, more);
        } else if (isWide) {
            for (int i = 0; i < more; i++) {
                wide[count + i] = (char) (from.narrow[at + i] & 0xff);
            }
        } else {
            for (int i = 0; i < more; i++) {
                narrow[count + i] = (byte) from.wide[at + i];
            }
        }
        count += more;
    }

    /** Overwrites units from {@code to} on, all of them there already, by those of another row. */
    void put(int to, Units from, int at, int more) {
        if (more == 1) {
            set(to, from.at(at));
            return;
        }
        if (from.isWide && !isWide && !from.isLatin(at, more)) {
            widen(0);
        }
        int end = count;
        count = to;
        add(from, at, more);
        count = end;
    }

    private boolean isLatin(int at, int more) {
        int all = 0;
        for (int i = at; i < at + more; i++) {
            all |= wide[i];
        }
        return all <= 0xff;
    }

    void add(byte ascii) {
        reserve(1);
        isPlain &= ascii > 0;
        if (isWide) {
            wide[count++] = (char) ascii;
        } else {
            narrow[count++] = ascii;
        }
    }

    /** Appends ASCII without NUL. */
    void addPlain(byte[] text) {
        int more = text.length;
        reserve(more);
        if (isWide) {
            for (int i = 0; i < more; i++) {
                wide[count + i] = (char) text[i];
            }
        } else {
            System.arraycopy(text, 0, narrow, count, more);
        }
        count += more;
    }

    void add(String text) {
        int more = text.length();
        reserve(more);
        for (int i = 0; i < more; i++) {
            char unit = text.charAt(i);
            if (!isWide && unit > 0xff) {
                widen(more - i);
            }
            isPlain &= isPlain(unit);
            if (isWide) {
                wide[count] = unit;
            } else {
                narrow[count] = (byte) unit;
            }
            count++;
        }
    }

    /**
     * Appends what {@code [from, to)} is as UTF-8.
     *
     * @return the units appended, or the complement of the bad byte's distance from {@code from}
     */
    int addUtf8(byte[] source, int from, int to) {
        reserve(to - from);
        int before = count;
        int in = from;
        if (!isWide) {
            int plain = addPlain(source, from, to);
            count += plain;
            in = from + plain;
            isPlain &= in == to;
            while (in < to) {
                int size = Utf8.latinBytes(source, in, to);
                if (size == 0) {
                    widen(to - in);
                    break;
                }
                narrow[count++] = (byte) (size == 1 ? source[in] : source[in] << 6 | (source[in + 1] & 0x3f));
                in += size;
            }
        }
        if (in < to) {
            int more = Utf8.decode(source, in, to, wide, count);
            if (more < 0) {
                return ~(in - from + ~more);
            }
            count += more;
        }
        return count - before;
    }

    /** Copies the plain bytes from {@code from} on, as many as there are, behind the last unit; short strings at one go. */
    private int addPlain(byte[] source, int from, int to) {
        int length = to - from;
        if (length <= SHORT) {
            byte[] target = narrow;
            int at = count;
            int all = 0;
            for (int i = 0; i < length; i++) {
                byte b = source[from + i];
                target[at + i] = b;
                all |= b - 1;
            }
            if (all >= 0) {
                return length;
            }
        }
        int plain = Utf8.plainBytes(source, from, to);
        System.arraycopy(source, from, narrow, count, plain);
        return plain;
    }

    /** Copies units within the row; the two places may overlap. */
    void move(int from, int to, int units) {
        if (isWide) {
            System.arraycopy(wide, from, wide, to, units);
        } else {
            System.arraycopy(narrow, from, narrow, to, units);
        }
    }

    /** The bytes {@code [from, to)} takes as UTF-8. */
    int utf8Bytes(int from, int to) {
        if (isWide) {
            return Utf8.encodedBytes(wide, from, to);
        }
        int bytes = to - from;
        for (int i = isPlain ? to : from; i < to; i++) {
            bytes += narrow[i] < 0 ? 1 : 0;
        }
        return bytes;
    }

    /** Writes {@code [from, to)} into {@code target}, which has room for {@code bytes}, its {@link #utf8Bytes}. */
    void toUtf8(int from, int to, byte[] target, int at, int bytes) {
        if (isWide) {
            Utf8.encode(wide, from, to, target, at);
        } else if (bytes == to - from) {
            System.arraycopy(narrow, from, target, at, bytes);
        } else {
            int out = at;
            for (int i = from; i < to; i++) {
                int unit = narrow[i];
                if (unit >= 0) {
                    target[out++] = (byte) unit;
                } else {
                    target[out++] = (byte) (0xc0 | (unit & 0xff) >> 6);
                    target[out++] = (byte) (0x80 | (unit & 0x3f));
                }
            }
        }
    }

    String string(int at, int length) {
        if (length == 0) {
            return "";
        }
        if (length == 1 && at(at) < SINGLE.length) {
            return single(at(at));
        }
        return isWide ? new String(wide, at, length) : new String(narrow, at, length, StandardCharsets.ISO_8859_1);
    }

    /** A string of one unit, which would take 48 times its byte. */
    private static String single(char unit) {
        String known = SINGLE[unit];
        if (known == null) {
            known = String.valueOf(unit);
            SINGLE[unit] = known;
        }
        return known;
    }

    /** Copies units out of a row that isn't wide. */
    void copyLatin(int at, int length, byte[] target, int to) {
        System.arraycopy(narrow, at, target, to, length);
    }

    void appendTo(StringBuilder out, int at, int length) {
        if (isWide) {
            out.append(wide, at, length);
        } else {
            out.append(string(at, length));
        }
    }

    long bytes() {
        return 2L * wide.length + narrow.length;
    }
}
