package dev.walmerge.crdt;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A place in a text with formats, and the edits there, item for item as Yjs makes them: a format is an item that holds from there on,
 * what an edit opens it closes behind itself, and what became redundant is deleted.
 *
 * <p>Attributes are encoded values; null as a value ends an attribute.
 */
final class FormattedText {
    private static final int NONE = StructStore.NONE;

    private final Author author;
    private final StructStore store;
    private final int type;

    private int left = NONE;
    private int right;

    /** What holds here. */
    private final Map<String, byte[]> current = new LinkedHashMap<>();

    /** The start of a text. */
    FormattedText(Author author, int type) {
        this.author = author;
        this.store = author.store;
        this.type = type;
        right = store.types.start[type];
    }

    static Map<String, byte[]> encode(Map<String, ?> attributes) {
        Map<String, byte[]> encoded = new LinkedHashMap<>();
        attributes.forEach((key, value) -> encoded.put(ValueText.wellFormed(key), Values.bytes(value)));
        return encoded;
    }

    Map<String, byte[]> current() {
        return current;
    }

    private boolean isFormat(int s) {
        return store.kind(s) == Kind.FORMAT;
    }

    private String key(int s) {
        return store.names.get(store.formatKey(s));
    }

    private byte[] value(int s) {
        int at = store.content[s];
        byte[] value = new byte[store.contentBytes.get(s)];
        System.arraycopy(store.contents.blob, at, value, 0, value.length);
        return value;
    }

    private static boolean isNull(byte[] value) {
        return (value[0] & 0xff) == AnyValue.NULL;
    }

    private static byte[] orNull(byte[] value) {
        return value == null ? Values.NULL : value;
    }

    private void forward() {
        if (isFormat(right) && !store.isDeleted(right)) {
            apply(current, right);
        }
        left = right;
        right = store.right[right];
    }

    private void apply(Map<String, byte[]> attributes, int format) {
        byte[] value = value(format);
        if (isNull(value)) {
            attributes.remove(key(format));
        } else {
            attributes.put(key(format), value);
        }
    }

    /** Goes on by visible units, to the place right behind the last of them. */
    void advance(int count) {
        int rest = count;
        while (rest > 0 && right != NONE) {
            if (!isFormat(right) && !store.isDeleted(right)) {
                if (rest < store.length.get(right)) {
                    author.cut(right, rest);
                }
                rest -= store.length.get(right);
            }
            forward();
        }
    }

    void insert(String text, Map<String, byte[]> attributes) {
        Map<String, byte[]> negated = open(attributes);
        right = author.string(type, left, right, text);
        forward();
        close(negated);
    }

    void insertEmbed(ByteWriter value, Map<String, byte[]> attributes) {
        Map<String, byte[]> negated = open(attributes);
        right = author.embed(type, left, right, value);
        forward();
        close(negated);
    }

    /** Everything inserted has exactly these attributes. */
    private Map<String, byte[]> open(Map<String, byte[]> attributes) {
        for (String key : current.keySet()) {
            attributes.putIfAbsent(key, Values.NULL);
        }
        skipRedundant(attributes);
        return start(attributes);
    }

    /** Behind what is deleted, and behind formats that say what the attributes say anyway. */
    private void skipRedundant(Map<String, byte[]> attributes) {
        while (right != NONE
                && (store.isDeleted(right)
                        || (isFormat(right) && Values.equal(orNull(attributes.get(key(right))), value(right))))) {
            forward();
        }
    }

    private Map<String, byte[]> start(Map<String, byte[]> attributes) {
        Map<String, byte[]> negated = new LinkedHashMap<>();
        attributes.forEach((key, value) -> {
            byte[] before = orNull(current.get(key));
            if (!Values.equal(before, value)) {
                negated.put(key, before);
                right = author.format(type, left, right, key, value);
                forward();
            }
        });
        return negated;
    }

    private void close(Map<String, byte[]> negated) {
        while (right != NONE && (store.isDeleted(right) || closes(right, negated))) {
            if (!store.isDeleted(right)) {
                negated.remove(key(right));
            }
            forward();
        }
        negated.forEach((key, value) -> {
            right = author.format(type, left, right, key, value);
            forward();
        });
    }

    private boolean closes(int s, Map<String, byte[]> negated) {
        if (!isFormat(s)) {
            return false;
        }
        byte[] value = negated.get(key(s));
        return value != null && Values.equal(value, value(s));
    }

    /** Formats the next visible units; where there are fewer, newlines are added as Quill expects it. */
    void format(int count, Map<String, byte[]> attributes) {
        skipRedundant(attributes);
        Map<String, byte[]> negated = start(attributes);
        int rest = count;
        while (right != NONE && (rest > 0 || (!negated.isEmpty() && (store.isDeleted(right) || isFormat(right))))) {
            if (!store.isDeleted(right)) {
                if (isFormat(right)) {
                    if (!overwrite(right, rest, attributes, negated)) {
                        break;
                    }
                } else {
                    if (rest < store.length.get(right)) {
                        author.cut(right, rest);
                    }
                    rest -= store.length.get(right);
                }
            }
            forward();
        }
        if (rest > 0) {
            right = author.string(type, left, right, "\n".repeat(rest));
            forward();
        }
        close(negated);
    }

    /** A format within what is formatted anew: gone when it has the same key. False where the rest is not concerned. */
    private boolean overwrite(int s, int rest, Map<String, byte[]> attributes, Map<String, byte[]> negated) {
        String key = key(s);
        byte[] wanted = attributes.get(key);
        if (wanted == null) {
            current.put(key, value(s));
            return true;
        }
        if (Values.equal(wanted, value(s))) {
            negated.remove(key);
        } else if (rest == 0) {
            return false;
        } else {
            negated.put(key, value(s));
        }
        author.merge.delete(s);
        return true;
    }

    /** Deletes the next visible units; what is beyond the end is ignored. */
    void delete(int count) {
        Map<String, byte[]> before = new LinkedHashMap<>(current);
        int first = right;
        int rest = count;
        while (rest > 0 && right != NONE) {
            int kind = store.kind(right);
            boolean content = kind == Kind.STRING || kind == Kind.EMBED || kind == Kind.TYPE;
            if (content && !store.isDeleted(right)) {
                if (rest < store.length.get(right)) {
                    author.cut(right, rest);
                }
                rest -= store.length.get(right);
                author.merge.delete(right);
            }
            forward();
        }
        if (first != NONE) {
            cleanGap(first, before);
        }
    }

    /** Deletes formats without effect between two visible things: overwritten before anything is shown, or already in force. */
    private void cleanGap(int first, Map<String, byte[]> before) {
        Map<String, Integer> lastOfKey = new HashMap<>();
        int end = first;
        while (end != NONE && (store.isDeleted(end) || !Kind.countable(store.kind(end)))) {
            if (isFormat(end) && !store.isDeleted(end)) {
                lastOfKey.put(key(end), end);
            }
            end = store.right[end];
        }
        boolean reached = false;
        for (int s = first; s != end; s = store.right[s]) {
            reached |= s == right;
            if (isFormat(s) && !store.isDeleted(s)) {
                clean(s, lastOfKey.get(key(s)) != s, before, reached);
            }
        }
    }

    private void clean(int s, boolean overwritten, Map<String, byte[]> before, boolean reached) {
        String key = key(s);
        byte[] value = value(s);
        byte[] inForce = orNull(before.get(key));
        boolean same = Values.same(inForce, value);
        if (!overwritten && !same) {
            if (!reached) {
                apply(current, s);
            }
            return;
        }
        author.merge.delete(s);
        if (!reached && !same && Values.same(orNull(current.get(key)), value)) {
            if (isNull(inForce)) {
                current.remove(key);
            } else {
                current.put(key, inForce);
            }
        }
    }
}
