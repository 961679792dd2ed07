package dev.walmerge.crdt;

/** UTF-8 as the Encoding Standard's fatal decoder and its encoder have it (RFC 3629; a lone half is written U+FFFD). */
final class Utf8 {
    static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /**
     * Decodes {@code [from, to)} into {@code target}, which must have room for {@code to - from} units more.
     *
     * @return the units written, or the complement of the bad byte's distance from {@code from}
     */
    static int decode(byte[] source, int from, int to, char[] target, int at) {
        int in = from;
        int out = at;
        while (in < to) {
            int b = source[in];
            if (b >= 0) {
                target[out++] = (char) b;
                in++;
                continue;
            }
            int size = sequenceBytes(source, in, to);
            if (size == 0) {
                return ~(in - from);
            }
            if (size == 2) {
                target[out++] = (char) ((b & 0x1f) << 6 | (source[in + 1] & 0x3f));
            } else if (size == 3) {
                target[out++] = (char) ((b & 0x0f) << 12 | (source[in + 1] & 0x3f) << 6 | (source[in + 2] & 0x3f));
            } else {
                int point = (b & 0x07) << 18
                        | (source[in + 1] & 0x3f) << 12
                        | (source[in + 2] & 0x3f) << 6
                        | (source[in + 3] & 0x3f);
                target[out++] = Character.highSurrogate(point);
                target[out++] = Character.lowSurrogate(point);
            }
            in += size;
        }
        return out - at;
    }

    /** Whether {@code [from, to)} is well-formed: -1, or the distance of the bad byte from {@code from}. */
    static int firstFault(byte[] source, int from, int to) {
        int in = from;
        while (in < to) {
            if (source[in] >= 0) {
                in++;
                continue;
            }
            int size = sequenceBytes(source, in, to);
            if (size == 0) {
                return in - from;
            }
            in += size;
        }
        return -1;
    }

    /** How many bytes from {@code from} on are ASCII and not NUL. */
    static int plainBytes(byte[] source, int from, int to) {
        int at = from;
        for (int last = to - 8; at <= last; at += 8) {
            int all = source[at] - 1
                    | source[at + 1] - 1
                    | source[at + 2] - 1
                    | source[at + 3] - 1
                    | source[at + 4] - 1
                    | source[at + 5] - 1
                    | source[at + 6] - 1
                    | source[at + 7] - 1;
            if (all < 0) {
                break;
            }
        }
        while (at < to && source[at] > 0) {
            at++;
        }
        return at - from;
    }

    /** The bytes of the character at {@code at} when it is one of Latin-1 (1 or 2), else 0. */
    static int latinBytes(byte[] source, int at, int to) {
        int b = source[at];
        if (b >= 0) {
            return 1;
        }
        return (b & 0xfe) == 0xc2 && continues(source, at + 1, to) ? 2 : 0;
    }

    private static int sequenceBytes(byte[] source, int at, int to) {
        int b = source[at] & 0xff;
        int second = at + 1 < to ? source[at + 1] & 0xff : 0;
        if (b >= 0xc2 && b <= 0xdf) {
            return (second & 0xc0) == 0x80 ? 2 : 0;
        }
        if (b >= 0xe0 && b <= 0xef) {
            int low = b == 0xe0 ? 0xa0 : 0x80;
            int high = b == 0xed ? 0x9f : 0xbf;
            return second >= low && second <= high && continues(source, at + 2, to) ? 3 : 0;
        }
        if (b >= 0xf0 && b <= 0xf4) {
            int low = b == 0xf0 ? 0x90 : 0x80;
            int high = b == 0xf4 ? 0x8f : 0xbf;
            boolean good = second >= low && second <= high;
            return good && continues(source, at + 2, to) && continues(source, at + 3, to) ? 4 : 0;
        }
        return 0;
    }

    private static boolean continues(byte[] source, int at, int to) {
        return at < to && (source[at] & 0xc0) == 0x80;
    }

    static int encodedBytes(char[] source, int from, int to) {
        int bytes = 0;
        for (int i = from; i < to; i++) {
            char c = source[i];
            if (c < 0x80) {
                bytes++;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (Character.isHighSurrogate(c) && i + 1 < to && Character.isLowSurrogate(source[i + 1])) {
                bytes += 4;
                i++;
            } else {
                bytes += 3;
            }
        }
        return bytes;
    }

    /** Writes into {@code target}, which has room for {@link #encodedBytes}; returns the end position. */
    static int encode(char[] source, int from, int to, byte[] target, int at) {
        int out = at;
        for (int i = from; i < to; i++) {
            int c = source[i];
            if (c < 0x80) {
                target[out++] = (byte) c;
                continue;
            }
            if (c < 0x800) {
                target[out++] = (byte) (0xc0 | c >> 6);
                target[out++] = (byte) (0x80 | (c & 0x3f));
                continue;
            }
            if (Character.isSurrogate((char) c)) {
                if (Character.isHighSurrogate((char) c) && i + 1 < to && Character.isLowSurrogate(source[i + 1])) {
                    int point = Character.toCodePoint((char) c, source[++i]);
                    target[out++] = (byte) (0xf0 | point >> 18);
                    target[out++] = (byte) (0x80 | ((point >> 12) & 0x3f));
                    target[out++] = (byte) (0x80 | ((point >> 6) & 0x3f));
                    target[out++] = (byte) (0x80 | (point & 0x3f));
                    continue;
                }
                c = REPLACEMENT;
            }
            target[out++] = (byte) (0xe0 | c >> 12);
            target[out++] = (byte) (0x80 | ((c >> 6) & 0x3f));
            target[out++] = (byte) (0x80 | (c & 0x3f));
        }
        return out;
    }
}
