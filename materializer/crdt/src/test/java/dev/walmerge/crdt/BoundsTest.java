package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The worst inputs of each kind that are known: refused with a rule, or merged, within 100 ms of this thread's time and
 * 64 bytes a byte of input plus 1 MB. Best of three
 * to ten, so neither a cold virtual machine nor a busy one matters.
 */
class BoundsTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long NANOS = 100_000_000L;
    private static final int ATTEMPTS = 10;

    /** {@code rule} is null for what is merged. */
    record Input(String name, UpdateFormat format, byte[] bytes, String rule) {
        @Override
        public String toString() {
            return name;
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusedWithinBounds(Input input) throws Exception {
        Doc doc = SeededDoc.half(true);
        byte[] before = doc.encodeStateWithPending(UpdateFormat.V2);
        long nanos = Long.MAX_VALUE;
        long allocated = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && (i < 3 || nanos >= NANOS); i++) {
            long heap = THREADS.getCurrentThreadAllocatedBytes();
            long start = THREADS.getCurrentThreadCpuTime();
            MalformedUpdateException fault = null;
            try {
                Vectors.apply(doc, input.format(), input.bytes());
            } catch (MalformedUpdateException e) {
                fault = e;
            }
            nanos = Math.min(nanos, THREADS.getCurrentThreadCpuTime() - start);
            allocated = Math.min(allocated, THREADS.getCurrentThreadAllocatedBytes() - heap);
            assertThat(fault).isNotNull();
            assertThat(fault.rule()).isEqualTo(input.rule());
            assertThat(fault.offset()).isBetween(0, input.bytes().length);
        }
        System.out.printf("%s: %d bytes, %.1f ms, %d kB%n", input, input.bytes().length, nanos / 1e6, allocated >> 10);
        assertThat(doc.encodeStateWithPending(UpdateFormat.V2)).isEqualTo(before);
        assertThat(allocated).as("bytes allocated").isLessThan(64L * input.bytes().length + (1 << 20));
        assertThat(nanos).as("nanoseconds").isLessThan(NANOS);
    }

    static Stream<Input> refused() {
        List<Input> inputs = new ArrayList<>();
        counts(inputs);
        runs(inputs);
        lengths(inputs);
        nesting(inputs);
        numbers(inputs);
        return inputs.stream();
    }

    private static void add(List<Input> inputs, String name, String rule, ByteWriter bytes) {
        inputs.add(new Input(name, UpdateFormat.V1, bytes.toBytes(), rule));
    }

    /** The head of a block of one struct, with the info byte and root. */
    private static ByteWriter struct(int kind) {
        ByteWriter out = new ByteWriter();
        out.varUint(1);
        out.varUint(1);
        out.varUint(1);
        out.varUint(0);
        out.u8(kind);
        if (kind != Kind.GC) {
            out.varUint(1);
            out.string("r");
        }
        return out;
    }

    private static ByteWriter numbers(long... values) {
        ByteWriter out = new ByteWriter();
        for (long value : values) {
            out.varUint(value);
        }
        return out;
    }

    private static void counts(List<Input> inputs) {
        for (long count : new long[] {1L << 31, 1L << 32, Limits.CLIENT_LAST}) {
            add(inputs, count + " blocks", "count-too-large", numbers(count, 1, 1, 0));
            add(inputs, count + " structs", "count-too-large", numbers(1, count, 1, 0));
            add(inputs, count + " clients that delete", "count-too-large", numbers(0, count));
            add(inputs, count + " deletes", "count-too-large", numbers(0, 1, 1, count));
            ByteWriter values = struct(Kind.ANY);
            values.varUint(count);
            add(inputs, count + " values", count >> 31 == 0 ? "count-too-large" : "clock-too-large", values);
            ByteWriter members = struct(Kind.EMBED + 2);
            members.varUint(1);
            members.u8(AnyValue.ARRAY);
            members.varUint(count);
            add(inputs, count + " elements", "count-too-large", members);
        }
        ByteWriter json = struct(Kind.JSON);
        json.varUint(Integer.MAX_VALUE);
        json.string("1");
        add(inputs, "a list of JSON without end", "truncated", json);
        ByteWriter blocks = new ByteWriter();
        int rows = 600_000;
        int some = 0;
        for (int done = 0, next; done < rows; done += next) {
            next = Math.min(done / 2 + 8, rows - done);
            blocks.raw(
                    numbers(next, 1, done).toBytes(), 0, numbers(next, 1, done).size());
            for (int i = 0; i < next; i++) {
                blocks.raw(new byte[] {Kind.GC, 1}, 0, 2);
            }
            some++;
        }
        ByteWriter two = numbers(some);
        two.raw(blocks.toBytes(), 0, blocks.size());
        two.raw(new byte[] {0, 1}, 0, 2);
        add(inputs, rows + " structs of two bytes in blocks", "trailing-bytes", two);
        // Blocks of no structs, as many as there are bytes.
        ByteWriter empty = numbers(300_000);
        for (int i = 0; i < 300_000; i++) {
            empty.raw(new byte[] {0, 1, 0}, 0, 3);
        }
        add(inputs, "300000 empty blocks, then nothing", "truncated", empty);
    }

    private static void runs(List<Input> inputs) {
        for (int info : new int[] {
            Kind.GC,
            Kind.DELETED | StructBuffer.HAS_ORIGIN,
            Kind.TYPE | StructBuffer.HAS_ORIGIN,
            Kind.STRING | StructBuffer.HAS_ORIGIN | StructBuffer.HAS_RIGHT_ORIGIN
        }) {
            byte[] bomb = Runs.update(info, 1_900_000, 1, 0xff);
            inputs.add(new Input("a run of kind " + (info & Kind.MASK), UpdateFormat.V2, bomb, "truncated"));
            byte[] deletes = Runs.update(info, 1_900_000, 1, 1, 7, 1, 5);
            inputs.add(new Input("that ends in a delete", UpdateFormat.V2, deletes, "truncated"));
        }
        for (long count : new long[] {2_000_001, 1L << 31, 1L << 40}) {
            byte[] bomb = Runs.update(Kind.GC, count, 0, 0);
            inputs.add(new Input("a run of " + count, UpdateFormat.V2, bomb, "too-many-structs"));
        }
        // As many as are kept while they are read, some more, and as many as can be; without names, and with as many as
        // fit.
        int text = 1_000_000;
        for (int count : new int[] {1024 + text / 5, 1124 + text / 5, text}) {
            byte[] blocks = Runs.blocks(Kind.DELETED | StructBuffer.HAS_SUB, count, text, 0);
            inputs.add(new Input(count + " in blocks", UpdateFormat.V2, blocks, "trailing-bytes"));
        }
        for (int count : new int[] {text / 5, 1124 + text / 5, text / 2 - 1}) {
            for (int kind : new int[] {Kind.JSON, Kind.DELETED | StructBuffer.HAS_SUB}) {
                byte[] blocks = Runs.blocks(kind, count, text, 1);
                String name = count + " of kind " + kind + " in blocks, with short strings";
                inputs.add(new Input(name, UpdateFormat.V2, blocks, "trailing-bytes"));
            }
        }
        byte[] far = Runs.update(Kind.GC, 1_900_000, Integer.MAX_VALUE - 1_000_000L, 0);
        inputs.add(new Input("a run past the last clock", UpdateFormat.V2, far, "clock-too-large"));
    }

    private static void lengths(List<Input> inputs) {
        for (int kind : new int[] {Kind.STRING, Kind.BINARY, Kind.EMBED, Kind.FORMAT, Kind.DOC}) {
            for (long length : new long[] {2, 1 << 20, Integer.MAX_VALUE, Limits.CLIENT_LAST}) {
                ByteWriter out = struct(kind);
                out.varUint(length);
                out.u8('a');
                add(inputs, "kind " + kind + " of " + length + " bytes", "truncated", out);
            }
        }
        for (int column = 0; column < 9; column++) {
            ByteWriter out = numbers(0);
            for (int i = 0; i < column; i++) {
                out.varUint(0);
            }
            out.varUint(1 << 30);
            inputs.add(new Input("column " + column + " of a gigabyte", UpdateFormat.V2, out.toBytes(), "truncated"));
        }
    }

    private static void nesting(List<Input> inputs) {
        int deep = 500_000;
        ByteWriter arrays = struct(Kind.ANY);
        arrays.varUint(1);
        ByteWriter objects = struct(Kind.ANY);
        objects.varUint(1);
        for (int i = 0; i < deep; i++) {
            arrays.u8(AnyValue.ARRAY);
            arrays.varUint(1);
            objects.u8(AnyValue.OBJECT);
            objects.varUint(1);
            objects.varUint(0);
        }
        add(inputs, "arrays in arrays", "value-too-deep", arrays);
        add(inputs, "objects in objects", "value-too-deep", objects);
        for (String open : new String[] {"[", "{\"\":"}) {
            ByteWriter json = struct(Kind.EMBED);
            json.string(open.repeat(deep));
            json.varUint(0);
            add(inputs, "JSON of " + open, "invalid-json", json);
        }
    }

    private static void numbers(List<Input> inputs) {
        for (int kind : IntStream.range(11, 32).toArray()) {
            add(inputs, "content " + kind, "unknown-content", struct(kind));
        }
        for (int ref : new int[] {8, 10, 11, 12, 13, 14, 16, 1 << 30}) {
            ByteWriter out = struct(Kind.TYPE);
            out.varUint(ref);
            add(inputs, "type " + ref, "unknown-type-ref", out);
        }
        for (int tag : new int[] {0, 1, 115, 128, 255}) {
            ByteWriter out = struct(Kind.ANY);
            out.varUint(1);
            out.u8(tag);
            add(inputs, "value " + tag, "unknown-value-tag", out);
        }
        byte[] past = {-1, -1, -1, -1, -1, -1, -1, 0x1f};
        byte[][] places = {{1, 1}, {1, 1, 1, 1, (byte) 0x84}, {1, 1, 1, 1, 0x44}, {1, 1, 1, 1, 4, 0}, {0, 1}};
        for (byte[] before : places) {
            ByteWriter out = new ByteWriter();
            out.raw(before, 0, before.length);
            out.raw(past, 0, past.length);
            out.varUint(0);
            add(inputs, "a client past 2^53 at " + before.length, "varint-overflow", out);
        }
        add(inputs, "a clock of 2^31", "clock-too-large", numbers(1, 1, 1, 1L << 31, 0, 1, 0));
        add(inputs, "a GC to 2^31", "clock-too-large", numbers(1, 1, 1, Integer.MAX_VALUE, 0, 1, 0));
        add(inputs, "a delete to 2^31", "clock-too-large", numbers(0, 1, 1, 1, Integer.MAX_VALUE, 1));
        add(inputs, "a parent of its own", "future-reference", numbers(1, 1, 1, 0, 4, 0, 1, 0, 1, 'a', 0));
    }

    /** Structs of clients that are each other's parents, origins or right origins: none is ever ready. */
    @Test
    void cyclesWaitAndCostNothing() throws Exception {
        int size = 10_000;
        for (int reference : new int[] {Kind.STRING, Kind.STRING | 0x80, Kind.STRING | 0x40}) {
            ByteWriter out = numbers(size);
            for (int i = 0; i < size; i++) {
                out.varUint(1);
                out.varUint(1000 + i);
                out.varUint(0);
                out.u8(reference);
                if (reference == Kind.STRING) {
                    out.varUint(0);
                }
                out.varUint(1000 + (i + 1) % size);
                out.varUint(0);
                out.string("a");
            }
            out.varUint(0);
            Doc doc = merged(new Input("a cycle of " + size, UpdateFormat.V1, out.toBytes(), null), 4 * size);
            assertThat(doc.pending().missing()).isNotEmpty();
            assertThat(doc.stateVector()).containsExactly(0);
            assertThat(Projection.bodyJson(doc)).isEqualTo("{}");
        }
    }

    @Test
    void mostOfEverythingInAMegabyte() throws Exception {
        ByteWriter skips = numbers(1, 300_000, 1, 0);
        ByteWriter deletes = numbers(0, 1, 9, 300_000);
        ByteWriter clients = numbers(100_000);
        ByteWriter deleters = numbers(0, 200_000);
        for (int i = 0; i < 300_000; i++) {
            skips.u8(Kind.SKIP);
            skips.varUint(1);
            deletes.varUint(2L * (300_000 - i));
            deletes.varUint(1);
            if (i < 100_000) {
                clients.raw(new byte[] {1}, 0, 1);
                clients.varUint(i);
                clients.raw(new byte[] {0, 0, 1}, 0, 3);
            }
            if (i < 200_000) {
                deleters.varUint(i);
                deleters.raw(new byte[] {1, 0, 1}, 0, 3);
            }
        }
        skips.varUint(0);
        clients.varUint(0);
        // Nothing of it is kept but one row each.
        merged(new Input("skips", UpdateFormat.V1, skips.toBytes(), null), 0);
        merged(new Input("deletes by falling clock", UpdateFormat.V1, deletes.toBytes(), null), 0);
        merged(new Input("clients upwards", UpdateFormat.V1, clients.toBytes(), null), 100_000);
        merged(new Input("clients that delete", UpdateFormat.V1, deleters.toBytes(), null), 0);
    }

    /** Writers by the thousand at one place, whichever way an update lists them, with right origins and without. */
    @Test
    void manyWritersAtOnePlace() throws Exception {
        int size = 20_000;
        for (int step : new int[] {1, -1, 7919}) {
            ByteWriter out = numbers(size);
            for (long i = 0; i < size; i++) {
                writer(out, 1000 + Math.floorMod(i * step, (long) size), Kind.STRING);
                out.varUint(1);
                out.string("t");
                out.string("a");
            }
            out.varUint(0);
            Doc doc = merged(new Input("writers by " + step, UpdateFormat.V1, out.toBytes(), null), size);
            assertThat(Projection.text(doc, "t")).hasSize(size);
            ByteWriter apart = numbers(size + 1);
            writer(apart, 1L << 40, Kind.STRING);
            apart.varUint(1);
            apart.string("t");
            apart.string("x".repeat(size));
            for (long i = 0; i < size; i++) {
                long at = Math.floorMod(i * step, (long) size);
                writer(apart, 1000 + at, Kind.STRING | StructBuffer.HAS_RIGHT_ORIGIN);
                apart.varUint(1L << 40);
                apart.varUint(at);
                apart.string("a");
            }
            apart.varUint(0);
            Doc other = merged(new Input("apart by " + step, UpdateFormat.V1, apart.toBytes(), null), 3 * size);
            assertThat(Projection.text(other, "t")).hasSize(2 * size);
        }
    }

    /** A writer that waits for the one below comes after it, so that each scan meets all who came before. */
    @Test
    void manyWritersThatComeUpwards() throws Exception {
        int size = 8_000;
        for (int waiting : new int[] {Kind.DELETED, Kind.STRING}) {
            for (boolean aside : new boolean[] {false, true}) {
                ByteWriter out = numbers(size);
                for (long i = 0; i < size; i++) {
                    out.varUint(2);
                    out.varUint(1000 + i);
                    out.varUint(0);
                    if (i == 0) {
                        out.u8(Kind.STRING);
                        out.varUint(1);
                        out.string(aside ? "u" : "t");
                    } else {
                        out.u8(waiting | StructBuffer.HAS_ORIGIN);
                        out.varUint(1000 + i - 1);
                        out.varUint(aside ? 0 : 1);
                    }
                    if (i > 0 && waiting == Kind.DELETED) {
                        out.varUint(1);
                    } else {
                        out.string("b");
                    }
                    out.u8(Kind.STRING);
                    out.varUint(1);
                    out.string("t");
                    out.string("a");
                }
                out.varUint(0);
                String name = "upwards by kind " + waiting + (aside ? " aside" : "");
                Doc doc = merged(new Input(name, UpdateFormat.V1, out.toBytes(), null), 2 * size);
                assertThat(doc.hasPending()).isFalse();
                assertThat(Projection.text(doc, "t").replace("b", "")).hasSize(size);
            }
        }
    }

    private static void writer(ByteWriter out, long client, int info) {
        out.varUint(1);
        out.varUint(client);
        out.varUint(0);
        out.u8(info);
    }

    /** What is accepted may cost more by what a struct takes in columns, of the update and of the document. */
    private static Doc merged(Input input, int structs) throws MalformedUpdateException {
        long nanos = Long.MAX_VALUE;
        long allocated = Long.MAX_VALUE;
        Doc doc = null;
        for (int i = 0; i < ATTEMPTS && (i < 3 || nanos >= NANOS); i++) {
            doc = Doc.create(true);
            long heap = THREADS.getCurrentThreadAllocatedBytes();
            long start = THREADS.getCurrentThreadCpuTime();
            Vectors.apply(doc, input.format(), input.bytes());
            nanos = Math.min(nanos, THREADS.getCurrentThreadCpuTime() - start);
            allocated = Math.min(allocated, THREADS.getCurrentThreadAllocatedBytes() - heap);
        }
        System.out.printf("%s: %d bytes, %.1f ms, %d kB%n", input, input.bytes().length, nanos / 1e6, allocated >> 10);
        assertThat(allocated).isLessThan(64L * input.bytes().length + 1024L * structs + (1 << 20));
        assertThat(nanos).as("nanoseconds of " + input).isLessThan(NANOS);
        return doc;
    }
}
