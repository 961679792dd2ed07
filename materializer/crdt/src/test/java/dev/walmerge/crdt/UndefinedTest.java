package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** An attribute that is undefined: Yjs writes it in version 2, and in version 1 in a way that no Yjs can read. */
class UndefinedTest {
    /** {@code text.insert(0, 'abc', {b: undefined})} and a null attribute, by yjs 13.6.33 (root t, client 1). */
    private static final byte[] V2 =
            HexFormat.of().parseHex("00020002024101020006000506008400860b0674626162636241000301010100000103007f7e00");

    private static final String STATE_V1 = "01030100060101740162046e756c6c840100036162638601030162046e756c6c00";

    @Test
    void versionOneWritesNull() throws MalformedUpdateException {
        Doc doc = Doc.create(true);
        Vectors.apply(doc, UpdateFormat.V2, V2);

        byte[] state = doc.encodeState(UpdateFormat.V1);

        assertThat(HexFormat.of().formatHex(state)).isEqualTo(STATE_V1);
        assertThat(doc.drainChanges(UpdateFormat.V1)).isEqualTo(state);
        Doc again = Doc.create(true);
        Vectors.apply(again, UpdateFormat.V1, state);
        assertThat(Projection.text(again, "t")).isEqualTo("abc");
        assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(V2);
    }

    @Test
    void whatYjsWritesInVersionOneIsRead() throws MalformedUpdateException {
        byte[] ofYjs =
                HexFormat.of().parseHex("0103010006010174016209756e646566696e6564840100036162638601030162046e756c6c00");
        Doc doc = Doc.create(true);

        Vectors.apply(doc, UpdateFormat.V1, ofYjs);

        assertThat(Projection.text(doc, "t")).isEqualTo("abc");
        assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(V2);
    }
}
