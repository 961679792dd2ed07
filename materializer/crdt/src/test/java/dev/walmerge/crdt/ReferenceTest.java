package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The document against its slow twin, and the twin against what yjs recorded. */
class ReferenceTest {
    @Test
    void showsWhatIsRecorded() {
        int scenarios = 0;
        for (String family : Vectors.FAMILIES) {
            for (JsonNode scenario : Vectors.family(family)) {
                List<byte[]> updates = Vectors.updates(scenario, UpdateFormat.V1);
                JsonNode expect = scenario.get("expect");
                for (JsonNode order : scenario.get("orders")) {
                    checkTwin(scenario, picked(updates, order), expect);
                }
                checkTwin(scenario, updates, expect);
                checkTwin(scenario, picked(updates, scenario.at("/partial/order")), scenario.get("partial"));
                scenarios++;
            }
        }
        assertThat(scenarios).isEqualTo(150);
    }

    private static void checkTwin(JsonNode scenario, List<byte[]> updates, JsonNode expect) {
        ReferenceDoc twin = new ReferenceDoc();
        updates.forEach(update -> twin.apply(List.of(update)));
        String id = scenario.get("id").textValue();
        assertThat(twin.stateVector()).as(id).isEqualTo(ReferenceReader.stateVector(Vectors.bytes(expect.get("sv"))));
        for (JsonNode root : scenario.get("roots")) {
            String name = root.get("name").textValue();
            JsonNode shown = ReferenceView.tree(twin.root(name), Vectors.type(root));
            JsonNode expected = Vectors.joined(expect.get("tree").get(name));
            assertThat(ReferenceReader.plain(shown)).as(id).isEqualTo(ReferenceReader.plain(expected));
            if (Vectors.type(root) == RootType.TEXT) {
                assertThat(ReferenceView.text(twin.root(name)))
                        .as(id)
                        .isEqualTo(expect.get("text").get(name).textValue());
            }
        }
    }

    @Test
    void mergesWhatIsRecordedAsTheTwinDoes() {
        for (String family : Vectors.FAMILIES) {
            for (JsonNode scenario : Vectors.family(family)) {
                List<byte[]> updates = Vectors.updates(scenario, UpdateFormat.V1);
                checkDoc(scenario, updates);
                for (JsonNode order : scenario.get("orders")) {
                    checkDoc(scenario, picked(updates, order));
                }
            }
        }
        for (JsonNode history : Vectors.read("/vectors/random-histories.jsonl.gz")) {
            List<byte[]> updates = Vectors.updates(history, UpdateFormat.V1);
            checkDoc(history, updates);
            checkDoc(history, picked(updates, history.get("order")));
        }
    }

    private static void checkDoc(JsonNode record, List<byte[]> updates) {
        List<Delivery> deliveries = new ArrayList<>();
        for (byte[] update : updates) {
            deliveries.add(
                    new Delivery(deliveries.size() % 2 == 0 ? UpdateFormat.V1 : UpdateFormat.V2, List.of(update)));
        }
        assertThat(Twins.difference(true, deliveries, 1 + deliveries.size() / 2))
                .as(record.path("id").asText() + record.path("n").asText())
                .isNull();
    }

    private static List<byte[]> picked(List<byte[]> updates, JsonNode order) {
        List<byte[]> picked = new ArrayList<>();
        for (int i : Vectors.order(order)) {
            picked.add(updates.get(i));
        }
        return picked;
    }
}
