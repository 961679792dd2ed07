package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What is drained at random moments, given to another document, makes it the same. */
class DrainTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_202L);

    @TestFactory
    Stream<DynamicTest> drainedChangesMakeTheSameDocument() {
        return Vectors.eachScenario(SEED, DrainTest::check);
    }

    private static void check(JsonNode scenario) throws Exception {
        Random random = new Random(SEED ^ scenario.get("seed").longValue());
        int[] order = Vectors.order(scenario.at("/orders/shuffledWithDuplicates"));
        for (UpdateFormat format : UpdateFormat.values()) {
            for (boolean gc : new boolean[] {true, false}) {
                List<byte[]> updates = Vectors.updates(scenario, format);
                Doc source = Doc.create(gc);
                Doc copy = Doc.create(gc);
                List<byte[]> drained = new ArrayList<>();
                for (int i : order) {
                    Vectors.apply(source, format, updates.get(i));
                    if (random.nextInt(4) == 0) {
                        drain(source, copy, format, drained);
                        assertThat(source.drainChanges(format)).isNull();
                    }
                }
                drain(source, copy, format, drained);
                assertThat(copy.sameContent(source)).isTrue();
                assertThat(copy.hasPending()).isFalse();
                assertThat(copy.encodeState(format)).isEqualTo(source.encodeState(format));
                Doc backwards = Doc.create(gc);
                for (int i = drained.size() - 1; i >= 0; i--) {
                    Vectors.apply(backwards, format, drained.get(i));
                }
                assertThat(backwards.sameContent(source)).isTrue();
                assertThat(framed(drained, format, gc).sameContent(source)).isTrue();
            }
        }
    }

    /** All drained updates in one row, each behind its length: parts of one array are updates too. */
    private static Doc framed(List<byte[]> drained, UpdateFormat format, boolean gc) throws Exception {
        ByteWriter row = new ByteWriter();
        for (byte[] update : drained) {
            row.varUint(update.length);
            row.raw(update, 0, update.length);
        }
        Doc doc = Doc.create(gc);
        ByteReader outer = new ByteReader().reset(row.array(), 0, 0, row.size());
        while (!outer.atEnd()) {
            ByteReader frame = new ByteReader().takeFrom(outer);
            doc.apply(format, frame.bytes(), frame.pos(), frame.remaining());
        }
        return doc;
    }

    private static void drain(Doc source, Doc copy, UpdateFormat format, List<byte[]> drained) throws Exception {
        byte[] changes = source.drainChanges(format);
        if (changes != null) {
            drained.add(changes);
            assertThat(Vectors.apply(copy, format, changes)).isEqualTo(Doc.CHANGED);
            assertThat(copy.stateVector()).isEqualTo(source.stateVector());
        }
    }

    @Test
    void nothingToDrainAtFirstOrAfterDiscarding() throws Exception {
        JsonNode scenario = Vectors.family("text-plain").get(0);
        Doc doc = Doc.create(true);
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
        List<byte[]> updates = Vectors.updates(scenario, UpdateFormat.V1);
        for (byte[] update : updates) {
            Vectors.apply(doc, UpdateFormat.V1, update);
        }
        doc.discardChanges();
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
        Vectors.apply(doc, UpdateFormat.V1, updates.get(0));
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
    }

    @Test
    void costOfADrainIsThatOfTheChange() throws Exception {
        Doc doc = Doc.create(true);
        ByteWriter update = new ByteWriter();
        for (int clock = 0; clock < 100_000; clock++) {
            update.clear();
            // Two clients take turns, so that nothing joins.
            update.varUint(1);
            update.varUint(1);
            update.varUint(1 + clock % 2);
            update.varUint(clock / 2);
            update.u8(Kind.STRING | (clock == 0 ? 0 : StructBuffer.HAS_ORIGIN));
            if (clock == 0) {
                update.varUint(1);
                update.string("t");
            } else {
                update.varUint(1 + (clock - 1) % 2);
                update.varUint((clock - 1) / 2);
            }
            update.string("x");
            update.varUint(0);
            assertThat(doc.apply(UpdateFormat.V1, update.array(), 0, update.size()))
                    .isEqualTo(Doc.CHANGED);
            assertThat(doc.drainChanges(UpdateFormat.V1)).isEqualTo(update.toBytes());
        }
        assertThat(doc.structCount()).isEqualTo(100_000);
    }
}
