package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Yjs 14 and Yrs write that Yjs 13 doesn't. */
class OtherWritersTest {
    /** By @y/y 14.0.0-rc.7: unnamed types (ref 4) with text, attributes, values; named ones (ref 3) with text. */
    private static final String YJS_14 =
            "ARMHAAcBBHJvb3QEBAAHAApoZWxsbyB0ZXh0hwcABCgABwsBawF9ASgABwsBegF3AXaHBwsECAAHDgN9AX0CdgEBeH0B"
                    + "hwcOAwFwBAAHEgRwYXJhKAAHEgJpZAF3AXiHBxIEBAAHGAJhYigABxgBcQF4hwcYAwRsaXN0BwAHHAMEaXRlbQQABx0B"
                    + "b4QHHgJuZUYHHgRib2xkBHRydWXGBx4HHwRib2xkBG51bGwA";

    @Test
    void typesOfYjs14AreShownByTheirContent() throws Exception {
        byte[] update = Base64.getDecoder().decode(YJS_14);
        Doc doc = Doc.create(true);
        assertThat(Vectors.apply(doc, UpdateFormat.V1, update)).isEqualTo(Doc.CHANGED);
        assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(update);
        assertThat(Projection.json(doc, "root", RootType.ARRAY))
                .isEqualTo("[\"hello text\",{\"k\":1,\"z\":\"v\"},[1,2,{\"x\":1}],\"<p id=\\\"x\\\">para</p>\","
                        + "\"ab\",\"<list><item>one</item></list>\"]");
        assertThat(Projection.tree(doc, "root", RootType.ARRAY))
                .contains("{\"k\":\"text\",\"len\":2,\"delta\":[{\"insert\":\"ab\"}],\"attrs\":{\"q\":true}}")
                .contains("{\"k\":\"map\",\"e\":{\"k\":{\"v\":1},\"z\":{\"v\":\"v\"}}}");
    }

    /** By ywasm 0.18.3: links to a map key, quotations of a text, an array and a nested text. */
    private static final String YRS_V1 =
            "AQ4JAAQBAXQBaIQJAANlbGyECQMBbygBAW0BawF3AXYnAQFtAWwHBAkFJwEBbQFxBwUJAQkDCAEBYQF9AYgJCAJ9An0D"
                    + "hwkKBwEJCAkJJwEBbQFmBwQJACcBAW0BbgIEAAkNAW6ECQ4DZXN0JwEBbQJuZgcECQ4A";

    private static final String YRS_V2 =
            "AAACSQUGAAYKBAYCABUEAIQBKAAnAQgAiACHACcBBACEACchGHRoZWxsb21rbWxtcWFtZm1ubmVzdG1uZkEAA0ELAwEC"
                    + "BQEGAAABBEcCAgcDQQACAQ4AdwF2BAkFBQkBCQN9AX0CfQMBCQgJCQQJAAQJDgA=";

    @Test
    void weakLinksOfYrsAreKept() throws Exception {
        byte[] v1 = Base64.getDecoder().decode(YRS_V1);
        byte[] v2 = Base64.getDecoder().decode(YRS_V2);
        assertThat(Updates.convert(v2, UpdateFormat.V2, UpdateFormat.V1)).isEqualTo(v1);
        assertThat(Updates.convert(
                        Updates.convert(v1, UpdateFormat.V1, UpdateFormat.V2), UpdateFormat.V2, UpdateFormat.V1))
                .isEqualTo(v1);
        Doc a = Doc.create(true);
        Doc b = Doc.create(true);
        Vectors.apply(a, UpdateFormat.V1, v1);
        Vectors.apply(b, UpdateFormat.V2, v2);
        assertThat(a.sameContent(b)).isTrue();
        assertThat(a.encodeState(UpdateFormat.V2)).isEqualTo(b.encodeState(UpdateFormat.V2));
        Doc again = Doc.create(true);
        Vectors.apply(again, UpdateFormat.V1, a.encodeState(UpdateFormat.V1));
        assertThat(again.sameContent(a)).isTrue();
        assertThat(Projection.text(a, "t")).isEqualTo("hello");
        assertThat(Projection.json(a, "m", RootType.MAP))
                .isEqualTo("{\"k\":\"v\",\"l\":null,\"q\":null,\"f\":null,\"n\":\"nest\",\"nf\":null}");
        assertThat(Projection.json(a, "a", RootType.ARRAY)).isEqualTo("[1,2,3,null]");
    }

    /** A single link, a quotation, and one that is unbounded on both sides of a root, laid out as the source of Yrs does. */
    private static byte[] links(UpdateFormat format) {
        UpdateWriter out = UpdateWriter.of(format);
        out.rest.varUint(1);
        out.rest.varUint(5);
        out.client(9);
        out.rest.varUint(0);
        parent(out, Kind.STRING);
        out.string("abc");
        link(out, 0, 6);
        out.rest.varUint(9);
        out.rest.varUint(1);
        link(out, 3, 7);
        for (int clock : new int[] {0, 2}) {
            out.rest.varUint(9);
            out.rest.varUint(clock);
        }
        link(out, 4, 8 | 16 | 32);
        out.string("root");
        out.string("root");
        out.info(Kind.TYPE | StructBuffer.HAS_ORIGIN);
        out.leftId(9, 5);
        out.typeRef(TypeRef.UNDEFINED);
        out.rest.varUint(0);
        return out.finish();
    }

    private static void parent(UpdateWriter out, int info) {
        out.info(info);
        out.parentIsRoot(true);
        out.string("root");
    }

    private static void link(UpdateWriter out, int origin, int flags) {
        out.info(Kind.TYPE | StructBuffer.HAS_ORIGIN);
        out.leftId(9, origin == 0 ? 2 : origin);
        out.typeRef(TypeRef.WEAK_LINK);
        out.rest.u8(flags);
    }

    @Test
    void weakLinksAreKept() throws Exception {
        byte[] v1 = links(UpdateFormat.V1);
        byte[] v2 = links(UpdateFormat.V2);
        for (UpdateFormat format : UpdateFormat.values()) {
            Doc doc = Doc.create(true);
            byte[] update = format == UpdateFormat.V1 ? v1 : v2;
            Vectors.apply(doc, format, update);
            assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(v1);
            assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(v2);
            assertThat(Projection.text(doc, "root")).isEqualTo("abc");
            assertThat(Projection.tree(doc, "root", RootType.ARRAY)).contains("{\"k\":\"weakLink\"}");
            assertThat(Projection.json(doc, "root", RootType.ARRAY))
                    .isEqualTo("[\"a\",\"b\",\"c\",null,null,null,\"\"]");
            assertThat(Projection.bodyJson(doc)).isEqualTo("{\"root\":\"abc\"}");
            assertThat(Updates.merge(format, List.of(update, update))).isEqualTo(update);
            Doc kept = Doc.create(false);
            Vectors.apply(kept, format, update);
            assertThat(kept.at(kept.snapshot()).encodeState(format)).isEqualTo(update);
        }
        assertThat(Updates.convert(v1, UpdateFormat.V1, UpdateFormat.V2)).isEqualTo(v2);
        assertThat(Updates.convert(v2, UpdateFormat.V2, UpdateFormat.V1)).isEqualTo(v1);
    }

    @Test
    void otherTypesAreRefused() {
        UpdateWriter out = UpdateWriter.of(UpdateFormat.V1);
        out.rest.varUint(1);
        out.rest.varUint(1);
        out.client(9);
        out.rest.varUint(0);
        parent(out, Kind.TYPE);
        out.typeRef(8);
        out.rest.varUint(0);
        assertThatThrownBy(() -> Vectors.apply(Doc.create(true), UpdateFormat.V1, out.finish()))
                .isInstanceOf(MalformedUpdateException.class)
                .hasMessageContaining("unknown-type-ref");
    }
}
