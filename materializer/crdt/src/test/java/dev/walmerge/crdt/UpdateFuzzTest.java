package dev.walmerge.crdt;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes as an update, of an empty document and of one that has content and waits for more. As a test it runs the
 * kept inputs and recorded updates; the README says how to make it look for new ones.
 */
class UpdateFuzzTest {
    private static final int SEED_BYTES = 200;

    @MethodSource("recordedV1")
    @FuzzTest(maxDuration = "5m")
    void v1(byte[] input) throws Exception {
        any(UpdateFormat.V1, input);
    }

    @MethodSource("recordedV2")
    @FuzzTest(maxDuration = "5m")
    void v2(byte[] input) throws Exception {
        any(UpdateFormat.V2, input);
    }

    private static void any(UpdateFormat format, byte[] input) throws Exception {
        // Which of the two it is hardly matters for what is refused, and what is taken comes in many lengths.
        boolean gc = input.length % 2 == 0;
        Soundness.apply(gc, Doc.create(gc), format, input);
        Soundness.apply(gc, SeededDoc.half(gc), format, input);
        Soundness.operations(format, input);
    }

    static Stream<byte[]> recordedV1() {
        return recorded(UpdateFormat.V1);
    }

    static Stream<byte[]> recordedV2() {
        return recorded(UpdateFormat.V2);
    }

    /** Of each family the longest short update and the first one. */
    private static Stream<byte[]> recorded(UpdateFormat format) {
        List<byte[]> updates = new ArrayList<>();
        for (String family : Vectors.FAMILIES) {
            JsonNode scenario = Vectors.family(family).get(0);
            byte[] longest = {0, 0};
            for (byte[] update : Vectors.updates(scenario, format)) {
                longest = update.length > longest.length && update.length <= SEED_BYTES ? update : longest;
            }
            updates.add(longest);
            updates.add(Vectors.updates(scenario, format).get(0));
        }
        return updates.stream();
    }
}
