package dev.walmerge.bench.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The core on real histories: the oracle is the text that yjs gave. */
final class TraceMergeTest {
    static Stream<Trace> traces() {
        return TraceLibrary.open().traces().stream();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void givesTheTextThatYjsGives(Trace trace) throws MalformedUpdateException {
        Doc doc = merge(trace.updates());
        assertThat(doc.hasPending()).isFalse();
        String text = Projection.bodyText(doc, null);
        assertThat(text).hasSize(trace.textLength());
        assertThat(TraceLibrary.sha256(text)).isEqualTo(trace.textSha256());
    }

    @Test
    void readsTheTodoList() throws MalformedUpdateException {
        byte[] update = HexFormat.of().parseHex(TraceLibrary.open().todoHex());
        assertThat(Projection.bodyJson(merge(List.of(update))))
                .contains("\"todo\":{", "\"title\":\"Groceries\"", "{\"what\":\"milk\",\"done\":true}");
    }

    private static Doc merge(List<byte[]> updates) throws MalformedUpdateException {
        Doc doc = Doc.create(true);
        for (byte[] update : updates) {
            doc.apply(UpdateFormat.V1, update, 0, update.length);
        }
        return doc;
    }
}
