package dev.walmerge.crdt;

/** Turns JSON text (RFC 8259, as {@code JSON.parse} takes it) into the bytes of an {@link AnyValue}. */
final class JsonParser {
    /** Digits that any int may have. */
    private static final int INT_DIGITS = 9;

    private final String text;
    private final ByteWriter out;
    private int pos;

    private JsonParser(String text, ByteWriter out) {
        this.text = text;
        this.out = out;
    }

    /** Appends the value to {@code out}; false, with {@code out} in an unspecified state, when it is not JSON. */
    static boolean parse(String text, ByteWriter out) {
        JsonParser parser = new JsonParser(text, out);
        if (!parser.value(0)) {
            return false;
        }
        parser.space();
        return parser.pos == text.length();
    }

    /** The same, or {@code undefined}: Yjs writes that where JavaScript has no JSON for a value. */
    static boolean parseOrUndefined(String text, ByteWriter out) {
        if (text.equals("undefined")) {
            out.u8(AnyValue.UNDEFINED);
            return true;
        }
        return parse(text, out);
    }

    private void space() {
        while (pos < text.length()) {
            char c = text.charAt(pos);
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
                return;
            }
            pos++;
        }
    }

    private int peek() {
        return pos < text.length() ? text.charAt(pos) : -1;
    }

    private boolean take(char expected) {
        space();
        if (peek() != expected) {
            return false;
        }
        pos++;
        return true;
    }

    private boolean value(int depth) {
        space();
        if (depth > Limits.VALUE_DEPTH) {
            return false;
        }
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string(true);
            case 't' -> literal("true", AnyValue.TRUE);
            case 'f' -> literal("false", AnyValue.FALSE);
            case 'n' -> literal("null", AnyValue.NULL);
            default -> number();
        };
    }

    private boolean literal(String word, int tag) {
        if (!text.startsWith(word, pos)) {
            return false;
        }
        pos += word.length();
        out.u8(tag);
        return true;
    }

    private boolean array(int depth) {
        pos++;
        out.u8(AnyValue.ARRAY);
        int at = out.size();
        int count = 0;
        if (!take(']')) {
            do {
                if (!value(depth + 1)) {
                    return false;
                }
                count++;
            } while (take(','));
            if (!take(']')) {
                return false;
            }
        }
        out.insertVarUint(at, count);
        return true;
    }

    private boolean object(int depth) {
        pos++;
        out.u8(AnyValue.OBJECT);
        int at = out.size();
        int count = 0;
        if (!take('}')) {
            do {
                space();
                if (peek() != '"' || !string(false) || !take(':') || !value(depth + 1)) {
                    return false;
                }
                count++;
            } while (take(','));
            if (!take('}')) {
                return false;
            }
        }
        out.insertVarUint(at, count);
        return true;
    }

    private boolean string(boolean tagged) {
        int from = ++pos;
        StringBuilder decoded = null;
        while (pos < text.length()) {
            char c = text.charAt(pos++);
            if (c == '"') {
                if (tagged) {
                    out.u8(AnyValue.STRING);
                }
                out.string(decoded == null ? text.substring(from, pos - 1) : decoded.toString());
                return true;
            }
            if (c < 0x20) {
                return false;
            }
            if (c == '\\') {
                if (decoded == null) {
                    decoded = new StringBuilder(text.length() - from).append(text, from, pos - 1);
                }
                int unit = escape();
                if (unit < 0) {
                    return false;
                }
                decoded.append((char) unit);
            } else if (decoded != null) {
                decoded.append(c);
            }
        }
        return false;
    }

    private int escape() {
        if (pos >= text.length()) {
            return -1;
        }
        char c = text.charAt(pos++);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex();
            default -> -1;
        };
    }

    private int hex() {
        if (text.length() - pos < 4) {
            return -1;
        }
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(text.charAt(pos++), 16);
            if (digit < 0) {
                return -1;
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private boolean number() {
        int from = pos;
        if (peek() == '-') {
            pos++;
        }
        int whole = digits();
        if (whole == 0 || (whole > 1 && text.charAt(pos - whole) == '0')) {
            return false;
        }
        if (peek() == '.') {
            pos++;
            if (digits() == 0) {
                return false;
            }
        }
        if (peek() == 'e' || peek() == 'E') {
            pos++;
            if (peek() == '+' || peek() == '-') {
                pos++;
            }
            if (digits() == 0) {
                return false;
            }
        }
        boolean small = pos - from == whole && whole <= INT_DIGITS;
        AnyValue.writeNumber(
                out, small ? Integer.parseInt(text, from, pos, 10) : Double.parseDouble(text.substring(from, pos)));
        return true;
    }

    private int digits() {
        int from = pos;
        while (peek() >= '0' && peek() <= '9') {
            pos++;
        }
        return pos - from;
    }
}
