package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Random concurrent histories made and merged by the real yjs, run by node on demand. */
@EnabledIfSystemProperty(named = "walmerge.yjs", matches = ".+", disabledReason = "-Dwalmerge.yjs=FOLDER with yjs")
class DifferentialTest {
    private static final long SEED = Long.getLong("walmerge.seed", 1L);
    private static final int HISTORIES = Integer.getInteger("walmerge.histories", 500);

    @Test
    void mergesAsYjsDoes() throws Exception {
        Process node = new ProcessBuilder(
                        "node",
                        "src/test/generate/random-histories.mjs",
                        Long.toString(SEED),
                        Integer.toString(HISTORIES),
                        System.getProperty("walmerge.yjs"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int histories = 0;
        int sameBytes = 0;
        try (BufferedReader lines = node.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                sameBytes += check(Vectors.JSON.readTree(line)) ? 1 : 0;
                histories++;
            }
        } finally {
            node.destroy();
        }
        System.out.println("seed " + SEED + ": " + histories + " histories, " + sameBytes + " with the bytes of yjs");
        assertThat(histories).isEqualTo(HISTORIES);
        // What Yjs joins depends a little on order, so a few states are cut otherwise; their content never differs.
        assertThat(sameBytes).isGreaterThan(histories * 9 / 10);
    }

    private static boolean check(JsonNode history) throws Exception {
        String name = "seed " + SEED + ", history " + history.get("n");
        boolean sameBytes = true;
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] state = Vectors.bytes(history.get(format == UpdateFormat.V1 ? "stateV1" : "stateV2"));
            Doc theirs = Doc.create(true);
            Vectors.apply(theirs, format, state);
            List<byte[]> updates = Vectors.updates(history, format);
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < updates.size(); i++) {
                order.add(i);
            }
            Random random = new Random(SEED + history.get("n").intValue());
            for (int round = 0; round < 3; round++) {
                Doc ours = Doc.create(true);
                for (int i : order) {
                    assertThat(Vectors.apply(ours, format, updates.get(i)) & Doc.CONFLICT)
                            .isZero();
                }
                assertThat(ours.hasPending()).as(name).isFalse();
                assertThat(ours.sameContent(theirs)).as(name).isTrue();
                assertThat(Projection.text(ours, "t"))
                        .as(name)
                        .isEqualTo(history.get("text").textValue());
                assertThat(Projection.xml(ours, "x"))
                        .as(name)
                        .isEqualTo(history.get("xml").textValue());
                sameBytes &= Arrays.equals(ours.encodeState(format), state);
                Collections.shuffle(order, random);
            }
        }
        return sameBytes;
    }
}
