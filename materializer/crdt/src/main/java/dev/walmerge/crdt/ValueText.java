package dev.walmerge.crdt;

import java.util.Arrays;
import java.util.Base64;

/** Values and strings as JSON text. */
final class ValueText {
    /** What becomes of what JSON can't hold. */
    enum Style {
        /** As {@code JSON.stringify}. */
        JSON,
        /** An object with a {@code $t} member names it, so nothing is lost. */
        MARKED,
        /** Fit for jsonb: no NUL, no lone surrogate (U+FFFD instead), null for NaN, infinities and undefined. */
        JSONB
    }

    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private ValueText() {}

    /** One value as {@code JSON.stringify} writes it; {@code undefined} for undefined. */
    static String jsonText(byte[] blob, int at) {
        if ((blob[at] & 0xff) == AnyValue.UNDEFINED) {
            return "undefined";
        }
        StringBuilder out = new StringBuilder();
        write(blob, at, Style.JSON, out);
        return out.toString();
    }

    static void write(byte[] blob, int at, Style style, StringBuilder out) {
        switch (blob[at] & 0xff) {
            case AnyValue.UNDEFINED -> out.append(style == Style.MARKED ? "{\"$t\":\"undefined\"}" : "null");
            case AnyValue.TRUE -> out.append("true");
            case AnyValue.FALSE -> out.append("false");
            case AnyValue.INTEGER, AnyValue.FLOAT32, AnyValue.FLOAT64 -> number(AnyValue.numeric(blob, at), style, out);
            case AnyValue.BIGINT -> {
                String digits = Long.toString(AnyValue.i64(blob, at + 1));
                out.append(style == Style.MARKED ? "{\"$t\":\"bigint\",\"v\":\"" + digits + "\"}" : digits);
            }
            case AnyValue.STRING -> quote(AnyValue.text(blob, at + 1), style, out);
            case AnyValue.ARRAY -> array(blob, at, style, out);
            case AnyValue.OBJECT -> object(blob, at, style, out);
            case AnyValue.BYTES -> {
                int count = (int) AnyValue.number(blob, at + 1);
                bytes(blob, AnyValue.endOfNumber(blob, at + 1), count, style, out);
            }
            default -> out.append("null");
        }
    }

    private static void number(double value, Style style, StringBuilder out) {
        boolean negativeZero = value == 0 && 1 / value < 0;
        if (style == Style.MARKED && (negativeZero || Double.isNaN(value) || Double.isInfinite(value))) {
            String name = negativeZero ? "-0" : Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
            out.append("{\"$t\":\"").append(name).append("\"}");
        } else if (Double.isNaN(value) || Double.isInfinite(value)) {
            out.append("null");
        } else {
            out.append(JsNumber.format(value));
        }
    }

    private static void array(byte[] blob, int at, Style style, StringBuilder out) {
        int count = (int) AnyValue.number(blob, at + 1);
        int pos = AnyValue.endOfNumber(blob, at + 1);
        out.append('[');
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                out.append(',');
            }
            write(blob, pos, style, out);
            pos = AnyValue.end(blob, pos);
        }
        out.append(']');
    }

    private static void object(byte[] blob, int at, Style style, StringBuilder out) {
        int count = (int) AnyValue.number(blob, at + 1);
        int pos = AnyValue.endOfNumber(blob, at + 1);
        boolean first = true;
        out.append('{');
        for (int i = 0; i < count; i++) {
            String key = AnyValue.text(blob, pos);
            pos = AnyValue.endOfNumber(blob, pos) + (int) AnyValue.number(blob, pos);
            boolean hidden = style == Style.JSON && (blob[pos] & 0xff) == AnyValue.UNDEFINED;
            if (!hidden) {
                if (!first) {
                    out.append(',');
                }
                first = false;
                quote(key, style, out);
                out.append(':');
                write(blob, pos, style, out);
            }
            pos = AnyValue.end(blob, pos);
        }
        out.append('}');
    }

    /** Bytes: base64, but as {@code JSON.stringify} of a byte array in its style. */
    static void bytes(byte[] blob, int from, int count, Style style, StringBuilder out) {
        if (style == Style.JSON) {
            out.append('{');
            for (int i = 0; i < count; i++) {
                out.append(i == 0 ? "\"" : ",\"").append(i).append("\":").append(blob[from + i] & 0xff);
            }
            out.append('}');
            return;
        }
        byte[] slice = Arrays.copyOfRange(blob, from, from + count);
        String text = Base64.getEncoder().encodeToString(slice);
        if (style == Style.MARKED) {
            out.append("{\"$t\":\"bytes\",\"v\":\"").append(text).append("\"}");
        } else {
            out.append('"').append(text).append('"');
        }
    }

    static void quote(String text, Style style, StringBuilder out) {
        if (isPlain(text)) {
            out.append('"').append(text).append('"');
            return;
        }
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (pair) {
                    out.append(c).append(text.charAt(++i));
                } else if (style == Style.JSONB) {
                    out.append(Utf8.REPLACEMENT);
                } else {
                    escape(c, out);
                }
            } else if (c == 0 && style == Style.JSONB) {
                out.append(Utf8.REPLACEMENT);
            } else {
                unit(c, out);
            }
        }
        out.append('"');
    }

    /** Whether all of it stands for itself in JSON. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 || c == '"' || c == '\\' || Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }

    private static void unit(char c, StringBuilder out) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (c < 0x20) {
                    escape(c, out);
                } else {
                    out.append(c);
                }
            }
        }
    }

    private static void escape(char c, StringBuilder out) {
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(HEX[c >> shift & 0xf]);
        }
    }

    /** Whether no half of a surrogate pair stands by itself. */
    static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (text.codePointAt(i) < Character.MIN_SUPPLEMENTARY_CODE_POINT) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    private static boolean isStorable(String text) {
        if (text.indexOf('\0') >= 0) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** The text without what Postgres refuses: NUL and lone surrogates become U+FFFD. */
    static String storable(String text) {
        if (isStorable(text)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                out.append(c).append(text.charAt(++i));
            } else {
                out.append(c == 0 || Character.isSurrogate(c) ? Utf8.REPLACEMENT : c);
            }
        }
        return out.toString();
    }

    /** With U+FFFD for each half of a surrogate pair that stands alone; the same string when there is none. */
    static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return repaired(text);
            }
        }
        return text;
    }

    private static String repaired(String text) {
        char[] units = text.toCharArray();
        for (int i = 0; i < units.length; i++) {
            boolean pair = Character.isHighSurrogate(units[i])
                    && i + 1 < units.length
                    && Character.isLowSurrogate(units[i + 1]);
            if (pair) {
                i++;
            } else if (Character.isSurrogate(units[i])) {
                units[i] = Utf8.REPLACEMENT;
            }
        }
        return new String(units);
    }
}
