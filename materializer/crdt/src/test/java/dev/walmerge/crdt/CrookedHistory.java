package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Structs that meet at a few places, mostly by clients that come upwards, and such as no editor makes: nearly the same origins, right
 * origins anywhere, a client twice at one place. Each refers only to what was made before it, and by way of the gate to types that
 * can be withheld.
 */
final class CrookedHistory {
    /** Two arrays, and two keys of a map. */
    static final int LISTS = 4;

    private static final int ROOT = -1;
    private static final int ARRAYS = 2;
    private static final long GATE = 1;
    private static final int BASE = 3;

    /** @param list where it is when it has no origins; {@link #ROOT} needs no gate */
    record Item(Id id, int length, int kind, Id origin, Id right, int list) {
        /** A character. */
        static Item of(long client, int clock, Id origin, Id right) {
            return new Item(new Id(client, clock), 1, Kind.STRING, origin, right, ROOT);
        }

        int end() {
            return id.clock() + length;
        }

        Id last() {
            return new Id(id.client(), end() - 1);
        }
    }

    /** What a place is: origins, or a list. */
    private record Place(Id origin, Id right, int list) {}

    final List<Item> items = new ArrayList<>();

    /** Of items and of what the gate made. */
    final Set<Id> deletes = new TreeSet<>(
            (a, b) -> a.client() == b.client() ? a.clock() - b.clock() : Long.compare(a.client(), b.client()));

    /** Whether all structs of a client were made in one go. */
    final boolean inOneGo;

    private final Random random;
    private final Item base;
    private final Map<Long, Integer> next = new LinkedHashMap<>();
    private final Map<Id, Integer> listOf = new LinkedHashMap<>();
    private final List<Id> units = new ArrayList<>();
    private final Place[] hot;
    private long highest = 100;

    CrookedHistory(long seed) {
        random = Seeds.of(seed, 0);
        inOneGo = random.nextBoolean();
        hot = new Place[1 + random.nextInt(2)];
        int length = 1 + random.nextInt(4);
        next.put(GATE, BASE);
        add(GATE, new Place(null, null, 0), length, Kind.STRING);
        base = items.remove(0);
        for (int i = 0; i < hot.length; i++) {
            hot[i] = anywhere();
        }
        int count = 5 + random.nextInt(random.nextInt(8) == 0 ? 120 : 30);
        int strange = 2 + random.nextInt(12);
        for (int i = 0; i < count; i++) {
            step(strange);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            Id first = units.get(random.nextInt(units.size()));
            for (int n = random.nextInt(4); n >= 0 && first.clock() + n < next.get(first.client()); n--) {
                deletes.add(new Id(first.client(), first.clock() + n));
            }
        }
        if (random.nextInt(4) == 0) {
            deletes.add(new Id(GATE, 1 + random.nextInt(2)));
        }
    }

    private void step(int strange) {
        int h = random.nextInt(hot.length);
        if (random.nextInt(strange) > 0) {
            do {
                highest += 1 + random.nextInt(3);
            } while (next.containsKey(highest));
            add(highest, hot[h], 1 + random.nextInt(random.nextInt(3) == 0 ? 4 : 1), kind());
            return;
        }
        int length = 1 + random.nextInt(4);
        switch (random.nextInt(11)) {
            case 0 -> hot[h] = anywhere();
            case 1 -> hot[h] = new Place(hot[h].origin, random.nextBoolean() ? null : unit(), hot[h].list);
            case 2 -> add(writer(), new Place(hot[h].origin, unit(), hot[h].list), length, kind());
            case 3 -> add(writer(), new Place(unit(), hot[h].right, hot[h].list), length, kind());
            case 4, 5 -> add(writer(), hot[h], length, kind());
            case 6 -> add(writer(), new Place(recent(), null, 0), length, kind());
            case 7 ->
                add(writer(), new Place(recent(), random.nextBoolean() ? hot[h].right : unit(), 0), length, kind());
            case 8 -> goOn(length);
            case 9 -> add(writer(), new Place(unit(), recent(), 0), length, kind());
            default -> add(writer(), anywhere(), length, kind());
        }
    }

    /** The newest of a client grows. */
    private void goOn(int length) {
        if (items.isEmpty()) {
            return;
        }
        Item of = items.get(items.size() - 1 - (inOneGo ? 0 : random.nextInt(Math.min(4, items.size()))));
        if (of.end() == next.get(of.id.client())) {
            add(of.id.client(), new Place(of.last(), of.right, of.list), length, of.kind);
        }
    }

    private void add(long client, Place place, int length, int kind) {
        Id id = new Id(client, next.getOrDefault(client, 0));
        Id neighbour = place.origin != null ? place.origin : place.right;
        int list = neighbour == null ? place.list : listOf.get(neighbour);
        boolean text = kind == Kind.STRING && list >= ARRAYS;
        Item item = new Item(id, length, text ? Kind.ANY : kind, place.origin, place.right, list);
        items.add(item);
        next.put(client, item.end());
        for (int i = 0; i < length; i++) {
            Id unit = new Id(client, id.clock() + i);
            units.add(unit);
            listOf.put(unit, list);
        }
    }

    private long writer() {
        if (random.nextInt(3) == 0 && !inOneGo && !items.isEmpty()) {
            return items.get(random.nextInt(items.size())).id.client();
        }
        if (random.nextInt(3) == 0 && !items.isEmpty()) {
            return items.get(items.size() - 1).id.client();
        }
        long client = 2L + random.nextInt((int) highest + 10);
        while (next.containsKey(client)) {
            client++;
        }
        return client;
    }

    private int kind() {
        int kind = random.nextInt(8);
        return kind == 0 ? Kind.DELETED : kind == 1 ? Kind.ANY : Kind.STRING;
    }

    private Place anywhere() {
        int choice = random.nextInt(6);
        Id origin = choice > 1 ? unit() : null;
        Id right = choice == 1 || choice == 2 ? unit() : null;
        return new Place(origin, right, random.nextInt(LISTS));
    }

    private Id unit() {
        return units.get(random.nextInt(units.size()));
    }

    private Id recent() {
        return units.get(units.size() - 1 - random.nextInt(Math.min(8, units.size())));
    }

    /** The types and a text in the first array, which all the rest waits for. */
    byte[] gate() {
        WireBytes structs = new WireBytes();
        structs.u8(Kind.TYPE).number(1).string("a").number(TypeRef.ARRAY);
        structs.u8(Kind.TYPE | StructBuffer.HAS_ORIGIN).id(new Id(GATE, 0)).number(TypeRef.ARRAY);
        structs.u8(Kind.TYPE | StructBuffer.HAS_ORIGIN).id(new Id(GATE, 1)).number(TypeRef.MAP);
        structs.raw(bytes(base));
        return WireBytes.update(GATE, 0, 4, structs, Set.of());
    }

    byte[] deletion() {
        return WireBytes.update(0, 0, 0, new WireBytes(), deletes);
    }

    static byte[] update(Item item) {
        return WireBytes.update(item.id.client(), item.id.clock(), 1, bytes(item), Set.of());
    }

    /** Some items in one update, with a Skip over what is missing between two of a client. */
    static byte[] together(Collection<Item> some) {
        Map<Long, List<Item>> byClient = new LinkedHashMap<>();
        some.forEach(item -> byClient.computeIfAbsent(item.id.client(), c -> new ArrayList<>())
                .add(item));
        WireBytes out = new WireBytes().number(byClient.size());
        byClient.forEach((client, own) -> {
            own.sort((a, b) -> a.id.clock() - b.id.clock());
            WireBytes structs = new WireBytes();
            int count = 0;
            int end = own.get(0).id.clock();
            for (Item item : own) {
                if (item.id.clock() > end) {
                    structs.u8(Kind.SKIP).number(item.id.clock() - end);
                    count++;
                }
                structs.raw(bytes(item));
                count++;
                end = item.end();
            }
            out.number(count).number(client).number(own.get(0).id.clock()).raw(structs);
        });
        return out.number(0).bytes();
    }

    private static WireBytes bytes(Item item) {
        WireBytes out = new WireBytes();
        boolean placed = item.origin != null || item.right != null;
        boolean sub = !placed && item.list >= ARRAYS;
        out.u8(item.kind
                | (item.origin != null ? StructBuffer.HAS_ORIGIN : 0)
                | (item.right != null ? StructBuffer.HAS_RIGHT_ORIGIN : 0)
                | (sub ? StructBuffer.HAS_SUB : 0));
        if (item.origin != null) {
            out.id(item.origin);
        }
        if (item.right != null) {
            out.id(item.right);
        }
        if (!placed && item.list == ROOT) {
            out.number(1).string("a");
        } else if (!placed) {
            out.number(0).id(holder(item.list));
            if (sub) {
                out.string(key(item.list));
            }
        }
        if (item.kind == Kind.DELETED) {
            return out.number(item.length);
        }
        if (item.kind == Kind.ANY) {
            out.number(item.length);
            for (int i = 0; i < item.length; i++) {
                out.u8(AnyValue.INTEGER).integer(item.id.client() * 100 + item.id.clock() + i);
            }
            return out;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < item.length; i++) {
            text.append((char) (0x100 + item.id.client() * 16 % 0x8000 + item.id.clock() + i));
        }
        return out.string(text.toString());
    }

    static Id holder(int list) {
        return new Id(GATE, Math.min(list, 2));
    }

    static String key(int list) {
        return list < ARRAYS ? null : "k" + list;
    }

    /** Whether a right origin lies in what its writer wrote before the origin, which cuts what the item is to go behind. */
    boolean cutsItsOrigin() {
        for (Item item : items) {
            if (item.origin != null
                    && item.right != null
                    && item.origin.client() == item.right.client()
                    && item.right.clock() <= item.origin.clock()) {
                return true;
            }
        }
        return false;
    }

    List<Item> shuffled(long seed) {
        List<Item> shuffled = new ArrayList<>(items);
        Collections.shuffle(shuffled, Seeds.of(seed, 1));
        return shuffled;
    }
}
