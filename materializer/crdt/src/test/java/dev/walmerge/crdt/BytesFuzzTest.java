package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.SortedMap;

/** Any bytes as a state vector, a snapshot or a relative position. */
class BytesFuzzTest {
    @FuzzTest(maxDuration = "2m")
    void stateVector(byte[] input) throws Exception {
        Doc doc = SeededDoc.half(true);
        SortedMap<Long, Integer> clocks = Soundness.resultOrNull(input, 0, () -> StateVectors.decode(input));
        byte[] full = doc.encodeState(UpdateFormat.V1);
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] state = doc.encodeState(format);
            byte[] since = Soundness.resultOrNull(input, 0, () -> doc.encodeStateSince(format, input));
            byte[] diff = Soundness.resultOrNull(input, state.length, () -> Updates.diff(format, state, input));
            Missing missing = Soundness.resultOrNull(input, state.length, () -> Updates.missing(format, state, input));
            for (Object result : new Object[] {since, diff, missing}) {
                assertThat(result == null).isEqualTo(clocks == null);
            }
            if (clocks != null) {
                Doc again = Doc.create(true);
                Vectors.apply(again, format, since);
                Vectors.apply(again, format, diff);
                Vectors.apply(again, UpdateFormat.V1, full);
                assertThat(again.sameContent(doc)).isTrue();
            }
        }
    }

    @FuzzTest(maxDuration = "2m")
    void snapshot(byte[] input) throws Exception {
        Doc doc = SeededDoc.half(false);
        for (UpdateFormat format : UpdateFormat.values()) {
            Snapshot snapshot = Soundness.resultOrNull(input, 0, () -> Snapshot.decode(format, input));
            if (snapshot != null) {
                assertThat(Snapshot.decode(format, snapshot.encode(format))).isEqualTo(snapshot);
                int size = doc.encodeState(UpdateFormat.V1).length;
                Doc then = Soundness.resultOrNull(input, size, () -> doc.at(snapshot));
                if (then != null) {
                    Soundness.check(false, then);
                }
            }
        }
    }

    @FuzzTest(maxDuration = "2m")
    void position(byte[] input) throws Exception {
        Doc doc = SeededDoc.half(false);
        RelativePosition position = Soundness.resultOrNull(input, 0, () -> RelativePosition.decode(input));
        if (position != null) {
            assertThat(RelativePosition.decode(position.encode())).isEqualTo(position);
            position.in(doc);
        }
    }
}
