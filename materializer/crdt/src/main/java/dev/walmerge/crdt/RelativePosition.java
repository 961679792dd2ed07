package dev.walmerge.crdt;

/**
 * A place in a shared type that stays where it is while others edit, such as a cursor: next to a unit, or at an end of the
 * type. Exactly one of {@code item}, {@code root} and {@code type} is there.
 *
 * @param item the unit it sticks to
 * @param root the root type at whose end it is, or at whose start if {@code assoc < 0}
 * @param type the same for a nested type: the item that holds it
 * @param assoc negative: it sticks to the unit before it, else to the one behind
 */
public record RelativePosition(Id item, String root, Id type, int assoc) {
    private static final int AT_ITEM = 0;
    private static final int AT_ROOT = 1;
    private static final int AT_TYPE = 2;

    public RelativePosition {
        if ((item != null ? 1 : 0) + (root != null ? 1 : 0) + (type != null ? 1 : 0) != 1) {
            throw new IllegalArgumentException("a position has one of item, root and type");
        }
    }

    /**
     * The position before the visible unit {@code index} of a root; one beyond the end is the end, as in Yjs.
     *
     * @throws IndexOutOfBoundsException when the index is negative
     */
    public static RelativePosition of(Doc doc, String root, int index, int assoc) {
        Positions positions = new Positions(doc.store());
        Id item = positions.itemAt(positions.root(root), index, assoc);
        return new RelativePosition(item, item == null ? root : null, null, assoc);
    }

    /** The same in a nested type, named by the item that holds it; null when there is none, whatever the index. */
    public static RelativePosition of(Doc doc, Id type, int index, int assoc) {
        Positions positions = new Positions(doc.store());
        int found = positions.nested(type);
        if (found == StructStore.NONE) {
            return null;
        }
        Id item = positions.itemAt(found, index, assoc);
        return new RelativePosition(item, null, item == null ? type : null, assoc);
    }

    /** Where it is now; null when the document doesn't know the place, or has collected it. */
    public AbsolutePosition in(Doc doc) {
        return new Positions(doc.store()).resolve(this);
    }

    /** As Yjs' {@code encodeRelativePosition}. */
    public byte[] encode() {
        ByteWriter out = new ByteWriter();
        if (item != null) {
            out.varUint(AT_ITEM);
            id(out, item);
        } else if (root != null) {
            out.varUint(AT_ROOT);
            out.string(root);
        } else {
            out.varUint(AT_TYPE);
            id(out, type);
        }
        out.varInt(Math.abs((long) assoc), assoc < 0);
        return out.toBytes();
    }

    private static void id(ByteWriter out, Id id) {
        out.varUint(id.client());
        out.varUint(id.clock());
    }

    /**
     * Reads what {@link #encode} or Yjs wrote.
     *
     * @throws MalformedUpdateException when it can't be read
     */
    public static RelativePosition decode(byte[] bytes) throws MalformedUpdateException {
        ByteReader in = new ByteReader().reset(bytes, 0, 0, bytes.length);
        long form = in.varUint();
        if (form > AT_TYPE) {
            throw in.faultAt("unknown-position", 0);
        }
        String root = form == AT_ROOT ? in.string() : null;
        Id id = form == AT_ROOT ? null : new Id(in.varUint(), in.clock());
        int at = in.pos();
        long assoc = in.atEnd() ? 0 : in.varInt();
        if (Math.abs(assoc) > Integer.MAX_VALUE) {
            throw in.faultAt("varint-overflow", at);
        }
        if (!in.atEnd()) {
            throw in.fault("trailing-bytes");
        }
        return new RelativePosition(form == AT_ITEM ? id : null, root, form == AT_TYPE ? id : null, (int) assoc);
    }
}
