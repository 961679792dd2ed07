package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damaged updates, snapshots and positions: a typed error within bounds, or what a document makes of them. */
class MalformedOperationsTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final byte[] EMPTY_SV = {0};

    private interface Operation {
        byte[] run(byte[] input) throws MalformedUpdateException;
    }

    private static List<Operation> operations(UpdateFormat format, byte[] good) {
        UpdateFormat other = format == UpdateFormat.V1 ? UpdateFormat.V2 : UpdateFormat.V1;
        return List.of(
                bad -> Updates.merge(format, List.of(good, bad)),
                bad -> Updates.merge(format, List.of(bad)),
                bad -> Updates.diff(format, bad, EMPTY_SV),
                bad -> Updates.convert(bad, format, format),
                bad -> Updates.convert(bad, format, other),
                bad -> StateVectors.fromUpdate(format, bad, 0, bad.length),
                bad -> Updates.missing(format, bad, EMPTY_SV).toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The result, or null when it was refused. */
    private static byte[] result(Operation operation, byte[] input, long shared) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            return operation.run(input);
        } catch (MalformedUpdateException e) {
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).isLessThan(64 * (input.length + shared) + (1 << 20));
            assertThat(e.rule()).matches("[a-z0-9-]+");
            assertThat(e.offset()).isBetween(0, input.length);
            return null;
        }
    }

    private static byte[] merged(JsonNode scenario, UpdateFormat format) {
        return Vectors.bytes(scenario.at(format == UpdateFormat.V1 ? "/merged/v1" : "/merged/v2"));
    }

    @Test
    void truncationsAreRefused() {
        int tries = 0;
        for (String family : Vectors.FAMILIES) {
            JsonNode scenario = Vectors.family(family).get(0);
            for (UpdateFormat format : UpdateFormat.values()) {
                byte[] merged = merged(scenario, format);
                byte[] good = Vectors.updates(scenario, format).get(0);
                int step = Math.max(1, merged.length / 200);
                for (Operation operation : operations(format, good)) {
                    for (int length = 0; length < merged.length; length += step) {
                        assertThat(result(operation, Arrays.copyOf(merged, length), good.length))
                                .as("%s %s cut at %d", family, format, length)
                                .isNull();
                        tries++;
                    }
                    byte[] glued = Arrays.copyOf(merged, merged.length + good.length);
                    System.arraycopy(good, 0, glued, merged.length, good.length);
                    assertThat(result(operation, glued, good.length)).isNull();
                }
            }
        }
        System.out.println("operations on truncated updates: " + tries);
    }

    @Test
    void flippedBitsAreTakenAsADocumentTakesThem() throws Exception {
        Random random = new Random(SEED);
        int accepted = 0;
        int refused = 0;
        for (String family : Vectors.FAMILIES) {
            for (JsonNode scenario : Vectors.family(family).subList(0, 3)) {
                for (UpdateFormat format : UpdateFormat.values()) {
                    List<byte[]> updates = Vectors.updates(scenario, format);
                    for (int i = 0; i < 60; i++) {
                        byte[] bad = i % 4 == 0
                                ? merged(scenario, format)
                                : updates.get(random.nextInt(updates.size())).clone();
                        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
                        if (check(format, bad, updates.get(0))) {
                            accepted++;
                        } else {
                            refused++;
                        }
                    }
                }
            }
        }
        System.out.println("flipped updates: " + accepted + " accepted, " + refused + " refused, seed " + SEED);
        assertThat(accepted).isGreaterThan(100);
        assertThat(refused).isGreaterThan(100);
    }

    private static boolean check(UpdateFormat format, byte[] bad, byte[] good) throws Exception {
        Doc doc = Doc.create(true);
        byte[] direct = result(
                input -> {
                    Vectors.apply(doc, format, input);
                    return input;
                },
                bad,
                0);
        // With one client twice, two blocks may give one id to different content; then order decides.
        boolean ordered = direct != null && Updates.check(new StructCursor(1 << 20), format, bad, new ClockRanges());
        int i = 0;
        for (Operation operation : operations(format, good)) {
            byte[] result = result(operation, bad, good.length);
            boolean maybe = i == 4 && format == UpdateFormat.V2;
            if (!maybe || result == null) {
                assertThat(result == null).isEqualTo(direct == null || (maybe && result == null));
            }
            if (ordered && result != null && i > 0 && i < 5) {
                Doc again = Doc.create(true);
                UpdateFormat other = format == UpdateFormat.V1 ? UpdateFormat.V2 : UpdateFormat.V1;
                Vectors.apply(again, i == 4 ? other : format, result);
                assertThat(again.stateVector())
                        .as("operation %d, %s, seed %d", i, format, SEED)
                        .isEqualTo(doc.stateVector());
                assertThat(again.sameContent(doc) || maybe).isTrue();
            }
            i++;
        }
        return direct != null;
    }

    @Test
    void snapshotsAndPositions() throws Exception {
        Random random = new Random(SEED);
        JsonNode history = Vectors.read("/vectors/operations.jsonl.gz").get(0);
        Doc doc = Doc.create(false);
        Vectors.apply(doc, UpdateFormat.V2, Vectors.bytes(history.get("kept")));
        int restored = 0;
        for (JsonNode stage : history.get("stages")) {
            for (UpdateFormat format : UpdateFormat.values()) {
                byte[] bytes = Vectors.bytes(stage.get(format == UpdateFormat.V1 ? "v1" : "v2"));
                Operation decode =
                        input -> doc.at(Snapshot.decode(format, input)).stateVector();
                for (int length = 0; length < bytes.length; length++) {
                    assertThat(result(decode, Arrays.copyOf(bytes, length), 1 << 16))
                            .isNull();
                }
                for (int i = 0; i < 500; i++) {
                    byte[] bad = bytes.clone();
                    bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
                    restored += result(decode, bad, 1 << 16) == null ? 0 : 1;
                }
            }
            for (JsonNode position : stage.get("positions")) {
                byte[] bytes = Vectors.bytes(position.get("bytes"));
                for (int i = 0; i < 200; i++) {
                    byte[] bad = bytes.clone();
                    bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
                    result(
                            input -> {
                                RelativePosition.decode(input).in(doc);
                                return input;
                            },
                            bad,
                            0);
                }
            }
        }
        assertThat(restored).isPositive();
        assertThatThrownBy(() -> Doc.create(true).at(doc.snapshot())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Doc.create(false).at(doc.snapshot()))
                .isInstanceOf(MalformedUpdateException.class)
                .hasMessageContaining("snapshot-not-covered");
    }

    @Test
    void clientsInAnyOrderAreMerged() throws Exception {
        // Yjs loses structs of an update whose clients ascend; here they are put in order.
        byte[] ascending = {2, 1, 1, 0, 4, 1, 1, 't', 1, 'a', 1, 2, 0, 4, 1, 1, 't', 1, 'b', 0};
        byte[] descending = {2, 1, 2, 0, 4, 1, 1, 't', 1, 'b', 1, 1, 0, 4, 1, 1, 't', 1, 'a', 0};
        byte[] third = {1, 1, 3, 0, 4, 1, 1, 't', 1, 'c', 0};
        for (List<byte[]> inputs : List.of(List.of(ascending, third), List.of(third, ascending))) {
            assertThat(Updates.merge(UpdateFormat.V1, inputs))
                    .isEqualTo(Updates.merge(UpdateFormat.V1, List.of(descending, third)));
        }
        assertThat(Updates.diff(UpdateFormat.V1, ascending, EMPTY_SV)).isEqualTo(descending);
        assertThat(Updates.convert(ascending, UpdateFormat.V1, UpdateFormat.V2))
                .isEqualTo(Updates.convert(descending, UpdateFormat.V1, UpdateFormat.V2));
        assertThat(Updates.merge(UpdateFormat.V1, List.of())).isEqualTo(new byte[] {0, 0});
    }

    @Test
    void undefinedFormatHasNoVersion1() {
        UpdateWriter out = UpdateWriter.of(UpdateFormat.V2);
        out.rest.varUint(1);
        out.rest.varUint(1);
        out.client(1);
        out.rest.varUint(0);
        out.info(Kind.FORMAT);
        out.parentIsRoot(true);
        out.string("t");
        out.key("b");
        out.rest.u8(AnyValue.UNDEFINED);
        out.rest.varUint(0);
        byte[] update = out.finish();
        assertThatThrownBy(() -> Updates.convert(update, UpdateFormat.V2, UpdateFormat.V1))
                .isInstanceOf(MalformedUpdateException.class)
                .hasMessageContaining("not-in-v1");
    }
}
