package dev.walmerge.crdt;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A shared type to edit and read: a root, or one nested in another. A handle is light and may be kept while others edit; that of a
 * nested type can't be used any more when the type was deleted ({@link IllegalStateException}).
 *
 * <p>Plain values are {@code null}, {@code Boolean}, {@code String}, {@code Integer}, {@code Long} up to 2<sup>53</sup> - 1,
 * {@code Double} and their smaller kin, {@code BigInteger} (a 64-bit JavaScript bigint), {@code byte[]}, and {@code List} and
 * {@code Map} with string keys of these, in the order they have. Half of a surrogate pair in a string or key is U+FFFD. They are read back as such: whole numbers as {@code Long}, others
 * as {@code Double}, lists and maps unmodifiable. Anything else is an {@link IllegalArgumentException}, and changes nothing.
 */
public abstract sealed class SharedType permits SharedText, SharedMap, SharedArray, SharedXml {
    static final int NONE = StructStore.NONE;

    final Editor editor;
    final Author author;
    private final String root;
    private final Id holder;
    private int type;

    /** What {@code type} is a row of. */
    private StructStore store;

    // What was read last, and when: programs read the same fields again and again.
    private String readKey;
    private int readIndex = NONE;
    private Object readValue;
    private long readRevision = NONE;

    SharedType(Editor editor, String root) {
        this(editor, Objects.requireNonNull(root), null, NONE);
    }

    SharedType(Editor editor, Id holder, int type) {
        this(editor, null, holder, type);
    }

    private SharedType(Editor editor, String root, Id holder, int type) {
        this.editor = editor;
        this.author = editor.author;
        this.root = root == null ? null : ValueText.wellFormed(root);
        this.holder = holder;
        this.type = type;
        this.store = author.store;
    }

    /** The name of a root, half of a surrogate pair being U+FFFD; null for a nested type. */
    public final String root() {
        return root;
    }

    /** The item that holds a nested type; null for a root. */
    public final Id holder() {
        return holder;
    }

    /** Whether it is still there; a root always is. */
    public final boolean exists() {
        return root != null || find() != NONE;
    }

    /** Whether this is the type that a live item of the document as it is now holds. */
    final boolean isHeldBy(int s) {
        StructStore now = author.store;
        return store == now && holder.clock() == now.clock[s] && holder.client() == now.clients.id[now.client.get(s)];
    }

    /** The document as it is now; valid once {@link #readable} or {@link #writable} was called. */
    final StructStore store() {
        return store;
    }

    private int find() {
        StructStore now = author.open();
        if (now != store) {
            store = now;
            type = NONE;
        }
        if (root != null) {
            if (type == NONE) {
                type = new Positions(store).root(root);
            }
            return type;
        }
        int s = type == NONE ? NONE : store.types.item[type];
        if (s == NONE || store.clock[s] != holder.clock() || store.clients.id[store.client.get(s)] != holder.client()) {
            type = new Positions(store).nested(holder);
            s = type == NONE ? NONE : store.types.item[type];
        }
        return s == NONE || store.isDeleted(s) ? NONE : type;
    }

    /** To read; NONE for a root nothing was ever put in. */
    final int readable() {
        int found = find();
        if (found == NONE && root == null) {
            throw new IllegalStateException("the type was deleted");
        }
        return found;
    }

    final int writable() {
        int found = readable();
        if (found == NONE) {
            type = store.types.root(store.names.intern(root));
            found = type;
        }
        store.revision++;
        return found;
    }

    /** To put something at an index; a root nothing was ever put in comes up only when that is its start. */
    final int writable(int index) {
        if (index != 0 && readable() == NONE) {
            throw new IndexOutOfBoundsException("index " + index);
        }
        return writable();
    }

    /** To change what is at an index, which must be there. */
    final int existing(int index) {
        if (readable() == NONE) {
            throw new IndexOutOfBoundsException("index " + index);
        }
        return writable();
    }

    /** @throws IndexOutOfBoundsException unless there are {@code count} visible units from {@code index} on */
    final void check(int index, int count) {
        int found = readable();
        if (found != NONE && (index != 0 || count != 0)) {
            author.check(found, index, count);
        } else if (index != 0 || count != 0) {
            throw new IndexOutOfBoundsException("index " + index + ", count " + count);
        }
    }

    /** The visible units of its list: characters and embeds of a text, elements of an array, children of XML. */
    final int visibleLength() {
        int found = readable();
        if (found == NONE) {
            return 0;
        }
        return store.order != null && store.order.covers(found)
                ? store.order.length(found)
                : TextView.length(store, found);
    }

    final Object element(int index) {
        if (index == readIndex && index != NONE && isUnchanged()) {
            return readValue;
        }
        int found = readable();
        if (found == NONE || index < 0 || !author.seek(found, index)) {
            throw new IndexOutOfBoundsException("index " + index);
        }
        return read(null, index, editor.value(author.row, author.offset));
    }

    /** Whether nothing happened to the document since {@link #read}. */
    private boolean isUnchanged() {
        return author.open() == store && store.revision == readRevision;
    }

    /** Remembers what was read, but nothing that may hold bytes: the caller may write to them. */
    private Object read(String key, int index, Object value) {
        boolean kept = !(value instanceof byte[] || value instanceof List || value instanceof Map);
        readKey = kept ? key : null;
        readIndex = kept ? index : NONE;
        readValue = kept ? value : null;
        readRevision = store.revision;
        return value;
    }

    final void deleteElements(int index, int count) {
        if (count == 0) {
            check(index, 0);
            return;
        }
        int found = existing(index);
        editor.begin();
        try {
            author.delete(found, index, count);
        } finally {
            editor.end();
        }
    }

    /** Puts a new type into a list; behind all there ever was in it when {@code index} is NONE. */
    final int nest(int index, int ref, String name) {
        int found = writable(index == NONE ? 0 : index);
        editor.begin();
        try {
            int left = index == NONE ? author.last(found) : author.before(found, index);
            int right = index == NONE ? NONE : author.behind(found, left);
            return author.nested(found, Names.NONE, left, right, ref, name);
        } finally {
            editor.end();
        }
    }

    final Id id(int s) {
        return new Id(store.clients.id[store.client.get(s)], store.clock[s]);
    }

    final Object valueOf(String key) {
        if (key.equals(readKey) && isUnchanged()) {
            return readValue;
        }
        int s = entry(key);
        return s == NONE ? null : read(key, NONE, editor.value(s, store.length.get(s) - 1));
    }

    /** The live item of a key, or NONE. */
    final int entry(String key) {
        Objects.requireNonNull(key);
        int found = readable();
        int name = found == NONE ? Names.NONE : author.key(key, false);
        int s = name == Names.NONE ? NONE : store.types.last(found, name);
        return s == NONE || store.isDeleted(s) ? NONE : s;
    }

    final void setValue(String key, Object value) {
        Objects.requireNonNull(key);
        ByteWriter bytes = author.scratch();
        if (!(value instanceof byte[])) {
            Values.encode(value, bytes);
        }
        int found = writable();
        int sub = author.key(key, true);
        int left = store.types.last(found, sub);
        editor.begin();
        try {
            if (value instanceof byte[] binary) {
                author.binary(found, sub, left, NONE, binary);
            } else {
                author.values(found, sub, left, NONE, bytes, 1);
            }
        } finally {
            editor.end();
        }
    }

    final int nestAt(String key, int ref) {
        Objects.requireNonNull(key);
        int found = writable();
        int sub = author.key(key, true);
        editor.begin();
        try {
            return author.nested(found, sub, store.types.last(found, sub), NONE, ref, null);
        } finally {
            editor.end();
        }
    }

    final void deleteKey(String key) {
        int s = entry(key);
        if (s != NONE) {
            store.revision++;
            editor.begin();
            try {
                author.merge.delete(s);
            } finally {
                editor.end();
            }
        }
    }
}
