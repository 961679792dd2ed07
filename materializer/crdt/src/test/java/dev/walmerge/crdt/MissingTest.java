package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What an update needs, against what a document parks. */
class MissingTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);

    @Test
    void nothingIsMissingExactlyWhenNothingIsParked() throws Exception {
        Random random = new Random(SEED);
        int parked = 0;
        int merged = 0;
        for (String family : Vectors.FAMILIES) {
            for (JsonNode scenario : Vectors.family(family)) {
                for (UpdateFormat format : UpdateFormat.values()) {
                    List<byte[]> updates = Vectors.updates(scenario, format);
                    Doc doc = some(updates, format, random);
                    byte[] sv = doc.stateVector();
                    byte[] update = Updates.merge(format, pick(updates, random));
                    Missing missing = Updates.missing(format, update, sv);
                    boolean waits = (Vectors.apply(doc, format, update) & Doc.PARKED) != 0;
                    assertThat(missing.isEmpty())
                            .as("seed %d, %s", SEED, scenario.get("id"))
                            .isEqualTo(!waits);
                    parked += waits ? 1 : 0;
                    merged += waits ? 0 : 1;
                    checkEnough(doc, missing, updates, format);
                }
            }
        }
        System.out.println("missing: " + parked + " updates parked, " + merged + " merged");
        assertThat(parked).isGreaterThan(20);
        assertThat(merged).isGreaterThan(20);
    }

    /** All named clocks are beyond the state then, and with the rest nothing waits. */
    private static void checkEnough(Doc doc, Missing missing, List<byte[]> updates, UpdateFormat format)
            throws Exception {
        for (ClockRange range : missing.structs()) {
            assertThat(range.from()).isLessThan(range.to());
        }
        for (byte[] update : updates) {
            Vectors.apply(doc, format, update);
        }
        assertThat(doc.hasPending()).isFalse();
        for (ClockRange range : missing.structs()) {
            assertThat(doc.store().clients.stateOf(range.client())).isGreaterThanOrEqualTo(range.to());
        }
        byte[] all = doc.encodeState(format);
        assertThat(Updates.missing(format, all, doc.stateVector()).isEmpty()).isTrue();
        assertThat(Updates.missing(format, all, new byte[] {0}).isEmpty()).isTrue();
    }

    /** A document of a causal prefix, so that nothing waits in it. */
    private static Doc some(List<byte[]> updates, UpdateFormat format, Random random) throws Exception {
        Doc doc = Doc.create(true);
        int count = random.nextInt(updates.size());
        for (int i = 0; i < count; i++) {
            Vectors.apply(doc, format, updates.get(i));
        }
        return doc;
    }

    private static List<byte[]> pick(List<byte[]> updates, Random random) {
        int from = random.nextInt(updates.size());
        int to = Math.min(updates.size(), from + 1 + random.nextInt(6));
        List<byte[]> picked = new ArrayList<>();
        for (int i = from; i < to; i++) {
            if (picked.isEmpty() || random.nextInt(4) > 0) {
                picked.add(updates.get(i));
            }
        }
        return picked;
    }

    @Test
    void rangesAreExact() throws Exception {
        Doc doc = Doc.create(true);
        // Client 5: "abc" at 0; then "d" at 7 behind (6, 2), deleting (5, 1) and (7, 4).
        UpdateWriter out = UpdateWriter.of(UpdateFormat.V1);
        out.rest.varUint(1);
        out.rest.varUint(1);
        out.client(5);
        out.rest.varUint(7);
        out.info(Kind.STRING | StructBuffer.HAS_ORIGIN);
        out.leftId(6, 2);
        out.string("d");
        out.rest.varUint(2);
        out.rest.varUint(7);
        out.rest.varUint(1);
        out.deleteRange(4, 1);
        out.rest.varUint(5);
        out.rest.varUint(2);
        out.deleteRange(1, 1);
        out.deleteRange(7, 1);
        byte[] update = out.finish();
        Missing missing = Updates.missing(UpdateFormat.V1, update, doc.stateVector());
        assertThat(missing.structs()).containsExactly(new ClockRange(6, 0, 3), new ClockRange(5, 0, 7));
        assertThat(missing.deletes()).containsExactly(new ClockRange(7, 4, 5), new ClockRange(5, 1, 2));
        byte[] known = {3, 7, 5, 6, 2, 5, 7};
        assertThat(Updates.missing(UpdateFormat.V1, update, known))
                .isEqualTo(new Missing(List.of(new ClockRange(6, 2, 3)), List.of()));
    }
}
