package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The visible content of a text with its formatting: stretches of text, or one embed or type, each with attributes. */
final class DeltaView {
    /**
     * Each op repeats the attributes that are open, so thousands of open ones would make a view of gigabytes from an
     * update of some kilobytes. All that ops repeat may cost this much, and {@link #COST_FACTOR} times what was read;
     * ops beyond that are shown without attributes. Thirty open formats that change at every character are within it.
     */
    private static final int FREE_COST = 1 << 16;

    private static final int COST_FACTOR = 16;

    /** What an attribute counts beyond its key and value. */
    private static final int ATTRIBUTE_COST = 24;

    /** Text, or the struct of an embed or type; attributes by key name, each the place of its value in the blob. */
    static final class Op {
        final StringBuilder text;
        final int struct;
        final Map<Integer, Integer> attributes;

        private Op(StringBuilder text, int struct, Map<Integer, Integer> attributes) {
            this.text = text;
            this.struct = struct;
            this.attributes = attributes;
        }
    }

    private final StructStore store;
    private final List<Op> ops = new ArrayList<>();
    private final Map<Integer, Integer> current = new LinkedHashMap<>();
    private long currentCost;
    private long allowed = FREE_COST;

    private DeltaView(StructStore store) {
        this.store = store;
    }

    /** One op per stretch between visible formats, as Yjs' {@code toDelta} cuts them. */
    static List<Op> cut(StructStore store, int type) {
        DeltaView view = new DeltaView(store);
        view.read(type);
        return view.ops;
    }

    /** The same, with neighbouring texts of equal attributes joined. */
    static List<Op> joined(StructStore store, int type) {
        List<Op> joined = new ArrayList<>();
        for (Op op : cut(store, type)) {
            Op last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null && last.text != null && op.text != null && equal(store, last.attributes, op.attributes)) {
                last.text.append(op.text);
            } else {
                joined.add(op);
            }
        }
        return joined;
    }

    private void read(int type) {
        StringBuilder text = null;
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (store.isDeleted(s)) {
                continue;
            }
            switch (store.kind(s)) {
                case Kind.STRING -> {
                    if (text == null) {
                        text = new StringBuilder();
                        ops.add(new Op(text, StructStore.NONE, attributes()));
                    }
                    allowed += (long) COST_FACTOR * store.length.get(s);
                    store.contents.units.appendTo(text, store.content[s], store.length.get(s));
                }
                case Kind.EMBED, Kind.TYPE -> {
                    text = null;
                    allowed += COST_FACTOR;
                    ops.add(new Op(null, s, attributes()));
                }
                case Kind.FORMAT -> {
                    text = null;
                    format(s);
                }
                default -> {}
            }
        }
    }

    private Map<Integer, Integer> attributes() {
        if (current.isEmpty() || currentCost > allowed) {
            return new LinkedHashMap<>();
        }
        allowed -= currentCost;
        return new LinkedHashMap<>(current);
    }

    private void format(int s) {
        int key = store.formatKey(s);
        int at = store.content[s];
        allowed += COST_FACTOR * cost(key, at);
        boolean none = (store.contents.blob[at] & 0xff) == AnyValue.NULL;
        Integer before = none ? current.remove(key) : current.put(key, at);
        currentCost += none ? 0 : cost(key, at);
        currentCost -= before == null ? 0 : cost(key, before);
    }

    private long cost(int key, int at) {
        return ATTRIBUTE_COST + store.names.get(key).length() + (long) (AnyValue.end(store.contents.blob, at) - at);
    }

    private static boolean equal(StructStore store, Map<Integer, Integer> a, Map<Integer, Integer> b) {
        if (!a.keySet().equals(b.keySet())) {
            return false;
        }
        byte[] blob = store.contents.blob;
        for (Map.Entry<Integer, Integer> entry : a.entrySet()) {
            int at = entry.getValue();
            int other = b.get(entry.getKey());
            if (!Arrays.equals(blob, at, AnyValue.end(blob, at), blob, other, AnyValue.end(blob, other))) {
                return false;
            }
        }
        return true;
    }
}
