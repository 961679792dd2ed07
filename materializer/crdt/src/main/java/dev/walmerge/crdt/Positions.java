package dev.walmerge.crdt;

/** Turns indexes into ids and back: by the list's index where edits set one up, else by a walk. */
final class Positions {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;

    Positions(StructStore store) {
        this.store = store;
    }

    /** NONE when nothing was ever put in it. */
    int root(String name) {
        int found = store.names.find(name);
        return found == Names.NONE ? NONE : store.types.findRoot(found);
    }

    int nested(Id holder) {
        int s = struct(holder);
        return s != NONE && store.kind(s) == Kind.TYPE ? store.content[s] : NONE;
    }

    private int struct(Id id) {
        int c = store.clients.find(id.client());
        return c == ClientTable.NONE || id.clock() >= store.clients.state[c] ? NONE : store.find(c, id.clock());
    }

    private boolean counts(int s) {
        return !store.isDeleted(s) && Kind.countable(store.kind(s));
    }

    /** The unit a position sticks to; null when that is an end of the type. */
    Id itemAt(int type, int index, int assoc) {
        if (index < 0) {
            throw new IndexOutOfBoundsException("index " + index);
        }
        if (type == NONE || (assoc < 0 && index == 0)) {
            return null;
        }
        int left = assoc < 0 ? index - 1 : index;
        if (indexed(type) && left < store.order.length(type)) {
            store.order.seek(type, left);
            return id(store.order.row, left - store.order.start);
        }
        for (int s = store.types.start[type]; s != NONE; s = store.right[s]) {
            if (counts(s)) {
                if (store.length.get(s) > left) {
                    return id(s, left);
                }
                left -= store.length.get(s);
            }
            if (assoc < 0 && store.right[s] == NONE) {
                return id(s, store.length.get(s) - 1);
            }
        }
        return null;
    }

    private boolean indexed(int type) {
        return store.order != null && store.order.covers(type);
    }

    /** The visible units before an item of a list. */
    private int before(int s) {
        if (store.parentSub.get(s) == NONE && indexed(store.parent.get(s))) {
            return store.order.unitsBefore(s);
        }
        int before = 0;
        for (int left = store.left(s); left != NONE; left = store.left(left)) {
            before += counts(left) ? store.length.get(left) : 0;
        }
        return before;
    }

    private Id id(int s, int offset) {
        return new Id(store.clients.id[store.client.get(s)], store.clock[s] + offset);
    }

    AbsolutePosition resolve(RelativePosition position) {
        int assoc = position.assoc();
        if (position.item() != null) {
            return besideItem(position.item(), assoc);
        }
        int type = position.root() != null ? root(position.root()) : nested(position.type());
        if (type == NONE) {
            return position.root() != null ? new AbsolutePosition(position.root(), null, 0, assoc) : null;
        }
        return new AbsolutePosition(
                position.root(), position.type(), assoc < 0 ? 0 : TextView.length(store, type), assoc);
    }

    private AbsolutePosition besideItem(Id item, int assoc) {
        int s = struct(item);
        if (s == NONE || store.isGc(s)) {
            return null;
        }
        int holder = store.types.item[store.parent.get(s)];
        int index = 0;
        if (holder == NONE || !store.isDeleted(holder)) {
            index = counts(s) ? item.clock() - store.clock[s] + (assoc < 0 ? 1 : 0) : 0;
            index += before(s);
        }
        return holder == NONE
                ? new AbsolutePosition(store.names.get(store.types.name[store.parent.get(s)]), null, index, assoc)
                : new AbsolutePosition(null, id(holder, 0), index, assoc);
    }
}
