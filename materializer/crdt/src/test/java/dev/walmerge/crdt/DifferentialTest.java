package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Random concurrent histories over all types, made and merged by the real yjs: some recorded, any number run by node on
 * demand, which then loads the states made of them.
 */
class DifferentialTest {
    private static final long SEED = Long.getLong("walmerge.seed", 1L);
    private static final int HISTORIES = Integer.getInteger("walmerge.histories", 500);

    @Test
    void mergesWhatIsRecordedAsYjsDid() throws Exception {
        int histories = 0;
        int sameBytes = 0;
        try (InputStream in = DifferentialTest.class.getResourceAsStream("/vectors/random-histories.jsonl.gz");
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(new GZIPInputStream(in), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                sameBytes += new RandomHistory(Vectors.JSON.readTree(line), "recorded").check() ? 1 : 0;
                histories++;
            }
        }
        report("recorded", histories, sameBytes);
        assertThat(histories).isEqualTo(60);
    }

    @Test
    @EnabledIfSystemProperty(named = "walmerge.yjs", matches = ".+", disabledReason = "-Dwalmerge.yjs=FOLDER with yjs")
    void mergesAsYjsDoesAndIsLoadedByIt() throws Exception {
        Path generator = Path.of(System.getProperty("walmerge.yjs"), "random-histories.mjs");
        Process node = new ProcessBuilder(
                        "node", generator.toString(), Long.toString(SEED), Integer.toString(HISTORIES), "talk")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int histories = 0;
        int sameBytes = 0;
        try (BufferedReader lines = node.inputReader(StandardCharsets.UTF_8);
                BufferedWriter replies = node.outputWriter(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                RandomHistory history = new RandomHistory(Vectors.JSON.readTree(line), "seed " + SEED);
                sameBytes += history.check() ? 1 : 0;
                replies.write(states(history.made()));
                replies.newLine();
                replies.flush();
                JsonNode verdict = Vectors.JSON.readTree(lines.readLine());
                assertThat(verdict.path("loaded").asBoolean())
                        .as("%s: yjs shows a state of ours differently: %s", history, verdict)
                        .isTrue();
                histories++;
            }
        } finally {
            node.destroy();
        }
        report("seed " + SEED, histories, sameBytes);
        assertThat(histories).isEqualTo(HISTORIES);
    }

    private static void report(String what, int histories, int sameBytes) {
        System.out.println(what + ": " + histories + " histories, " + sameBytes + " with the bytes of yjs");
        // What Yjs joins depends a little on order, so a few states are cut otherwise; their content never differs.
        assertThat(sameBytes).isGreaterThan(histories * 9 / 10);
    }

    private static String states(List<RandomHistory.State> made) {
        ObjectNode reply = Vectors.JSON.createObjectNode();
        ArrayNode states = reply.putArray("states");
        for (RandomHistory.State state : made) {
            states.addObject()
                    .put(
                            state.format() == UpdateFormat.V1 ? "v1" : "v2",
                            Base64.getEncoder().encodeToString(state.bytes()))
                    .put("gc", state.gc());
        }
        return reply.toString();
    }
}
