package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What was typed unit by unit is joined on its way in: that must tell in nothing, against the same structs one by one. */
class TypedRunsTest {
    private static final long CLIENT = 0xfedcba98L;
    private static final long OTHER = 77;

    private record Id(long client, int clock) {}

    private record Struct(long client, int clock, int length, byte[] bytes) {}

    private final List<Struct> structs = new ArrayList<>();
    private final List<Id> order = new ArrayList<>();

    @Property(tries = 300)
    void oneUpdateIsAsItsStructsOneByOne(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        type(random);
        Doc whole = Doc.create(true);
        apply(whole, structs);
        Doc single = Doc.create(true);
        for (Struct struct : structs) {
            apply(single, List.of(struct));
        }
        same(whole, single);

        Doc inParts = Doc.create(true);
        int cut = random.nextInt(structs.size());
        apply(inParts, structs.subList(0, cut));
        apply(inParts, structs.subList(Math.max(0, cut - random.nextInt(200)), structs.size()));
        same(inParts, single);
        assertThat(whole.drainChanges(UpdateFormat.V1)).isEqualTo(single.drainChanges(UpdateFormat.V1));
    }

    @Property(tries = 300)
    void whatWaitsIsAsItCame(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        type(random);
        int gap = random.nextInt(structs.size());
        List<Struct> rest = new ArrayList<>(structs);
        rest.remove(gap);
        Doc whole = Doc.create(true);
        apply(whole, rest);
        Doc single = Doc.create(true);
        for (Struct struct : rest) {
            apply(single, List.of(struct));
        }
        assertThat(whole.encodeStateWithPending(UpdateFormat.V1))
                .isEqualTo(single.encodeStateWithPending(UpdateFormat.V1));
        apply(whole, List.of(structs.get(gap)));
        apply(single, List.of(structs.get(gap)));
        assertThat(whole.hasPending()).isFalse();
        same(whole, single);
    }

    @Test
    void aKnownUnitWithOtherContentIsNoticed() throws Exception {
        Random random = new Random(1);
        typed(CLIENT, 300, null, random);
        int at = 250;
        while (structs.get(at).length > 1) {
            at--;
        }
        Doc doc = Doc.create(true);
        apply(doc, structs.subList(0, at + 20));
        List<Struct> forged = new ArrayList<>(structs);
        Struct struct = structs.get(at);
        byte[] bytes = struct.bytes.clone();
        bytes[bytes.length - 1] ^= 1;
        forged.set(at, new Struct(CLIENT, struct.clock, 1, bytes));
        assertThat(apply(Doc.create(true), structs)).isEqualTo(Doc.CHANGED);
        assertThat(apply(doc, forged)).isEqualTo(Doc.CHANGED | Doc.CONFLICT);
        assertThat(Projection.text(doc, "t")).hasSizeGreaterThanOrEqualTo(300);
    }

    private static void same(Doc a, Doc b) {
        assertThat(a.sameContent(b)).isTrue();
        assertThat(a.encodeState(UpdateFormat.V1)).isEqualTo(b.encodeState(UpdateFormat.V1));
        assertThat(Projection.bodyJson(a)).isEqualTo(Projection.bodyJson(b));
    }

    private void type(Random random) {
        structs.clear();
        order.clear();
        typed(CLIENT, 1 + random.nextInt(400), random.nextInt(4) == 0 ? "key" : null, random);
        if (random.nextBoolean()) {
            order.clear();
        }
        typed(OTHER, 1 + random.nextInt(200), null, random);
    }

    /** Types in one list, going elsewhere at times; with a key, each unit replaces the one before. */
    private void typed(long client, int count, String key, Random random) {
        int state = 0;
        int place = random.nextInt(order.size() + 1);
        while (state < count) {
            if (random.nextInt(40) == 0 && key == null) {
                place = random.nextInt(order.size() + 1);
            }
            Id origin = place > 0 ? order.get(place - 1) : null;
            Id right = place < order.size() ? order.get(place) : null;
            boolean placed = origin != null || right != null;
            ByteWriter out = new ByteWriter(32);
            out.u8(Kind.STRING
                    | (origin != null ? StructBuffer.HAS_ORIGIN : 0)
                    | (right != null ? StructBuffer.HAS_RIGHT_ORIGIN : 0)
                    | (!placed && key != null ? StructBuffer.HAS_SUB : 0));
            id(out, origin);
            id(out, right);
            if (!placed) {
                out.varUint(1);
                out.string("t");
                if (key != null) {
                    out.string(key);
                }
            }
            String text = text(random);
            out.string(text);
            structs.add(new Struct(client, state, text.length(), out.toBytes()));
            for (int i = 0; i < text.length(); i++) {
                order.add(place++, new Id(client, state++));
            }
        }
    }

    private static String text(Random random) {
        return switch (random.nextInt(60)) {
            case 0 -> "\u00e9";
            case 1 -> "\u4e2d";
            case 2 -> "\ud83d\ude00";
            case 3 -> "ab";
            default -> String.valueOf((char) ('a' + random.nextInt(26)));
        };
    }

    private static void id(ByteWriter out, Id id) {
        if (id != null) {
            out.varUint(id.client);
            out.varUint(id.clock);
        }
    }

    /** One block for each run of structs of a client. */
    private static int apply(Doc doc, List<Struct> structs) throws MalformedUpdateException {
        ByteWriter out = new ByteWriter(64);
        ByteWriter blocks = new ByteWriter(64);
        int count = 0;
        for (int from = 0; from < structs.size(); ) {
            Struct first = structs.get(from);
            int end = from + 1;
            while (end < structs.size() && follows(structs.get(end - 1), structs.get(end))) {
                end++;
            }
            blocks.varUint(end - from);
            id(blocks, new Id(first.client, first.clock));
            for (Struct struct : structs.subList(from, end)) {
                blocks.raw(struct.bytes, 0, struct.bytes.length);
            }
            count++;
            from = end;
        }
        out.varUint(count);
        byte[] body = blocks.toBytes();
        out.raw(body, 0, body.length);
        out.varUint(0);
        byte[] update = out.toBytes();
        return doc.apply(UpdateFormat.V1, update, 0, update.length);
    }

    private static boolean follows(Struct a, Struct b) {
        return a.client == b.client && a.clock + a.length == b.clock;
    }
}
