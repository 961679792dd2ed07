package dev.walmerge.crdt;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A text: Yjs' {@code Y.Text} and {@code Y.XmlText}. Indexes count UTF-16 units and embeds. An edit within a surrogate pair turns its
 * halves into U+FFFD, as in Yjs; so does one that brings a lone half.
 */
public final class SharedText extends SharedType {
    /** Quill ends a text with one newline that Yjs doesn't keep; more is a mistake, and a step of a few bytes may ask for gigabytes. */
    private static final int NEWLINES_LAST = 1 << 16;

    SharedText(Editor editor, String root) {
        super(editor, root);
    }

    SharedText(Editor editor, Id holder, int type) {
        super(editor, holder, type);
    }

    public int length() {
        return visibleLength();
    }

    /** The text without formats and embeds. */
    @Override
    public String toString() {
        int found = readable();
        return found == NONE ? "" : TextView.text(store(), found).toString();
    }

    /** Inserts text with the attributes that hold at its place. */
    public void insert(int index, String text) {
        if (text.isEmpty()) {
            check(index, 0);
            return;
        }
        int found = writable(index);
        editor.begin();
        try {
            if (author.formatted(found)) {
                FormattedText place = place(found, index);
                place.insert(ValueText.wellFormed(text), new LinkedHashMap<>(place.current()));
            } else {
                int left = author.before(found, index);
                int right = author.behind(found, left);
                while (right != NONE && store().isDeleted(right)) {
                    left = right;
                    right = store().right[right];
                }
                author.string(found, left, right, ValueText.wellFormed(text));
            }
        } finally {
            editor.end();
        }
    }

    /** Inserts text with exactly these attributes; their values are plain, null is none. */
    public void insert(int index, String text, Map<String, ?> attributes) {
        Map<String, byte[]> encoded = FormattedText.encode(attributes);
        if (text.isEmpty()) {
            check(index, 0);
            return;
        }
        int found = writable(index);
        editor.begin();
        try {
            place(found, index).insert(ValueText.wellFormed(text), encoded);
        } finally {
            editor.end();
        }
    }

    /** Inserts a plain value, such as an image's description, that counts as one unit. */
    public void insertEmbed(int index, Map<String, ?> embed, Map<String, ?> attributes) {
        Map<String, byte[]> encoded = FormattedText.encode(attributes);
        ByteWriter value = new ByteWriter();
        Values.encode(Objects.requireNonNull(embed), value);
        int found = writable(index);
        editor.begin();
        try {
            place(found, index).insertEmbed(value, encoded);
        } finally {
            editor.end();
        }
    }

    /** Deletes units, which must be there, and the formats that lose their effect. */
    public void delete(int index, int count) {
        if (count == 0) {
            check(index, 0);
            return;
        }
        int found = existing(index);
        editor.begin();
        try {
            if (author.formatted(found)) {
                author.check(found, index, count);
                place(found, index).delete(count);
            } else {
                author.delete(found, index, count);
            }
        } finally {
            editor.end();
        }
    }

    /** Gives units, which must be there, these attributes; null ends one. */
    public void format(int index, int count, Map<String, ?> attributes) {
        Map<String, byte[]> encoded = FormattedText.encode(attributes);
        if (count == 0) {
            check(index, 0);
            return;
        }
        int found = existing(index);
        editor.begin();
        try {
            author.check(found, index, count);
            place(found, index).format(count, encoded);
        } finally {
            editor.end();
        }
    }

    /**
     * Applies a Quill Delta as Yjs' {@code applyDelta} does: what is retained beyond the end becomes newlines, with attributes or without,
     * and what is deleted beyond it is ignored.
     *
     * @throws IndexOutOfBoundsException when more than 65,536 newlines would come up; nothing is changed
     */
    public void applyDelta(List<DeltaOp> delta) {
        boolean adds = false;
        long newlines = 0;
        long rest = visibleLength();
        for (DeltaOp op : delta) {
            FormattedText.encode(op.attributes());
            Values.bytes(op.embed());
            adds |= op.delete() == 0;
            newlines += Math.max(0, op.retain() - rest);
            rest = Math.max(0, rest - op.retain() - op.delete());
        }
        if (newlines > NEWLINES_LAST) {
            throw new IndexOutOfBoundsException("retain " + newlines + " beyond the end");
        }
        if (!adds && readable() == NONE) {
            return;
        }
        int found = writable();
        editor.begin();
        try {
            FormattedText place = new FormattedText(author, found);
            for (DeltaOp op : delta) {
                apply(op, place);
            }
        } finally {
            editor.end();
        }
    }

    private void apply(DeltaOp op, FormattedText place) {
        Map<String, byte[]> attributes = FormattedText.encode(op.attributes());
        if (op.text() != null) {
            place.insert(ValueText.wellFormed(op.text()), attributes);
        } else if (op.embed() != null) {
            ByteWriter value = author.scratch();
            Values.encode(op.embed(), value);
            place.insertEmbed(value, attributes);
        } else if (op.retain() > 0) {
            place.format(op.retain(), attributes);
        } else {
            place.delete(op.delete());
        }
    }

    private FormattedText place(int found, int index) {
        if (index < 0 || (index > 0 && !author.seek(found, index - 1))) {
            throw new IndexOutOfBoundsException("index " + index);
        }
        FormattedText place = new FormattedText(author, found);
        place.advance(index);
        return place;
    }

    /** The value of an attribute of the text as a whole, or null. */
    public Object getAttribute(String key) {
        return valueOf(key);
    }

    /** Sets a plain value. */
    public void setAttribute(String key, Object value) {
        setValue(key, value);
    }

    public void removeAttribute(String key) {
        deleteKey(key);
    }
}
