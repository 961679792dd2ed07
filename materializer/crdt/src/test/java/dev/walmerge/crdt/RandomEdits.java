package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Clients that edit at once, over all kinds of content, each edit written as one update of version 1. Any gap between units
 * may be written into, so it is wilder than Yjs' own types: beside tombstones, within surrogate pairs.
 *
 * <p>Each step draws from numbers of its own. A step left out leaves the others as they are, as far as they can be; so a
 * failing history is made smaller.
 */
final class RandomEdits {
    /** Root names and the kind of type that is edited in each. */
    private static final Map<String, Integer> ROOTS = Map.of("t", 2, "m", 1, "a", 0, "x", 4, "", 2, "ключ\0", 1);

    private static final List<String> ROOT_NAMES =
            ROOTS.keySet().stream().sorted().toList();

    private static final List<String> TEXTS = List.of(
            "a",
            "bc",
            "x",
            "\uD83D\uDE00",
            "d\uD83D\uDE00\uD83D\uDC4D\uD83C\uDFFDe",
            "\n",
            "e\u0301",
            "\0",
            "\uFFFD",
            "\uFEFFq",
            "\u05D0\u202E",
            "lorem ipsum");

    private static final List<String> KEYS = List.of("k", "k2", "", "__proto__", "\uD83D\uDE00", "7");

    private static final long[] CLIENTS = {
        1, 2, 127, 128, 3_000_000_000L, Limits.CLIENT_LAST, Limits.CLIENT_LAST - 1, 77
    };

    /** A type that can be edited: a root by name, or what an item holds. */
    private record Target(ReferenceDoc.Type type, String root, int ref) {}

    private static final class Client {
        final ReferenceDoc doc = new ReferenceDoc();
        final Set<Integer> has = new HashSet<>();
        final long id;

        Client(long id) {
            this.id = id;
        }
    }

    private final SortedMap<Integer, byte[]> updates = new TreeMap<>();
    private final List<Client> clients = new ArrayList<>();

    /** Whether all write at the front of one text, so that nearly every insert is in conflict with others. */
    private final boolean crowded;

    // The edit that is being made.
    private Random random;
    private Client client;
    private int structs;
    private WireBytes written;

    /** The content of the struct that is being made without its last units; null when it has but one. */
    private WireBytes shorter;

    private byte[] beginning;
    private Set<Id> deleted;

    private RandomEdits(long seed) {
        Random choice = Seeds.of(seed, -1);
        crowded = choice.nextInt(4) == 0;
        int count = crowded ? 6 : 2 + choice.nextInt(4);
        int from = choice.nextInt(CLIENTS.length);
        for (int i = 0; i < count; i++) {
            clients.add(new Client(CLIENTS[(from + i) % CLIENTS.length]));
        }
    }

    /**
     * The updates of the steps: that of step n at 2 n + 1, and at 2 n sometimes one of only the first units of its first
     * struct, as another replica might have had it.
     */
    static SortedMap<Integer, byte[]> history(long seed, List<Integer> steps) {
        RandomEdits edits = new RandomEdits(seed);
        for (int step : steps) {
            edits.step(step, Seeds.of(seed, step));
        }
        return edits.updates;
    }

    private void step(int step, Random of) {
        random = of;
        client = pick(clients);
        Client other = pick(clients);
        if (random.nextInt(5) < 2) {
            for (int known : List.copyOf(other.has)) {
                if (client.has.add(known)) {
                    client.doc.apply(List.of(updates.get(known)));
                }
            }
        }
        structs = 0;
        beginning = null;
        written = new WireBytes();
        deleted = new LinkedHashSet<>();
        int clock = client.doc.stateVector().getOrDefault(client.id, 0);
        for (int i = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 1; i > 0; i--) {
            edit(crowded ? new Target(client.doc.root("t"), "t", 2) : pick(targets()));
        }
        if (structs > 0 || !deleted.isEmpty()) {
            byte[] update = WireBytes.update(client.id, clock, structs, written, deleted);
            updates.put(2 * step + 1, update);
            client.has.add(2 * step + 1);
            if (beginning != null) {
                updates.put(2 * step, beginning);
            }
        }
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (String name : ROOT_NAMES) {
            targets.add(new Target(client.doc.root(name), name, ROOTS.get(name)));
        }
        for (Id id : client.doc.ids()) {
            ReferenceDoc.Unit unit = client.doc.unit(id);
            if (unit.type != null && !unit.deleted) {
                targets.add(new Target(unit.type, null, unit.content.typeRef()));
            }
        }
        return targets;
    }

    private void edit(Target target) {
        // Nothing sets keys of a nested fragment, and one that has some is shown as what Yjs 14 may have meant.
        boolean never = target.ref == 0 || (target.ref == 4 && target.root == null);
        boolean keyed = target.ref == 1 || target.ref == 5 || (!never && random.nextInt(4) == 0);
        if (keyed) {
            String key = pick(KEYS);
            List<ReferenceDoc.Unit> chain = target.type.chains.getOrDefault(key, List.of());
            ReferenceDoc.Unit last = chain.isEmpty() ? null : chain.get(chain.size() - 1);
            if (last != null && random.nextInt(3) == 0) {
                delete(List.of(last));
            } else {
                insert(target, key, last, null, false);
            }
            return;
        }
        List<ReferenceDoc.Unit> list = target.type.list;
        int gap = random.nextInt(crowded ? Math.min(4, list.size() + 1) : list.size() + 1);
        if (!list.isEmpty() && random.nextInt(10) < 3) {
            delete(list.subList(Math.min(gap, list.size() - 1), Math.min(list.size(), gap + 1 + random.nextInt(9))));
            return;
        }
        insert(target, null, gap == 0 ? null : list.get(gap - 1), gap == list.size() ? null : list.get(gap), true);
    }

    private void delete(List<ReferenceDoc.Unit> units) {
        Set<Id> ids = new LinkedHashSet<>();
        units.forEach(unit -> ids.add(unit.id));
        deleted.addAll(ids);
        client.doc.apply(List.of(WireBytes.update(client.id, 0, 0, new WireBytes(), ids)));
    }

    private void insert(Target at, String key, ReferenceDoc.Unit left, ReferenceDoc.Unit right, boolean inList) {
        shorter = null;
        WireBytes content = new WireBytes();
        int kind = content(content, at.ref, inList);
        WireBytes struct = new WireBytes();
        struct.u8(kind | (left != null ? 0x80 : 0) | (right != null ? 0x40 : 0) | (key != null ? 0x20 : 0));
        if (left != null) {
            struct.id(left.id);
        }
        if (right != null) {
            struct.id(right.id);
        }
        if (left == null && right == null) {
            struct.number(at.root != null ? 1 : 0);
            if (at.root != null) {
                struct.string(at.root);
            } else {
                struct.id(at.type.holder.id);
            }
            if (key != null) {
                struct.string(key);
            }
        }
        if (structs == 0 && shorter != null && random.nextInt(3) == 0) {
            int clock = client.doc.stateVector().getOrDefault(client.id, 0);
            WireBytes begun = new WireBytes().raw(struct).raw(shorter);
            beginning = WireBytes.update(client.id, clock, 1, begun, Set.of());
        }
        struct.raw(content);
        write(struct);
        if (kind == 1 && random.nextBoolean()) {
            // A type made and deleted in one transaction: what was in it is collected.
            write(new WireBytes().u8(0).number(1 + random.nextInt(4)));
        }
    }

    private void write(WireBytes struct) {
        int clock = client.doc.stateVector().getOrDefault(client.id, 0);
        client.doc.apply(List.of(WireBytes.update(client.id, clock, 1, struct, Set.of())));
        written.raw(struct);
        structs++;
    }

    /** Writes content that fits the type and returns its number. */
    private int content(WireBytes out, int ref, boolean inList) {
        int choice = random.nextInt(100);
        if (choice < 4) {
            out.number(inList ? 1 + random.nextInt(4) : 1);
            return 1;
        }
        if (choice < 16) {
            return type(out, ref == 4 || ref == 3 ? List.of(3, 5, 6) : List.of(0, 1, 2, 3, 4, 5, 6));
        }
        if (inList && (ref == 3 || ref == 4)) {
            return type(out, List.of(3, 5, 6));
        }
        if (inList && (ref == 2 || ref == 6)) {
            return text(out, choice);
        }
        return value(out, choice, inList ? 1 + random.nextInt(4) : 1);
    }

    private int type(WireBytes out, List<Integer> refs) {
        int ref = pick(refs);
        out.number(ref);
        if (ref == 3 || ref == 5) {
            out.string(pick(List.of("P", "", "mention")));
        }
        return 7;
    }

    private int text(WireBytes out, int choice) {
        if (choice < 22) {
            out.string(pick(List.of("{\"image\":\"i.png\"}", "1", "[null,2.5]")));
            return 5;
        }
        if (choice < 45) {
            out.string(pick(List.of("b", "color", "")));
            out.string(pick(List.of("true", "null", "null", "\"red\"", "{\"r\":1,\"a\":[]}")));
            return 6;
        }
        String text = pick(TEXTS);
        out.string(text);
        if (text.length() > 1) {
            int cut = 1 + random.nextInt(text.length() - 1);
            boolean half = Character.isHighSurrogate(text.charAt(cut - 1));
            shorter = new WireBytes().string(half ? text.substring(0, cut - 1) + "\uFFFD" : text.substring(0, cut));
        }
        return 4;
    }

    private int value(WireBytes out, int choice, int count) {
        if (choice < 24) {
            out.number(3).u8(0).u8(255).u8(random.nextInt(256));
            return 3;
        }
        if (choice < 30) {
            out.string("guid" + random.nextInt(3));
            out.u8(118)
                    .number(1)
                    .string(pick(List.of("autoLoad", "gc", "meta")))
                    .u8(random.nextBoolean() ? 120 : 121);
            return 9;
        }
        out.number(count);
        WireBytes values = new WireBytes();
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                shorter = new WireBytes().number(i).raw(values);
            }
            if (choice < 40) {
                values.string(pick(List.of("undefined", "1", "\"x\"", "{\"a\":[1,{}]}", "null", "-1.5e300")));
            } else {
                any(values, 0);
            }
        }
        out.raw(values);
        return choice < 40 ? 2 : 8;
    }

    private void any(WireBytes out, int depth) {
        switch (random.nextInt(depth > 2 ? 9 : 11)) {
            case 0 -> out.u8(127);
            case 1 -> out.u8(126);
            case 2 -> out.u8(125).integer(pick(List.of(0, 1, -1, 63, 64, -64, Integer.MAX_VALUE, -Integer.MAX_VALUE)));
            case 3 -> out.u8(124).bits(Float.floatToIntBits(pick(List.of(0.5f, -0f, Float.NaN))), 4);
            case 4 -> out.u8(123).bits(Double.doubleToLongBits(pick(List.of(0.1, 1e300, Double.POSITIVE_INFINITY))), 8);
            case 5 -> out.u8(122).bits(pick(List.of(0L, -1L, Long.MIN_VALUE)), 8);
            case 6 -> out.u8(120 + random.nextInt(2));
            case 7 -> out.u8(119).string(pick(TEXTS));
            case 8 -> out.u8(116).number(2).u8(1).u8(2);
            case 9 -> {
                out.u8(118).number(2);
                for (String key : Arrays.asList("z", pick(List.of("a", "\uD83D\uDE00")))) {
                    out.string(key);
                    any(out, depth + 1);
                }
            }
            default -> {
                out.u8(117).number(2);
                any(out, depth + 1);
                any(out, depth + 1);
            }
        }
    }
}
