package dev.walmerge.crdt;

import java.util.Map;
import java.util.TreeMap;

/** Values as JavaScript turns them into strings, which is how Yjs prints the attributes of XML. */
final class JsText {
    private JsText() {}

    static void append(byte[] blob, int at, StringBuilder out) {
        switch (blob[at] & 0xff) {
            case AnyValue.UNDEFINED -> out.append("undefined");
            case AnyValue.NULL -> out.append("null");
            case AnyValue.TRUE -> out.append("true");
            case AnyValue.FALSE -> out.append("false");
            case AnyValue.INTEGER, AnyValue.FLOAT32, AnyValue.FLOAT64 ->
                out.append(JsNumber.format(AnyValue.numeric(blob, at)));
            case AnyValue.BIGINT -> out.append(AnyValue.i64(blob, at + 1));
            case AnyValue.STRING -> out.append(AnyValue.text(blob, at + 1));
            case AnyValue.ARRAY -> array(blob, at, out);
            case AnyValue.BYTES -> {
                int count = (int) AnyValue.number(blob, at + 1);
                int from = AnyValue.endOfNumber(blob, at + 1);
                for (int i = 0; i < count; i++) {
                    out.append(i == 0 ? "" : ",").append(blob[from + i] & 0xff);
                }
            }
            default -> out.append("[object Object]");
        }
    }

    private static void array(byte[] blob, int at, StringBuilder out) {
        int count = (int) AnyValue.number(blob, at + 1);
        int pos = AnyValue.endOfNumber(blob, at + 1);
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                out.append(',');
            }
            int tag = blob[pos] & 0xff;
            if (tag != AnyValue.NULL && tag != AnyValue.UNDEFINED) {
                append(blob, pos, out);
            }
            pos = AnyValue.end(blob, pos);
        }
    }

    /** The members of a value as attributes ordered by name; those of a string or array are its elements. */
    static void members(byte[] blob, int at, StringBuilder out) {
        TreeMap<String, String> members = new TreeMap<>();
        switch (blob[at] & 0xff) {
            case AnyValue.STRING -> {
                String text = AnyValue.text(blob, at + 1);
                for (int i = 0; i < text.length(); i++) {
                    members.put(Integer.toString(i), text.substring(i, i + 1));
                }
            }
            case AnyValue.ARRAY -> {
                int count = (int) AnyValue.number(blob, at + 1);
                int pos = AnyValue.endOfNumber(blob, at + 1);
                for (int i = 0; i < count; i++) {
                    members.put(Integer.toString(i), text(blob, pos));
                    pos = AnyValue.end(blob, pos);
                }
            }
            case AnyValue.OBJECT -> {
                int count = (int) AnyValue.number(blob, at + 1);
                int pos = AnyValue.endOfNumber(blob, at + 1);
                for (int i = 0; i < count; i++) {
                    String key = AnyValue.text(blob, pos);
                    pos = AnyValue.endOfNumber(blob, pos) + (int) AnyValue.number(blob, pos);
                    members.put(key, text(blob, pos));
                    pos = AnyValue.end(blob, pos);
                }
            }
            default -> {}
        }
        for (Map.Entry<String, String> member : members.entrySet()) {
            out.append(' ')
                    .append(member.getKey())
                    .append("=\"")
                    .append(member.getValue())
                    .append('"');
        }
    }

    private static String text(byte[] blob, int at) {
        StringBuilder out = new StringBuilder();
        append(blob, at, out);
        return out.toString();
    }
}
