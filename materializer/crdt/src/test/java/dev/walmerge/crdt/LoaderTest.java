package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** A whole state is loaded by a way of its own: that must tell in nothing. */
class LoaderTest {
    private static final long[] CLIENTS = {0xfedcba98L, 300, 2};

    private final StructBuffer structs = new StructBuffer();
    private Random random;

    @Property(tries = 500)
    void aLoadedStateIsAsAMergedOne(@ForAll long seed) throws Exception {
        random = new Random(seed);
        structs.restart();
        int[] states = new int[CLIENTS.length];
        for (int c = 0; c < CLIENTS.length; c++) {
            client(c, states);
        }
        same(random.nextBoolean() ? randomDeletes(states) : new ClockRanges());
    }

    @Test
    void blocksOfOneClientMayFollowEachOther() throws Exception {
        for (int first : new int[] {1, 40, 1000}) {
            random = new Random(first);
            structs.restart();
            int[] states = new int[CLIENTS.length];
            for (int i = 0; i < first; i++) {
                add(0, states, 1);
            }
            separator(states);
            for (int i = 0; i < Math.min(20, first); i++) {
                structs.copy(structs, i);
            }
            separator(states);
            for (int i = 0; i < 40; i++) {
                add(0, states, 1 + random.nextInt(3));
            }
            same(new ClockRanges());
        }
    }

    private void separator(int[] states) {
        int i = structs.next();
        structs.client[i] = CLIENTS[2];
        structs.clock[i] = states[2]++;
        structs.length[i] = 1;
        structs.commit(true);
    }

    /** A key of a map is set again: what comes into the list that was there comes deleted, though it lived when the first items came. */
    @Test
    void whatComesIntoADeletedTypeIsDeleted() throws Exception {
        random = new Random(7);
        structs.restart();
        int type = place(0, 0, Kind.TYPE | StructBuffer.PARENT_ROOT | StructBuffer.HAS_SUB, 0, 0);
        structs.setRoot(type, "m");
        structs.setSub(type, "k");
        structs.content[type] = TypeRef.ARRAY;
        structs.commit(true);
        text(place(0, 1, Kind.STRING | StructBuffer.PARENT_ID, 0, 0));
        for (int clock = 2; clock < 40; clock++) {
            place(0, clock, Kind.DELETED | StructBuffer.HAS_ORIGIN, 0, clock - 1);
            structs.commit(true);
        }
        place(1, 0, Kind.DELETED | StructBuffer.HAS_ORIGIN, 0, 0);
        structs.commit(true);
        text(place(1, 1, Kind.STRING | StructBuffer.HAS_ORIGIN, 0, 39));
        same(new ClockRanges());
    }

    /** One unit whose origin, or parent, is a clock of client {@code of}. */
    private int place(int c, int clock, int info, int of, int origin) {
        int i = structs.next();
        structs.client[i] = CLIENTS[c];
        structs.clock[i] = clock;
        structs.length[i] = 1;
        structs.info[i] = (short) info;
        structs.originClient[i] = CLIENTS[of];
        structs.originClock[i] = origin;
        return i;
    }

    private void text(int i) {
        structs.content[i] = structs.units.count;
        structs.units.add((byte) 'x');
        structs.commit(true);
    }

    /** A table of clocks must not grow with them. */
    @Test
    void longStructsCostNothing() throws Exception {
        random = new Random(5);
        structs.restart();
        int[] states = new int[CLIENTS.length];
        add(0, states, 1);
        int i = structs.next();
        structs.client[i] = CLIENTS[0];
        structs.clock[i] = states[0];
        structs.length[i] = 1 << 30;
        structs.info[i] = (short) (Kind.DELETED | StructBuffer.HAS_ORIGIN);
        structs.originClient[i] = CLIENTS[0];
        structs.commit(true);
        states[0] += 1 << 30;
        for (int n = 0; n < 100; n++) {
            add(0, states, 1);
        }
        same(new ClockRanges());
    }

    private void client(int c, int[] states) {
        int count = random.nextInt(200);
        int longest = random.nextBoolean() ? 1 : 40;
        for (int i = 0; i < count; i++) {
            add(c, states, 1 + random.nextInt(longest));
        }
    }

    /** Mostly text or a deleted run behind the struct before, between two neighbours of one, or anywhere. */
    private void add(int c, int[] states, int length) {
        int i = structs.next();
        int clock = states[c];
        structs.client[i] = CLIENTS[c];
        structs.clock[i] = clock;
        int kind = random.nextInt(20) == 0 ? Kind.GC : random.nextInt(3) == 0 ? Kind.DELETED : Kind.STRING;
        int info = kind;
        int before = random.nextInt(i + 1);
        if (kind == Kind.GC) {
            structs.info[i] = (short) kind;
        } else if (i == 0 || random.nextInt(30) == 0) {
            info |= StructBuffer.PARENT_ROOT | (random.nextInt(3) == 0 ? StructBuffer.HAS_SUB : 0);
            structs.setRoot(i, "t");
            if ((info & StructBuffer.HAS_SUB) != 0) {
                structs.setSub(i, "k");
            }
        } else {
            int of = random.nextInt(3) == 0 ? Math.min(before, i - 1) : i - 1;
            info |= StructBuffer.HAS_ORIGIN;
            structs.originClient[i] = structs.client[of];
            structs.originClock[i] = random.nextInt(8) == 0
                    ? structs.clock[of] + random.nextInt(structs.length[of])
                    : structs.end(of) - 1;
            if (random.nextInt(3) > 0) {
                int right = random.nextInt(4) == 0 ? Math.min(before, i - 1) : behind(of);
                // A right origin within the run of the origin cuts what the new item is to go behind: no editor makes
                // that.
                right = right >= 0
                                && structs.client[right] == structs.client[of]
                                && structs.clock[right] < structs.end(of)
                        ? -1
                        : right;
                if (right >= 0) {
                    info |= StructBuffer.HAS_RIGHT_ORIGIN;
                    structs.rightClient[i] = structs.client[right];
                    structs.rightClock[i] = structs.clock[right];
                }
            }
        }
        structs.info[i] = (short) info;
        structs.length[i] = length;
        if (kind == Kind.STRING) {
            structs.content[i] = structs.units.count;
            for (int n = 0; n < length; n++) {
                structs.units.add((byte) ('a' + random.nextInt(26)));
            }
        }
        structs.commit(true);
        states[c] += length;
    }

    /** A struct that came to lie right behind another one: the last whose origin is its end. */
    private int behind(int of) {
        for (int i = structs.size - 1; i > 0; i--) {
            if (structs.has(i, StructBuffer.HAS_ORIGIN)
                    && structs.originClient[i] == structs.client[of]
                    && structs.originClock[i] == structs.end(of) - 1) {
                return i;
            }
        }
        return -1;
    }

    private ClockRanges randomDeletes(int[] states) {
        ClockRanges deletes = new ClockRanges();
        for (int c = 0; c < CLIENTS.length; c++) {
            for (int i = 0; states[c] > 0 && i < 5; i++) {
                int from = random.nextInt(states[c]);
                deletes.add(CLIENTS[c], from, Math.min(states[c] - from, 1 + random.nextInt(20)));
            }
        }
        return deletes;
    }

    private void same(ClockRanges deletes) throws Exception {
        for (boolean gc : new boolean[] {true, false}) {
            for (UpdateFormat format : UpdateFormat.values()) {
                byte[] state = update(format, deletes);
                Doc general = Doc.create(gc);
                general.discardChanges(); // it was drained: nothing is loaded from now on
                int told = apply(general, format, state);
                Doc loaded = Doc.create(gc);
                assertThat(apply(loaded, format, state)).isEqualTo(told);
                assertThat(loaded.hasPending()).isEqualTo(general.hasPending());
                assertThat(loaded.sameContent(general)).isTrue();
                assertThat(loaded.structCount()).isEqualTo(general.structCount());
                assertThat(Projection.bodyText(loaded, null)).isEqualTo(Projection.bodyText(general, null));
                byte[] written = loaded.encodeState(format);
                assertThat(written).isEqualTo(general.encodeState(format));
                // All of a document that was never drained is news.
                assertThat(loaded.drainChanges(format)).isEqualTo(loaded.structCount() == 0 ? null : written);
            }
        }
    }

    private byte[] update(UpdateFormat format, ClockRanges deletes) {
        BlockWriter out = new BlockWriter(format);
        for (int i = 0; i < structs.size; i++) {
            out.struct(structs, i, 0);
        }
        return out.finish(deletes);
    }

    private static int apply(Doc doc, UpdateFormat format, byte[] update) throws Exception {
        return doc.apply(format, update, 0, update.length);
    }
}
