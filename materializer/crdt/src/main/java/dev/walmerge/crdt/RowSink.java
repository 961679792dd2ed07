package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Each block that has text of its own as a row, in the order in which blocks begin. */
final class RowSink implements BlockSink {
    private static final int NONE = StructStore.NONE;

    /** Longer names, and deeper paths, are cut in paths, so that repeating them can't make gigabytes. */
    private static final int NAME_LAST = 64;

    private static final int PATH_LAST = 32;

    /** Longer ids of editors are not taken, and longer paths not as ids: an id is a key of an index. */
    private static final int ID_LAST = 128;

    private static final class Frame {
        final Frame around;
        final int depth;
        final int type;
        final String kind;

        /** Among those beside it, or NONE for a member. */
        final int index;

        /** How many blocks are right in it so far. */
        int blocks;

        /** The first character of a line; else NONE. */
        int struct = NONE;

        int offset;
        StringBuilder text;

        Frame(Frame around, int type, String kind, int index) {
            this.around = around;
            this.depth = around == null ? 0 : around.depth + 1;
            this.type = type;
            this.kind = kind;
            this.index = index;
        }
    }

    private final StructStore store;
    private final Labels labels;
    private final Set<String> ids = new HashSet<>();

    /** All blocks that may get text. */
    private final List<Frame> frames = new ArrayList<>();

    private Frame root;
    private Frame open;
    private boolean lines;

    RowSink(StructStore store) {
        this.store = store;
        this.labels = new Labels(store);
    }

    /** All that follows is in this root; a text is cut into lines. */
    void begin(BodyRoot next) {
        root = new Frame(null, next.type(), next.name(), NONE);
        lines = next.as() == BodyProjection.TEXT;
        open = root;
        frames.add(root);
    }

    @Override
    public void enter(int type, String kind) {
        push(new Frame(open, type, kind, open.blocks++));
    }

    @Override
    public void enterMember(int type, String key) {
        push(new Frame(open, type, key, NONE));
    }

    private void push(Frame frame) {
        open = frame;
        frames.add(frame);
    }

    @Override
    public void leave() {
        open = open.around;
    }

    @Override
    public StringBuilder out() {
        if (lines && open == root) {
            push(new Frame(root, NONE, "line", root.blocks++));
        }
        if (open.text == null) {
            open.text = new StringBuilder();
        }
        return open.text;
    }

    @Override
    public void string(int s) {
        Units units = store.contents.units;
        int from = store.content[s];
        int count = store.length.get(s);
        boolean inLines = lines && (open == root || open.around == root);
        if (!inLines) {
            units.appendTo(out(), from, count);
            return;
        }
        int start = 0;
        for (int i = 0; i <= count; i++) {
            boolean end = i < count && units.at(from + i) == '\n';
            if (!end && i < count) {
                continue;
            }
            if (i > start) {
                units.appendTo(out(), from + start, i - start);
                if (open.struct == NONE) {
                    open.struct = s;
                    open.offset = start;
                }
            }
            if (end) {
                endLine();
            }
            start = i + 1;
        }
    }

    private void endLine() {
        if (open == root) {
            root.blocks++;
        } else {
            open = root;
        }
    }

    List<TextBlock> rows() {
        List<TextBlock> rows = new ArrayList<>();
        for (Frame frame : frames) {
            if (frame.text != null && frame.text.length() > 0) {
                String path = path(frame);
                String kind = frame.kind.isEmpty() && frame.around != null ? frame.around.kind : frame.kind;
                rows.add(new TextBlock(
                        id(frame, path),
                        ValueText.storable(cut(kind)),
                        path,
                        ValueText.storable(frame.text.toString())));
            }
        }
        return rows;
    }

    private String id(Frame frame, String path) {
        String own = frame.type == NONE ? "" : given(frame.type);
        if (!own.isEmpty() && ids.add(own)) {
            return own;
        }
        Frame around = frame.around;
        if (around != null && around.type != NONE && frame.index == 0 && frame.type != NONE) {
            String container = given(around.type);
            if (!container.isEmpty() && ids.add(container)) {
                return container;
            }
        }
        int struct = frame.type != NONE ? store.types.item[frame.type] : frame.struct;
        String id = struct == NONE ? shortened(path) : place(struct, frame.offset);
        String unique = id;
        for (int again = ids.size(); !ids.add(unique); again++) {
            unique = id + '#' + again;
        }
        return unique;
    }

    /** What the editor says, or nothing. */
    private String given(int type) {
        String id = labels.string(type, "id");
        return id.length() > ID_LAST ? "" : ValueText.storable(id);
    }

    private static String shortened(String path) {
        if (path.length() <= ID_LAST) {
            return path;
        }
        long print = 0xcbf29ce484222325L;
        for (int i = 0; i < path.length(); i++) {
            print = (print ^ path.charAt(i)) * 0x100000001b3L;
        }
        return ValueText.storable(path.substring(0, ID_LAST - 17)) + '~' + Long.toHexString(print);
    }

    private String place(int struct, int offset) {
        return store.clients.id[store.client.get(struct)] + "-" + (store.clock[struct] + offset);
    }

    private static String path(Frame frame) {
        List<String> parts = new ArrayList<>();
        for (Frame at = frame; at != null; at = at.around) {
            if (at.depth < PATH_LAST) {
                parts.add(cut(at.kind) + (at.index == NONE ? "" : "[" + at.index + "]"));
            }
        }
        StringBuilder out = new StringBuilder();
        for (int i = parts.size() - 1; i >= 0; i--) {
            out.append(out.length() == 0 ? "" : "/").append(parts.get(i));
        }
        return ValueText.storable(out.toString());
    }

    private static String cut(String name) {
        return name.length() > NAME_LAST ? name.substring(0, NAME_LAST) : name;
    }
}
