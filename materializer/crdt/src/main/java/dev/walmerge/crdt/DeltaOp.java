package dev.walmerge.crdt;

import java.util.Map;
import java.util.Objects;

/**
 * One step of a Quill Delta. One of {@code text}, {@code embed}, {@code retain} and {@code delete} is there.
 *
 * @param text inserted, not empty
 * @param embed inserted
 * @param retain units left as they are, but for the attributes
 * @param delete units deleted
 * @param attributes of what is inserted or retained; plain values, null ends one
 */
public record DeltaOp(String text, Map<String, ?> embed, int retain, int delete, Map<String, ?> attributes) {
    public DeltaOp {
        Objects.requireNonNull(attributes);
        int parts = (text != null ? 1 : 0) + (embed != null ? 1 : 0) + (retain != 0 ? 1 : 0) + (delete != 0 ? 1 : 0);
        if (parts != 1 || retain < 0 || delete < 0 || (text != null && text.isEmpty())) {
            throw new IllegalArgumentException("a step inserts, retains or deletes something");
        }
    }

    public static DeltaOp insert(String text, Map<String, ?> attributes) {
        return new DeltaOp(Objects.requireNonNull(text), null, 0, 0, attributes);
    }

    public static DeltaOp insertEmbed(Map<String, ?> embed, Map<String, ?> attributes) {
        return new DeltaOp(null, Objects.requireNonNull(embed), 0, 0, attributes);
    }

    public static DeltaOp retain(int units, Map<String, ?> attributes) {
        return new DeltaOp(null, null, units, 0, attributes);
    }

    public static DeltaOp delete(int units) {
        return new DeltaOp(null, null, 0, units, Map.of());
    }
}
