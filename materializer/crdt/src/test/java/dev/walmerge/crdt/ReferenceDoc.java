package dev.walmerge.crdt;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The twin of {@link Doc}: as slow and as obvious as can be. One object a unit, no runs; a type is a plain list and a plain
 * list for each key; what waits is tried again until nothing moves; nothing is ever freed.
 *
 * <p>The order is decided by comparing positions of origins in the list, as the paper draws it (Nicolaescu et al., 2016:
 * lines from items to their origins don't cross; of items with one origin the lower client comes first) with what Yjs 13
 * adds for right origins. {@link Integrator} does it otherwise, by what its scan has passed.
 */
final class ReferenceDoc {
    /** What a unit says of its place. A root's name, or the item that holds the type, and the key: when it has no origins. */
    record Place(Id origin, Id rightOrigin, String root, Id holder, String key) {
        static final Place NOWHERE = new Place(null, null, null, null, null);

        /** That of the next unit of one struct. */
        Place behind(Id before) {
            return equals(NOWHERE) ? this : new Place(before, rightOrigin, null, null, null);
        }
    }

    enum Kind {
        GC,
        DELETED,
        TEXT,
        VALUE,
        EMBED,
        FORMAT,
        TYPE
    }

    /** A text has one UTF-16 unit as value; a format has its key as name, an XML element or hook its own. */
    record Content(Kind kind, JsonNode value, String name, int typeRef) {
        static final Content GC = new Content(Kind.GC, null, null, 0);
        static final Content DELETED = new Content(Kind.DELETED, null, null, 0);

        static Content text(int unit) {
            return new Content(Kind.TEXT, TextNode.valueOf(String.valueOf((char) unit)), null, 0);
        }

        static Content value(JsonNode value) {
            return new Content(Kind.VALUE, value, null, 0);
        }

        static Content embed(JsonNode value) {
            return new Content(Kind.EMBED, value, null, 0);
        }

        static Content format(String key, JsonNode value) {
            return new Content(Kind.FORMAT, value, key, 0);
        }

        static Content type(int ref, String name) {
            return new Content(Kind.TYPE, null, name, ref);
        }

        char unit() {
            return kind == Kind.TEXT ? value.textValue().charAt(0) : 0;
        }
    }

    /** One unit. Without a parent it is collected: its place is unknown. */
    static final class Unit {
        final Id id;
        final Place place;
        Content content;
        Type parent;
        String key;
        boolean deleted;

        /** The type it holds, if any. */
        Type type;

        Unit(Id id, Place place, Content content) {
            this.id = id;
            this.place = place;
            this.content = content;
        }
    }

    static final class Type {
        /** Null: a root. */
        final Unit holder;

        final List<Unit> list = new ArrayList<>();

        /** The last one of a chain is the value of the key. */
        final Map<String, List<Unit>> chains = new TreeMap<>();

        Type(Unit holder) {
            this.holder = holder;
        }

        List<Unit> listOf(String key) {
            return key == null ? list : chains.computeIfAbsent(key, k -> new ArrayList<>());
        }
    }

    private final Map<Id, Unit> units = new LinkedHashMap<>();
    private final TreeMap<Long, Integer> state = new TreeMap<>();
    private final Map<String, Type> roots = new TreeMap<>();
    private final List<Unit> waiting = new ArrayList<>();
    private final Set<Id> waitingDeletes = new HashSet<>();
    private boolean changed;

    /** Merges updates as if they were one; the bits of {@link Doc#apply}. */
    int apply(List<byte[]> updates) {
        changed = false;
        Set<Id> named = new HashSet<>();
        List<Unit> fresh = new ArrayList<>();
        for (byte[] bytes : updates) {
            ReferenceReader.Update update = ReferenceReader.update(bytes);
            fresh.addAll(update.units());
            waitingDeletes.addAll(update.deletes());
            update.units().forEach(unit -> named.add(unit.id));
            named.addAll(update.deletes());
        }
        // An id may have come with a whole pair and with halves of it; then it matters, as in Yjs, what is tried first.
        integrateReady(fresh);
        waiting.addAll(fresh);
        integrateReady(waiting);
        for (Id id : List.copyOf(waitingDeletes)) {
            if (units.containsKey(id)) {
                waitingDeletes.remove(id);
                cutBefore(id);
                cutBefore(new Id(id.client(), id.clock() + 1));
                delete(units.get(id));
            }
        }
        boolean parked = named.stream().anyMatch(id -> !units.containsKey(id));
        return (changed ? Doc.CHANGED : 0) | (parked ? Doc.PARKED : 0);
    }

    /** Integrates, by clock, what is ready or becomes so; the rest is left. */
    private void integrateReady(List<Unit> some) {
        some.sort(Comparator.comparingInt(unit -> unit.id.clock()));
        for (boolean moved = true; moved; ) {
            moved = false;
            List<Unit> tried = List.copyOf(some);
            some.clear();
            for (Unit unit : tried) {
                if (units.containsKey(unit.id)) {
                    continue;
                }
                if (isReady(unit)) {
                    integrate(unit);
                    moved = true;
                } else {
                    some.add(unit);
                }
            }
        }
    }

    private boolean isReady(Unit unit) {
        Place place = unit.place;
        return unit.id.clock() == state.getOrDefault(unit.id.client(), 0)
                && isHere(place.origin)
                && isHere(place.rightOrigin)
                && isHere(place.holder);
    }

    private boolean isHere(Id id) {
        return id == null || units.containsKey(id);
    }

    private void integrate(Unit unit) {
        changed = true;
        units.put(unit.id, unit);
        state.put(unit.id.client(), unit.id.clock() + 1);
        repairHalf(unit);
        if (unit.place.origin != null && !unit.place.origin.equals(before(unit.id))) {
            cutBefore(new Id(unit.place.origin.client(), unit.place.origin.clock() + 1));
        }
        if (unit.place.rightOrigin != null) {
            cutBefore(unit.place.rightOrigin);
        }
        Unit left = units.get(unit.place.origin);
        Unit right = units.get(unit.place.rightOrigin);
        settleParent(unit, left, right);
        if (unit.parent == null) {
            unit.content = Content.GC;
            unit.deleted = true;
            return;
        }
        List<Unit> list = unit.parent.listOf(unit.key);
        list.add(position(unit, list, left, right), unit);
        if (unit.content.kind == Kind.TYPE) {
            unit.type = new Type(unit);
        }
        boolean orphan = unit.parent.holder != null && unit.parent.holder.deleted;
        if (unit.content.kind == Kind.DELETED || orphan) {
            delete(unit);
        }
        if (unit.key != null) {
            list.subList(0, list.size() - 1).forEach(this::delete);
        }
    }

    /** A root, what an item holds, or where the neighbours are; none when one of those is collected. */
    private void settleParent(Unit unit, Unit left, Unit right) {
        boolean collected = unit.content.kind == Kind.GC
                || (left != null && left.parent == null)
                || (right != null && right.parent == null);
        if (collected) {
            return;
        }
        if (unit.place.root != null) {
            unit.parent = roots.computeIfAbsent(unit.place.root, name -> new Type(null));
            unit.key = unit.place.key;
        } else if (unit.place.holder != null) {
            unit.parent = units.get(unit.place.holder).type;
            unit.key = unit.place.key;
        } else {
            Unit neighbour = left != null ? left : right;
            unit.parent = neighbour.parent;
            unit.key = neighbour.key;
        }
    }

    /** Where a unit goes, between its origins: behind all that must come before it. */
    private int position(Unit unit, List<Unit> list, Unit left, Unit right) {
        int origin = list.indexOf(left);
        int position = origin + 1;
        for (int i = origin + 1; i < list.size() && list.get(i) != right; i++) {
            Unit other = list.get(i);
            int otherOrigin = list.indexOf(units.get(other.place.origin));
            if (otherOrigin < origin) {
                break; // its line to its origin encloses ours: we are left of it
            }
            if (otherOrigin == origin) {
                if (other.id.client() < unit.id.client()) {
                    position = i + 1;
                } else if (sameRightOrigin(other, unit)) {
                    break;
                }
            } else if (otherOrigin < position) {
                position = i + 1; // it goes where its origin went
            }
        }
        return position;
    }

    private static boolean sameRightOrigin(Unit a, Unit b) {
        return a.place.rightOrigin == null
                ? b.place.rightOrigin == null
                : a.place.rightOrigin.equals(b.place.rightOrigin);
    }

    /** A type takes all that is in it along. */
    private void delete(Unit unit) {
        if (unit.deleted) {
            return;
        }
        unit.deleted = true;
        changed = true;
        if (unit.type != null) {
            unit.type.list.forEach(this::delete);
            unit.type.chains.values().forEach(chain -> chain.forEach(this::delete));
        }
    }

    /** Something refers to the border before this unit. Half a pair can't be written, so both halves are given up. */
    private void cutBefore(Id id) {
        Unit right = units.get(id);
        Unit left = units.get(before(id));
        if (left != null && right != null && Character.isHighSurrogate(left.content.unit())) {
            left.content = Content.text(0xfffd);
            right.content = Content.text(0xfffd);
        }
    }

    /** The other half was given up by whoever sent it. */
    private void repairHalf(Unit unit) {
        Unit left = units.get(before(unit.id));
        boolean pair = left != null && Character.isHighSurrogate(left.content.unit());
        if (Character.isLowSurrogate(unit.content.unit()) && !pair) {
            unit.content = Content.text(0xfffd);
        }
    }

    private static Id before(Id id) {
        return new Id(id.client(), id.clock() - 1);
    }

    /** The root of that name, empty if nothing was ever put in. */
    Type root(String name) {
        return roots.getOrDefault(name, new Type(null));
    }

    Map<String, Type> roots() {
        return roots;
    }

    Map<Long, Integer> stateVector() {
        return state;
    }

    Set<Id> ids() {
        return units.keySet();
    }

    Unit unit(Id id) {
        return units.get(id);
    }

    Set<Id> deletes() {
        Set<Id> deletes = new HashSet<>();
        for (Unit unit : units.values()) {
            if (unit.deleted) {
                deletes.add(unit.id);
            }
        }
        return deletes;
    }

    /** The ids of structs that wait. */
    Set<Id> waiting() {
        Set<Id> ids = new HashSet<>();
        waiting.forEach(unit -> ids.add(unit.id));
        return ids;
    }

    boolean waits() {
        return !waiting.isEmpty() || !waitingDeletes.isEmpty();
    }

    /** The ids that wait to be deleted. */
    Set<Id> waitingDeletes() {
        return Set.copyOf(waitingDeletes);
    }
}
