package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Any order, duplication, grouping and mix of formats gives the same document. */
class ConvergencePropertyTest {
    private static final List<JsonNode> SCENARIOS = new ArrayList<>();

    static {
        for (String family : Vectors.FAMILIES) {
            SCENARIOS.addAll(Vectors.family(family));
        }
    }

    @Provide
    Arbitrary<JsonNode> scenarios() {
        return Arbitraries.of(SCENARIOS);
    }

    @Property(tries = 150)
    void orderAndDuplicationDontMatter(@ForAll("scenarios") JsonNode scenario, @ForAll long seed) throws Exception {
        Random random = new Random(seed);
        int count = scenario.get("updates").size();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            order.add(i);
            if (random.nextInt(5) == 0) {
                order.add(random.nextInt(count));
            }
        }
        Collections.shuffle(order, random);
        List<byte[]> v1 = Vectors.updates(scenario, UpdateFormat.V1);
        List<byte[]> v2 = Vectors.updates(scenario, UpdateFormat.V2);
        Doc shuffled = Doc.create(true);
        for (int i : order) {
            boolean first = random.nextBoolean();
            Vectors.apply(shuffled, first ? UpdateFormat.V1 : UpdateFormat.V2, first ? v1.get(i) : v2.get(i));
        }
        Doc ordered = Vectors.replica(v1, UpdateFormat.V1, true, Vectors.creationOrder(count));
        assertThat(shuffled.hasPending()).isFalse();
        assertThat(shuffled.sameContent(ordered)).isTrue();
        assertThat(shuffled.stateVector()).isEqualTo(ordered.stateVector());
        assertThat(shuffled.encodeState(UpdateFormat.V1)).isEqualTo(ordered.encodeState(UpdateFormat.V1));
    }

    @Property(tries = 100)
    void replicasThatExchangeStatesConverge(@ForAll("scenarios") JsonNode scenario, @ForAll long seed)
            throws Exception {
        Random random = new Random(seed);
        List<byte[]> updates = Vectors.updates(scenario, UpdateFormat.V2);
        Doc[] replicas = {Doc.create(true), Doc.create(true), Doc.create(false)};
        for (byte[] update : updates) {
            Vectors.apply(replicas[random.nextInt(replicas.length)], UpdateFormat.V2, update);
            if (random.nextInt(6) == 0) {
                Doc from = replicas[random.nextInt(replicas.length)];
                Doc to = replicas[random.nextInt(replicas.length)];
                UpdateFormat format = random.nextBoolean() ? UpdateFormat.V1 : UpdateFormat.V2;
                Vectors.apply(to, format, from.encodeStateSince(format, to.stateVector()));
            }
        }
        for (Doc from : replicas) {
            for (Doc to : replicas) {
                Vectors.apply(to, UpdateFormat.V1, from.encodeStateWithPending(UpdateFormat.V1));
            }
        }
        for (Doc from : replicas) {
            for (Doc to : replicas) {
                Vectors.apply(to, UpdateFormat.V1, from.encodeStateWithPending(UpdateFormat.V1));
            }
        }
        for (Doc replica : replicas) {
            assertThat(replica.hasPending()).isFalse();
            assertThat(Vectors.view(replica, scenario.get("roots")))
                    .isEqualTo(Vectors.expectedView(scenario.get("expect")));
        }
        assertThat(replicas[0].sameContent(replicas[1])).isTrue();
    }
}
