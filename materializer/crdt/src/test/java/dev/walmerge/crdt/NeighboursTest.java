package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What is before an item is found out when somebody asks first, at any time, and kept right from then on. */
class NeighboursTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);

    @TestFactory
    Stream<DynamicTest> theItemBeforeIsTheOneThatThisOneIsBehind() {
        return Vectors.eachScenario(SEED, NeighboursTest::check);
    }

    private static void check(JsonNode scenario) throws Exception {
        Random random = new Random(SEED ^ scenario.get("seed").longValue());
        int[] order = Vectors.order(scenario.at("/orders/shuffledWithDuplicates"));
        List<byte[]> updates = Vectors.updates(scenario, UpdateFormat.V1);
        for (boolean gc : new boolean[] {true, false}) {
            Doc doc = Doc.create(gc);
            int asked = random.nextInt(order.length);
            for (int n = 0; n < order.length; n++) {
                Vectors.apply(doc, UpdateFormat.V1, updates.get(order[n]));
                if (n >= asked) {
                    compare(doc.store());
                }
            }
        }
    }

    private static void compare(StructStore store) {
        int[] before = new int[store.used];
        Arrays.fill(before, StructStore.NONE);
        for (int s = 0; s < store.used; s++) {
            if (!store.isFree(s) && store.right[s] != StructStore.NONE) {
                before[store.right[s]] = s;
            }
        }
        for (int s = 0; s < store.used; s++) {
            if (!store.isFree(s)) {
                assertThat(store.left(s)).as("row %d", s).isEqualTo(before[s]);
            }
        }
    }
}
