package dev.walmerge.bench.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import org.junit.jupiter.api.Test;

class ScaleEditsTest {
    @Test
    void theEditsMakeADocumentOfTheLengthTheyTell() throws MalformedUpdateException {
        for (int clients : new int[] {1, 7, 300}) {
            ScaleEdits edits = new ScaleEdits(clients, 5);
            Doc doc = Doc.create(true);
            for (byte[] update : edits.build(2_000, 30)) {
                apply(doc, update);
            }
            assertThat(Projection.text(doc, "text")).hasSize(2_000);
            for (int i = 0; i < 500; i++) {
                apply(doc, edits.type());
                apply(doc, edits.insert());
                apply(doc, edits.delete());
                apply(doc, edits.delete());
            }
            assertThat(edits.length()).isEqualTo(2_000);
            assertThat(Projection.text(doc, "text")).hasSize(2_000);
        }
    }

    private static void apply(Doc doc, byte[] update) throws MalformedUpdateException {
        assertThat(doc.apply(UpdateFormat.V1, update, 0, update.length)).isEqualTo(Doc.CHANGED);
    }
}
