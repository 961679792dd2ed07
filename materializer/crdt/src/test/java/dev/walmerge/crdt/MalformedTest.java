package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Truncations and bit flips of recorded updates: a typed error or success, bounded, and nothing changes on an error. */
class MalformedTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);
    private static final int FLIPS = 40;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static List<JsonNode> sample(int ofEach) {
        List<JsonNode> sample = new ArrayList<>();
        for (String family : Vectors.FAMILIES) {
            sample.addAll(Vectors.family(family).subList(0, ofEach));
        }
        return sample;
    }

    @Test
    void everyTruncationIsRefused() throws Exception {
        for (JsonNode scenario : sample(1)) {
            for (UpdateFormat format : UpdateFormat.values()) {
                Doc doc = halfOf(scenario, format);
                byte[] before = doc.encodeStateWithPending(UpdateFormat.V1);
                byte[] merged = merged(scenario, format);
                int step = Math.max(1, merged.length / 400);
                for (int length = 0; length < merged.length; length += step) {
                    byte[] cut = Arrays.copyOf(merged, length);
                    assertThat(refused(doc, format, cut))
                            .as("%s %s cut at %d", scenario.get("id"), format, length)
                            .isTrue();
                }
                assertThat(doc.encodeStateWithPending(UpdateFormat.V1)).isEqualTo(before);
                for (byte[] update : Vectors.updates(scenario, format)) {
                    for (int length = 0; length < update.length; length++) {
                        assertThat(refused(Doc.create(true), format, Arrays.copyOf(update, length)))
                                .isTrue();
                    }
                }
            }
        }
    }

    @Test
    void flippedBitsNeverSurprise() throws Exception {
        Random random = new Random(SEED);
        int refusals = 0;
        int tries = 0;
        for (JsonNode scenario : sample(3)) {
            for (UpdateFormat format : UpdateFormat.values()) {
                List<byte[]> updates = new ArrayList<>(Vectors.updates(scenario, format));
                updates.add(merged(scenario, format));
                Doc doc = halfOf(scenario, format);
                byte[] before = doc.encodeStateWithPending(UpdateFormat.V1);
                for (int i = 0; i < FLIPS; i++) {
                    byte[] flipped = updates.get(random.nextInt(updates.size())).clone();
                    for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                        flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                    tries++;
                    if (refused(doc, format, flipped)) {
                        refusals++;
                        assertThat(doc.encodeStateWithPending(UpdateFormat.V1))
                                .as("seed %d, try %d", SEED, tries)
                                .isEqualTo(before);
                    } else {
                        checkUsable(doc);
                        doc = halfOf(scenario, format);
                    }
                }
            }
        }
        System.out.println("flipped bits: seed " + SEED + ", " + refusals + " of " + tries + " refused");
        assertThat(refusals).isPositive();
    }

    /** What was accepted must be whole: readable, writable, and equal after a round trip. */
    private static void checkUsable(Doc doc) throws Exception {
        Projection.bodyText(doc, null);
        Vectors.JSON.readTree(Projection.bodyJson(doc));
        for (Root root : doc.roots()) {
            Vectors.JSON.readTree(Projection.tree(doc, root.name(), root.type()));
            Projection.xml(doc, root.name());
        }
        for (UpdateFormat format : UpdateFormat.values()) {
            Doc read = Doc.create(true);
            Vectors.apply(read, format, doc.encodeState(format));
            assertThat(read.stateVector()).isEqualTo(doc.stateVector());
        }
        Vectors.apply(Doc.create(true), UpdateFormat.V2, doc.encodeStateWithPending(UpdateFormat.V2));
    }

    private static boolean refused(Doc doc, UpdateFormat format, byte[] update) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            Vectors.apply(doc, format, update);
            return false;
        } catch (MalformedUpdateException e) {
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).isLessThan(64L * update.length + (1 << 20));
            assertThat(e.rule()).matches("[a-z0-9-]+");
            assertThat(e.offset()).isBetween(0, update.length);
            return true;
        }
    }

    private static Doc halfOf(JsonNode scenario, UpdateFormat format) throws Exception {
        Doc doc = Doc.create(true);
        List<byte[]> updates = Vectors.updates(scenario, format);
        for (int i = 0; i < updates.size(); i += i % 3 == 0 ? 1 : 2) {
            Vectors.apply(doc, format, updates.get(i));
        }
        return doc;
    }

    private static byte[] merged(JsonNode scenario, UpdateFormat format) {
        return Vectors.bytes(scenario.at(format == UpdateFormat.V1 ? "/merged/v1" : "/merged/v2"));
    }
}
