package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Any bytes as a {@link Script} of updates, well-formed but such as no editor would send. */
class HistoryFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void history(byte[] input) throws Exception {
        Script script = new Script(input);
        List<Script.Update> updates = script.updates();
        Doc doc = Doc.create(true);
        Doc other = Doc.create(true);
        other.open().integrator.longScan = 0;
        Doc keeping = Doc.create(false);
        Doc mirror = Doc.create(true);
        boolean straight = true;
        for (Script.Update update : updates) {
            int flags = Vectors.apply(doc, UpdateFormat.V1, update.v1());
            assertThat(Vectors.apply(other, UpdateFormat.V2, update.v2()))
                    .as("flags")
                    .isEqualTo(flags);
            Vectors.apply(keeping, UpdateFormat.V1, update.v1());
            assertThat(doc.pending()).isEqualTo(other.pending());
            byte[] changes = doc.drainChanges(UpdateFormat.V1);
            assertThat(changes == null).isEqualTo((flags & Doc.CHANGED) == 0);
            if (changes != null) {
                assertThat(Vectors.apply(mirror, UpdateFormat.V1, changes) & Doc.PARKED)
                        .isZero();
            }
            straight &= Straightness.of(doc.store());
        }
        assertThat(doc.sameContent(other)).as("both formats").isTrue();
        assertThat(keeping.stateVector()).isEqualTo(doc.stateVector());
        Soundness.check(true, doc);
        Soundness.check(false, keeping);
        if (straight) {
            assertThat(mirror.sameContent(doc)).as("what was drained").isTrue();
        }
        if (Straightness.of(keeping.store())) {
            Doc then = keeping.at(keeping.snapshot());
            assertThat(then.sameContent(keeping)).as("at its own snapshot").isTrue();
        }
        withoutADocument(script, updates, doc);
    }

    /** Clocks and what is missing don't depend on order, nor on whether updates are merged before. */
    private static void withoutADocument(Script script, List<Script.Update> updates, Doc doc) throws Exception {
        if (script.overlaps) {
            return;
        }
        Collections.reverse(updates);
        for (UpdateFormat format : UpdateFormat.values()) {
            List<byte[]> ofFormat = new ArrayList<>();
            Doc reversed = Doc.create(true);
            for (Script.Update update : updates) {
                ofFormat.add(update.in(format));
                Vectors.apply(reversed, format, update.in(format));
            }
            Doc merged = Doc.create(true);
            Vectors.apply(merged, format, Updates.merge(format, ofFormat));
            for (Doc any : List.of(reversed, merged)) {
                assertThat(any.stateVector()).isEqualTo(doc.stateVector());
                assertThat(any.hasPending()).isEqualTo(doc.hasPending());
            }
        }
    }
}
