package dev.walmerge.engine.shard;

/** Says what a payload that is no update looks like, for the person who wrote the INSERT. */
final class PayloadGuess {
    /** Enough to tell, and bounded. */
    private static final int LOOKED_AT = 4096;

    private PayloadGuess() {}

    /** A clause that ends a sentence, or null when it looks like nothing in particular. */
    static String describe(byte[] payload) {
        if (payload.length == 0) {
            return "the payload is empty";
        }
        int length = Math.min(payload.length, LOOKED_AT);
        if (payload.length >= 4 && payload[0] == '\\' && payload[1] == 'x' && isHex(payload, 2, length)) {
            return "the payload looks like the text of a bytea literal (\\x...): it was encoded twice";
        }
        if (payload[0] == '{' || payload[0] == '[') {
            return isPrintable(payload, length)
                    ? "the payload looks like JSON text: store the update's bytes, or a JSON op in the column op"
                    : null;
        }
        if (payload.length >= 4 && payload.length % 2 == 0 && isHex(payload, 0, length)) {
            return "the payload looks like hex text: store the bytes";
        }
        if (payload.length >= 4 && isBase64(payload, length)) {
            return "the payload looks like base64 text: store the decoded bytes";
        }
        return wentThroughUtf8(payload, length)
                ? "the payload looks like bytes that were read as text and encoded as UTF-8 again"
                : null;
    }

    private static boolean isHex(byte[] payload, int from, int end) {
        for (int i = from; i < end; i++) {
            int c = payload[i];
            int lower = c | 0x20;
            boolean digit = c >= '0' && c <= '9';
            boolean letter = lower >= 'a' && lower <= 'f';
            if (!digit && !letter) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBase64(byte[] payload, int end) {
        for (int i = 0; i < end; i++) {
            int c = payload[i];
            boolean padding = c == '=' && i >= payload.length - 2;
            boolean letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
            boolean digit = c >= '0' && c <= '9';
            boolean other = c == '+' || c == '/' || c == '-' || c == '_';
            if (!padding && !letter && !digit && !other) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPrintable(byte[] payload, int end) {
        for (int i = 0; i < end; i++) {
            int c = payload[i];
            if (c >= 0 && c < 0x20 && c != '\n' && c != '\r' && c != '\t') {
                return false;
            }
        }
        return true;
    }

    /** Every byte above 127 stands in a valid UTF-8 sequence, and there is one: chance gives that rarely. */
    private static boolean wentThroughUtf8(byte[] payload, int end) {
        int sequences = 0;
        for (int i = 0; i < end; i++) {
            int lead = payload[i] & 0xff;
            if (lead < 0x80) {
                continue;
            }
            int more = continuationBytes(lead);
            if (more == 0) {
                return false;
            }
            for (; more > 0 && i + 1 < end; more--) {
                if ((payload[++i] & 0xc0) != 0x80) {
                    return false;
                }
            }
            sequences++;
        }
        return sequences > 0;
    }

    private static int continuationBytes(int lead) {
        if (lead < 0xc2 || lead > 0xf4) {
            return 0;
        }
        return lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    }
}
