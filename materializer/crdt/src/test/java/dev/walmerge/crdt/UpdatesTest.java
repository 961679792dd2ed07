package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Updates merged, cut and converted without a document: the bytes of yjs in every recorded scenario. */
class UpdatesTest {
    @TestFactory
    Stream<DynamicTest> bytesOfYjs() {
        return Vectors.FAMILIES.stream()
                .flatMap(family -> Vectors.family(family).stream())
                .map(scenario -> DynamicTest.dynamicTest(scenario.get("id").textValue(), () -> check(scenario)));
    }

    private static void check(JsonNode scenario) throws Exception {
        for (UpdateFormat format : UpdateFormat.values()) {
            String v = format == UpdateFormat.V1 ? "V1" : "V2";
            List<byte[]> updates = Vectors.updates(scenario, format);
            byte[] merged = Updates.merge(format, updates);
            assertThat(merged).isEqualTo(at(scenario, "/merged/" + (format == UpdateFormat.V1 ? "v1" : "v2")));
            assertThat(StateVectors.fromUpdate(format, merged, 0, merged.length))
                    .isEqualTo(at(scenario, "/merged/svFromUpdate"));
            assertThat(Updates.diff(format, merged, at(scenario, "/diff/sv"))).isEqualTo(at(scenario, "/diff/upd" + v));
            List<byte[]> part = new ArrayList<>();
            for (int i : Vectors.order(scenario.at("/partial/order"))) {
                part.add(updates.get(i));
            }
            assertThat(Updates.merge(format, part)).isEqualTo(at(scenario, "/partial/merged" + v));
        }
        byte[] v1 = at(scenario, "/merged/v1");
        byte[] v2 = Updates.convert(v1, UpdateFormat.V1, UpdateFormat.V2);
        assertThat(v2).isEqualTo(at(scenario, "/merged/v1ToV2"));
        assertThat(Updates.convert(v2, UpdateFormat.V2, UpdateFormat.V1)).isEqualTo(v1);
    }

    private static byte[] at(JsonNode scenario, String path) {
        return Vectors.bytes(scenario.at(path));
    }
}
