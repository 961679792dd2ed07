package dev.walmerge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.walmerge.crdt.BodyProjection;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentStore;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.StoredDocument;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every recorded Yjs scenario of the core's test resources as a document of one database, its updates shuffled and
 * repeated, and the engine closed in the middle, at seeded moments, without a word: what is stored in the end equals what
 * the core makes of the same updates directly.
 */
final class VectorsTest {
    private static final Path VECTORS = Path.of("..", "crdt", "src", "test", "resources", "vectors", "yjs");
    private static final long SEED = 20261201;
    private static final int CRASHES = 6;

    @TempDir
    Path journal;

    private record Scenario(String id, JsonNode json, Doc doc) {}

    private record Transaction(long commitLsn, long endLsn, Op op) {}

    @Test
    void whatIsStoredIsWhatTheCoreSays() throws Exception {
        assertThat(VECTORS).isDirectory();
        List<Scenario> scenarios = scenarios();
        List<Transaction> stream = stream(scenarios, new Random(SEED));
        try (EngineFixture fixture = new EngineFixture(journal)) {
            replay(fixture, stream);
            try (DocumentStore store = new DocumentStore(fixture.database::connect)) {
                for (Scenario scenario : scenarios) {
                    check(scenario, store.load(new DocumentKey("default", scenario.id)), fixture);
                }
            }
            assertThat(fixture.one("select count(*) from crdt.dead_letter")).isEqualTo("0");
            assertThat(fixture.one("select count(*) from crdt.parked")).isEqualTo("0");
            assertThat(fixture.one("select count(*) from crdt.docs where error is not null or not complete"))
                    .isEqualTo("0");
            assertThat(fixture.one("select sum(op_count) from crdt.docs"))
                    .as("each op counted once, however often it came")
                    .isEqualTo(Integer.toString(stream.size()));
        }
    }

    private void replay(EngineFixture fixture, List<Transaction> stream) throws Exception {
        Random random = new Random(SEED);
        Policy policy = policy();
        EngineSettings settings =
                fixture.settings().shards(2).memoryBytes(1 << 20).build();
        int sent = 0;
        for (int life = 0; life <= CRASHES; life++) {
            Lease lease = fixture.takeOver();
            int at = firstFrom(stream, lease.written());
            assertThat(at)
                    .as("nothing that is said to be written was never sent")
                    .isLessThanOrEqualTo(sent);
            int until = life == CRASHES ? stream.size() : at + random.nextInt((stream.size() - at) / 2);
            fixture.engine = Engine.start(settings, fixture.database::connect, lease, Map.of("default", policy));
            for (; at < until; at++) {
                Transaction transaction = stream.get(at);
                fixture.engine.sink().begin(transaction.commitLsn, 0);
                fixture.engine.sink().op(transaction.op);
                fixture.engine.sink().commit(transaction.endLsn);
            }
            sent = Math.max(sent, at);
            if (life < CRASHES) {
                fixture.engine.close();
            }
        }
        assertThat(fixture.engine.drain(Duration.ofSeconds(60))).isTrue();
        assertThat(fixture.engine.failure()).isNull();
    }

    private static int firstFrom(List<Transaction> stream, long written) {
        int at = 0;
        while (at < stream.size() && stream.get(at).commitLsn < written) {
            at++;
        }
        return at;
    }

    private static void check(Scenario scenario, StoredDocument stored, EngineFixture fixture) throws Exception {
        Doc loaded = Doc.create(true);
        loaded.apply(UpdateFormat.V1, stored.state(), 0, stored.state().length);
        for (byte[] tail : stored.changes()) {
            loaded.apply(UpdateFormat.V1, tail, 0, tail.length);
        }
        assertThat(loaded.hasPending()).as(scenario.id).isFalse();
        assertThat(loaded.sameContent(scenario.doc)).as(scenario.id).isTrue();
        assertThat(loaded.stateVector()).as(scenario.id).isEqualTo(base64(scenario.json.at("/expect/sv")));
        assertThat(stored.text()).as(scenario.id).isEqualTo(Projection.bodyText(scenario.doc, null));
        JsonNode text = scenario.json.at("/expect/text");
        if (text.size() == 1
                && scenario.json.get("roots").size() == 1
                && !text.elements().next().isNull()) {
            assertThat(stored.text())
                    .as(scenario.id)
                    .isEqualTo(text.elements().next().textValue());
        }
        if (!Projection.isPureText(scenario.doc)) {
            assertThat(fixture.one("select body_json = '"
                            + Projection.bodyJson(scenario.doc, BodyProjection.AUTO, null)
                                    .replace("'", "''")
                            + "'::jsonb from crdt.docs where doc = '" + scenario.id + "'"))
                    .as(scenario.id)
                    .isEqualTo("t");
        }
    }

    /** The updates of all scenarios, each in its shuffled order, interleaved; one transaction an update. */
    private static List<Transaction> stream(List<Scenario> scenarios, Random random) throws Exception {
        List<Integer> turns = new ArrayList<>();
        for (int i = 0; i < scenarios.size(); i++) {
            JsonNode order = scenarios.get(i).json.at("/orders/shuffledWithDuplicates");
            turns.addAll(Collections.nCopies(order.size(), i));
        }
        Collections.shuffle(turns, random);
        int[] next = new int[scenarios.size()];
        List<Transaction> stream = new ArrayList<>();
        for (int turn : turns) {
            Scenario scenario = scenarios.get(turn);
            int index = scenario.json
                    .at("/orders/shuffledWithDuplicates")
                    .get(next[turn]++)
                    .intValue();
            JsonNode update = scenario.json.get("updates").get(index);
            boolean v2 = random.nextBoolean();
            byte[] payload = base64(update.get(v2 ? "v2" : "v1"));
            scenario.doc.apply(v2 ? UpdateFormat.V2 : UpdateFormat.V1, payload, 0, payload.length);
            long lsn = 0x1000 + stream.size() * 0x40L;
            Op op = new Op("default", scenario.id, v2 ? "yjs-v2" : null, payload, null, "app", stream.size() + 1);
            stream.add(new Transaction(lsn, lsn + 0x40, op));
        }
        return stream;
    }

    private static List<Scenario> scenarios() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<Scenario> scenarios = new ArrayList<>();
        try (Stream<Path> files = Files.list(VECTORS)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".jsonl.gz"))
                    .sorted()
                    .toList()) {
                try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        JsonNode json = mapper.readTree(line);
                        scenarios.add(new Scenario(json.get("id").textValue(), json, Doc.create(true)));
                    }
                }
            }
        }
        return scenarios;
    }

    /** Flushes soon and folds often, so that every step happens many times. */
    private static Policy policy() {
        return new Policy(
                "yjs-v1",
                null,
                false,
                Duration.ofMillis(5),
                Duration.ofMillis(20),
                Integer.MAX_VALUE,
                Duration.ofSeconds(1),
                2_000,
                0.5,
                3,
                Duration.ofMillis(200),
                Duration.ofHours(1));
    }

    private static byte[] base64(JsonNode node) {
        return Base64.getDecoder().decode(node.textValue());
    }
}
