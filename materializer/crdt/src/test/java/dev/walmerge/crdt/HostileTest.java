package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Well-formed updates no editor would write, large enough that a cost that grows with the square of their size takes
 * minutes instead of a fraction of a second.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileTest {
    private static final int MANY = 150_000;
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);

    private final ByteWriter out = new ByteWriter(64);

    @Test
    void aChainOfClientsThatWaitForEachOther() throws Exception {
        for (int step : new int[] {1, -1}) {
            out.clear();
            out.varUint(MANY);
            for (int i = 0; i < MANY; i++) {
                long client = 1000L + (step > 0 ? i : MANY - i);
                block(1, client, 0);
                behind(client + step, 0);
            }
            Doc doc = Doc.create(true);
            assertThat(apply(doc)).isEqualTo(Doc.PARKED);
            long end = step > 0 ? 1000L + MANY : 1000;
            // Yjs follows a chain from the highest id: down it is one chain, up each link is told for itself.
            assertThat(doc.pending().missing()).hasSize(step > 0 ? MANY : 1).containsEntry(end, 0);
            block(1, 1, end, 0);
            root();
            assertThat(apply(doc)).isEqualTo(Doc.CHANGED);
            assertThat(Projection.text(doc, "t")).hasSize(MANY + 1);
        }
    }

    @Test
    void twoWritersInTurnBesideManyThatAreStuck() throws Exception {
        out.varUint(2 + MANY);
        int turns = MANY / 4;
        block(turns, 1, 0);
        root();
        for (int i = 1; i < turns; i++) {
            behind(2, i - 1);
        }
        block(turns, 2, 0);
        for (int i = 0; i < turns; i++) {
            behind(1, i);
        }
        for (int i = 0; i < MANY; i++) {
            block(1, 1000L + i, 1);
            behind(1000L + i, 0);
        }
        Doc doc = Doc.create(true);
        assertThat(apply(doc)).isEqualTo(Doc.CHANGED | Doc.PARKED);
        assertThat(Projection.text(doc, "t")).hasSize(2 * turns);
        assertThat(doc.pending().missing()).hasSize(MANY);
    }

    @Test
    void aLongChainWhenLimitsAreNear() throws Exception {
        Doc doc = Doc.create(true, new Limits(2 * MANY, MANY / 2, 1L << 30));
        out.varUint(MANY + 1);
        for (int i = 0; i < MANY; i++) {
            block(1, 1000L + i, 0);
            behind(1001L + i, 0);
        }
        block(1, 1000L + MANY, 0);
        root();
        assertThat(apply(doc)).isEqualTo(Doc.CHANGED);
        assertThat(Projection.text(doc, "t")).hasSize(MANY + 1);
    }

    @Test
    void gapsFromTheLastToTheFirst() throws Exception {
        int count = 4 * MANY;
        out.varUint(count);
        for (int i = count; i > 0; i--) {
            block(1, 7, 2 * i);
            behind(7, 2 * i - 1);
        }
        Doc doc = Doc.create(true);
        assertThat(apply(doc)).isEqualTo(Doc.PARKED);
        assertThat(doc.pending().missing()).containsExactly(Map.entry(7L, 1));
    }

    @Test
    void smallUpdatesBesideManyDeletesThatWait() throws Exception {
        out.varUint(0);
        out.varUint(1);
        out.varUint(9);
        out.varUint(MANY);
        for (int i = 0; i < MANY; i++) {
            out.varUint(2L * i);
            out.varUint(1);
        }
        Doc doc = Doc.create(true);
        byte[] deletes = out.toBytes();
        out.clear();
        assertThat(Vectors.apply(doc, UpdateFormat.V1, deletes)).isEqualTo(Doc.PARKED);
        for (int i = 0; i < 10_000; i++) {
            block(1, 1, i % 2 == 0 ? 3 : 9, i / 2);
            if (i < 2) {
                root();
            } else {
                behind(i % 2 == 0 ? 3 : 9, i / 2 - 1);
            }
            assertThat(apply(doc)).isEqualTo(Doc.CHANGED);
        }
        assertThat(Projection.text(doc, "t")).hasSize(7_500);
        assertThat(doc.pending().deletes()).isTrue();
    }

    @Test
    void aListThatComesAgainOneByOne() throws Exception {
        Doc doc = Doc.create(true);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < MANY; i++) {
                block(1, 1, 3, i);
                if (i == 0) {
                    out.u8(Kind.ANY);
                    out.varUint(1);
                    out.string("a");
                } else {
                    out.u8(Kind.ANY | StructBuffer.HAS_ORIGIN);
                    out.varUint(3);
                    out.varUint(i - 1);
                }
                out.varUint(1);
                out.u8(AnyValue.TRUE);
                assertThat(apply(doc)).isEqualTo(round == 0 ? Doc.CHANGED : 0);
            }
        }
        assertThat(doc.structCount()).isEqualTo(1);
    }

    @Test
    void oneKeySetByOneWriterWhoNeverSawIt() throws Exception {
        block(1, MANY, 5, 0);
        for (int i = 0; i < MANY; i++) {
            out.u8(Kind.ANY | StructBuffer.HAS_SUB);
            out.varUint(1);
            out.string("m");
            out.string("k");
            out.varUint(1);
            out.u8(AnyValue.INTEGER);
            out.u8(i & 0x3f);
        }
        Doc doc = Doc.create(true);
        assertThat(apply(doc)).isEqualTo(Doc.CHANGED);
        // Of two by one client with the same origins the first stays the last of the chain, as in Yjs.
        assertThat(Projection.json(doc, "m", RootType.MAP)).isEqualTo("{\"k\":0}");
    }

    /** However long scans are before they are remembered, the order is the same. */
    @Test
    void rememberedScansChangeNoOrder() throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < 10; round++) {
            int length = 1 + random.nextInt(20);
            int writers = 1_000;
            List<byte[]> updates = new ArrayList<>();
            block(1, 1, 5_000, 0);
            out.u8(Kind.STRING);
            out.varUint(1);
            out.string("t");
            out.string("x".repeat(length));
            out.varUint(0);
            updates.add(out.toBytes());
            out.clear();
            for (int wave = 0; wave < 3; wave++) {
                out.varUint(writers);
                for (int i = 0; i < writers; i++) {
                    block(1, 10_000L * (wave + random.nextInt(2)) + 3L * i + wave, 0);
                    boolean behind = random.nextInt(3) > 0;
                    boolean before = random.nextInt(3) > 0;
                    out.u8(Kind.STRING
                            | (behind ? StructBuffer.HAS_ORIGIN : 0)
                            | (before ? StructBuffer.HAS_RIGHT_ORIGIN : 0));
                    int at = random.nextInt(length);
                    if (behind) {
                        out.varUint(5_000);
                        out.varUint(at);
                    }
                    if (before) {
                        out.varUint(5_000);
                        out.varUint(at + random.nextInt(length - at));
                    } else if (!behind) {
                        out.varUint(1);
                        out.string("t");
                    }
                    out.string("a");
                }
                out.varUint(0);
                updates.add(out.toBytes());
                out.clear();
            }
            sameOrder(updates, round);
        }
    }

    private static void sameOrder(List<byte[]> updates, int round) throws Exception {
        Doc plain = Doc.create(true);
        plain.open().integrator.longScan = Integer.MAX_VALUE;
        Doc remembering = Doc.create(true);
        remembering.open().integrator.longScan = 0;
        Doc usual = Doc.create(true);
        for (byte[] update : updates) {
            for (Doc doc : List.of(plain, remembering, usual)) {
                Vectors.apply(doc, UpdateFormat.V1, update);
            }
            assertThat(remembering.sameContent(plain))
                    .as("seed %d, round %d", SEED, round)
                    .isTrue();
            assertThat(usual.sameContent(plain))
                    .as("seed %d, round %d", SEED, round)
                    .isTrue();
        }
    }

    /** Clients that wait for lower ones come upwards: to a few places, into each other and between what others wrote. */
    @Test
    void scansThatGoOnChangeNoOrder() throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < 60; round++) {
            int writers = round % 10 == 0 ? 1_000 : 60;
            int strange = random.nextInt(30) + 2;
            int length = 1 + random.nextInt(3);
            block(1, 1, 5_000, 0);
            out.u8(Kind.STRING);
            out.varUint(1);
            out.string("t");
            out.string("x".repeat(length));
            out.varUint(0);
            byte[] base = out.toBytes();
            out.clear();
            out.varUint(writers);
            for (int i = 0; i < writers; i++) {
                block(3, 10_000L + i, 0);
                int below = Math.max(0, i - 1 - (random.nextInt(3) == 0 ? random.nextInt(4) : 0));
                boolean odd = random.nextInt(strange) == 0;
                place(
                        i == 0 ? 5_000 : 10_000L + below,
                        i == 0 ? 0 : random.nextInt(odd ? 4 : 1),
                        odd ? length - 1 : -1);
                boolean late = random.nextInt(strange) == 0;
                place(5_000, late ? random.nextInt(length) : 0, random.nextInt(4) == 0 ? length - 1 : -1);
                odd = random.nextInt(strange) == 0;
                place(odd ? 10_000L + random.nextInt(i + 1) : 5_000, odd ? 0 : length - 1, -1);
            }
            out.varUint(0);
            byte[] update = out.toBytes();
            out.clear();
            sameOrder(List.of(base, update), round);
        }
    }

    /** Two units behind one, before one of the base when {@code before} isn't negative. */
    private void place(long client, int clock, int before) {
        out.u8(Kind.STRING | StructBuffer.HAS_ORIGIN | (before >= 0 ? StructBuffer.HAS_RIGHT_ORIGIN : 0));
        out.varUint(client);
        out.varUint(clock);
        if (before >= 0) {
            out.varUint(5_000);
            out.varUint(before);
        }
        out.string("ab");
    }

    @Test
    void textsInTextsInTexts() throws Exception {
        block(1, MANY, 1, 0);
        out.u8(Kind.TYPE);
        out.varUint(1);
        out.string("x");
        out.varUint(TypeRef.XML_TEXT);
        for (int i = 1; i < MANY; i++) {
            out.u8(Kind.TYPE);
            out.varUint(0);
            out.varUint(1);
            out.varUint(i - 1);
            out.varUint(TypeRef.XML_TEXT);
        }
        Doc doc = Doc.create(true);
        assertThat(apply(doc)).isEqualTo(Doc.CHANGED);
        assertThat(Projection.xml(doc, "x")).isEmpty();
        assertThat(Projection.bodyJson(doc)).isEqualTo("{\"x\":\"\"}");
        assertThat(Projection.bodyText(doc, null)).isEmpty();
        assertThat(Projection.tree(doc, "x", RootType.XML_FRAGMENT)).endsWith("]}");
    }

    @Test
    void formatsThatAreNeverClosed() throws Exception {
        int formats = 20_000;
        block(1, 2 * formats + 1, 1, 0);
        out.u8(Kind.TYPE);
        out.varUint(1);
        out.string("x");
        out.varUint(TypeRef.XML_TEXT);
        for (int i = 0; i < formats; i++) {
            if (i == 0) {
                out.u8(Kind.FORMAT);
                out.varUint(0);
                out.varUint(1);
                out.varUint(0);
            } else {
                out.u8(Kind.FORMAT | StructBuffer.HAS_ORIGIN);
                out.varUint(1);
                out.varUint(2L * i);
            }
            out.string("k" + i);
            out.string("true");
            behind(1, 2 * i + 1);
        }
        Doc doc = Doc.create(true);
        int bytes = out.size();
        assertThat(apply(doc)).isEqualTo(Doc.CHANGED);
        assertThat(Projection.bodyText(doc, null)).isEqualTo("a".repeat(formats));
        for (String view : new String[] {
            Projection.bodyJson(doc), Projection.xml(doc, "x"), Projection.tree(doc, "x", RootType.XML_FRAGMENT)
        }) {
            assertThat(view.length()).isBetween(formats, 256 * bytes);
        }
    }

    private void block(int blocks, int structs, long client, int clock) {
        out.varUint(blocks);
        block(structs, client, clock);
    }

    private void block(int structs, long client, int clock) {
        out.varUint(structs);
        out.varUint(client);
        out.varUint(clock);
    }

    private void root() {
        out.u8(Kind.STRING);
        out.varUint(1);
        out.string("t");
        out.string("a");
    }

    private void behind(long client, int clock) {
        out.u8(Kind.STRING | StructBuffer.HAS_ORIGIN);
        out.varUint(client);
        out.varUint(clock);
        out.string("a");
    }

    private int apply(Doc doc) throws MalformedUpdateException {
        out.varUint(0);
        byte[] update = out.toBytes();
        out.clear();
        return Vectors.apply(doc, UpdateFormat.V1, update);
    }

    @Test
    void namesThatAreSharedDontMakeStatesExplode() throws MalformedUpdateException {
        byte[] many = Runs.elements(100_000, 3_000);
        Doc doc = Doc.create(true);
        assertThatThrownBy(() -> Vectors.apply(doc, UpdateFormat.V2, many))
                .isInstanceOfSatisfying(
                        MalformedUpdateException.class,
                        e -> assertThat(e.rule()).isEqualTo("too-many-keys"));
        assertThatThrownBy(() -> Updates.convert(many, UpdateFormat.V2, UpdateFormat.V1))
                .isInstanceOfSatisfying(
                        MalformedUpdateException.class,
                        e -> assertThat(e.rule()).isEqualTo("too-many-keys"));
        assertThat(doc.structCount()).isZero();

        byte[] some = Runs.elements(20_000, "paragraph".length());
        Vectors.apply(doc, UpdateFormat.V2, some);
        assertThat(doc.structCount()).isEqualTo(20_000);
        assertThat(doc.encodeState(UpdateFormat.V2).length).isLessThan(300_000);
    }
}
