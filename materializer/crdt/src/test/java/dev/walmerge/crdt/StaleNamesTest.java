package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A struct that is refused or dropped leaves nothing behind for the next one in its row. */
class StaleNamesTest {
    @Test
    void ofARefusedUpdate() throws Exception {
        ByteWriter refused = new ByteWriter();
        start(refused, 1);
        member(refused, "never");
        refused.raw(new byte[] {(byte) 0xff}, 0, 1);
        Doc doc = Doc.create(true);
        assertThatThrownBy(() -> doc.apply(UpdateFormat.V1, refused.array(), 0, refused.size()))
                .isInstanceOf(MalformedUpdateException.class);
        ByteWriter good = new ByteWriter();
        start(good, 1);
        text(good, "hello");
        good.varUint(0);
        doc.apply(UpdateFormat.V1, good.array(), 0, good.size());
        assertThat(Projection.text(doc, "r")).isEqualTo("hello");
        assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(good.toBytes());
    }

    @Test
    void ofAStructOfNoLength() throws Exception {
        ByteWriter update = new ByteWriter();
        start(update, 2);
        member(update, "");
        text(update, "hello");
        update.varUint(0);
        Doc doc = Doc.create(true);
        doc.apply(UpdateFormat.V1, update.array(), 0, update.size());
        assertThat(Projection.text(doc, "r")).isEqualTo("hello");
    }

    private static void start(ByteWriter out, int structs) {
        out.varUint(1);
        out.varUint(structs);
        out.varUint(7);
        out.varUint(0);
    }

    /** A string under a key. */
    private static void member(ByteWriter out, String value) {
        out.u8(Kind.STRING | StructBuffer.HAS_SUB);
        out.varUint(1);
        out.string("r");
        out.string("key");
        out.string(value);
    }

    private static void text(ByteWriter out, String value) {
        out.u8(Kind.STRING);
        out.varUint(1);
        out.string("r");
        out.string(value);
    }
}
