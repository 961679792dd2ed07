package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;

/** What people read of documents as editors build them (src/test/generate/editor-documents.mjs). */
class ProjectionTest {
    private static final String PROSEMIRROR =
            "ASYHAAcBC3Byb3NlbWlycm9yAwdoZWFkaW5nBwAHAAYEAAcBBUhlbGxvKAAHAAVsZXZlbAF9AYcHAAMJcGFyYWdyYX"
                    + "BoBwAHCAYEAAcJBndvcmxkIIcHCQMHbWVudGlvbigABxACaWQBdwJ1MSgABxAFbGFiZWwBdwNBbm6HBxAGBAAHEwEh"
                    + "hwcIAwpidWxsZXRMaXN0BwAHFQMIbGlzdEl0ZW0HAAcWAwlwYXJhZ3JhcGgHAAcXBgQABxgDb25lhwcWAwhsaXN0SX"
                    + "RlbQcABxwDCXBhcmFncmFwaAcABx0GBAAHHgN0d2+HBxUDBXRhYmxlBwAHIgMIdGFibGVSb3cHAAcjAwl0YWJsZUNl"
                    + "bGwHAAckAwlwYXJhZ3JhcGgHAAclBgQAByYBYYcHJAMJdGFibGVDZWxsBwAHKAMJcGFyYWdyYXBoBwAHKQYEAAcqAW"
                    + "KHByIDCXBhcmFncmFwaAcABywGBAAHLQJ1cIcHLQMJaGFyZEJyZWFrhwcwBgQABzEEZG93bocHLAMJcGFyYWdyYXBo"
                    + "AA==";

    private static final String BLOCKNOTE =
            "AREHAAcBDmRvY3VtZW50LXN0b3JlAwpibG9ja0dyb3VwBwAHAAMOYmxvY2tDb250YWluZXIHAAcBAwlwYXJhZ3JhcG"
                    + "gHAAcCBgQABwMFSGVsbG8oAAcBAmlkAXcBMYcHAQMOYmxvY2tDb250YWluZXIHAAcKAwlwYXJhZ3JhcGgHAAcLBgQA"
                    + "BwwFd29ybGSHBwsDCmJsb2NrR3JvdXAHAAcSAw5ibG9ja0NvbnRhaW5lcgcABxMDCXBhcmFncmFwaAcABxQGBAAHFQ"
                    + "ZuZXN0ZWQoAAcTAmlkAXcBMygABwoCaWQBdwEyAA==";

    private static final String MIXED =
            "AQkHAAQBAWIGc2Vjb25kBgEBYQRib2xkBHRydWWEBwYFZmlyc3SGBwsEYm9sZARudWxsKAEBbQF4AXYBBGRlZXB1B3"
                    + "0Bfn97f/gAAAAAAAB9QHoAAAAAAAAAAnQCAQIIAQFsAncBeHw/wAAAAQEFZW1wdHkEBQEBZRF7ImltYWdlIjoiaS5w"
                    + "bmcifYQHFANjYXABBwEQBA==";

    private static Doc load(String base64) throws MalformedUpdateException {
        Doc doc = Doc.create(true);
        Vectors.apply(doc, UpdateFormat.V1, Base64.getDecoder().decode(base64));
        return doc;
    }

    @Test
    void blocksAreLinesAndInlineElementsAreNot() throws Exception {
        Doc doc = load(PROSEMIRROR);
        assertThat(doc.roots()).containsExactly(new Root("prosemirror", RootType.XML_FRAGMENT));
        assertThat(Projection.bodyText(doc, null)).isEqualTo("Hello\nworld Ann!\none\ntwo\na\nb\nup\ndown");
        assertThat(Projection.xml(doc, "prosemirror")).startsWith("<heading level=\"1\">Hello</heading><paragraph>");
        assertThat(Projection.isPureText(doc)).isFalse();
    }

    @Test
    void nestedBlocksDontRunTogether() throws Exception {
        assertThat(Projection.bodyText(load(BLOCKNOTE), null)).isEqualTo("Hello\nworld\nnested");
    }

    @Test
    void rootsGoByNameAndEmptyOnesDontCount() throws Exception {
        Doc doc = load(MIXED);
        assertThat(doc.roots())
                .containsExactly(
                        new Root("a", RootType.TEXT),
                        new Root("b", RootType.TEXT),
                        new Root("e", RootType.TEXT),
                        new Root("empty", RootType.UNKNOWN),
                        new Root("l", RootType.ARRAY),
                        new Root("m", RootType.MAP));
        assertThat(Projection.bodyText(doc, null)).isEqualTo("first\nsecond\ncap");
        assertThat(Projection.bodyText(doc, "b")).isEqualTo("second");
        assertThat(Projection.bodyText(doc, "nowhere")).isEmpty();
        assertThat(Projection.bodyJson(doc))
                .isEqualTo("{\"a\":\"first\",\"b\":\"second\",\"e\":\"cap\",\"l\":[\"x\",1.5],"
                        + "\"m\":{\"x\":{\"deep\":[1,null,null,null,0,2,\"AQI=\"]}}}");
        assertThat(Projection.json(doc, "m", RootType.MAP))
                .isEqualTo("{\"x\":{\"deep\":[1,null,{\"$t\":\"undefined\"},{\"$t\":\"nan\"},{\"$t\":\"-0\"},"
                        + "{\"$t\":\"bigint\",\"v\":\"2\"},{\"$t\":\"bytes\",\"v\":\"AQI=\"}]}}");
        assertThat(Projection.delta(doc, "a")).isEqualTo("[{\"insert\":\"first\",\"attributes\":{\"bold\":true}}]");
        assertThat(Projection.delta(doc, "e")).isEqualTo("[{\"insert\":{\"image\":\"i.png\"}},{\"insert\":\"cap\"}]");
    }

    @Test
    void rootsThatAreNotThereAreEmpty() {
        Doc doc = Doc.create(true);
        assertThat(Projection.json(doc, "x", RootType.TEXT)).isEqualTo("\"\"");
        assertThat(Projection.json(doc, "x", RootType.MAP)).isEqualTo("{}");
        assertThat(Projection.json(doc, "x", RootType.ARRAY)).isEqualTo("[]");
        assertThat(Projection.tree(doc, "x", RootType.XML_FRAGMENT)).isEqualTo("{\"k\":\"xmlFragment\",\"c\":[]}");
        assertThat(Projection.delta(doc, "x")).isEqualTo("[]");
        assertThat(Projection.text(doc, "x")).isEmpty();
        assertThat(Projection.xml(doc, "x")).isEmpty();
        assertThat(Projection.bodyText(doc, null)).isEmpty();
        assertThat(Projection.bodyJson(doc)).isEqualTo("{}");
        assertThat(Projection.isPureText(doc)).isTrue();
    }

    @Test
    void numbersPrintAsInJavaScript() {
        assertThat(JsNumber.format(0.1)).isEqualTo("0.1");
        assertThat(JsNumber.format(2e-3)).isEqualTo("0.002");
        assertThat(JsNumber.format(-2.5)).isEqualTo("-2.5");
        assertThat(JsNumber.format(1e21)).isEqualTo("1e+21");
        assertThat(JsNumber.format(Double.parseDouble("123456789012345680000"))).isEqualTo("123456789012345680000");
        assertThat(JsNumber.format(1e-7)).isEqualTo("1e-7");
        assertThat(JsNumber.format(0.000001)).isEqualTo("0.000001");
        assertThat(JsNumber.format(Double.MIN_VALUE)).isEqualTo("5e-324");
        assertThat(JsNumber.format(Double.parseDouble("2e23"))).isEqualTo("2e+23");
        assertThat(JsNumber.format(1.7976931348623157e308)).isEqualTo("1.7976931348623157e+308");
        assertThat(JsNumber.format(-0.0)).isEqualTo("0");
        assertThat(JsNumber.format(9007199254740992d)).isEqualTo("9007199254740992");
    }

    @Test
    void deepNestingIsCutOff() throws Exception {
        Doc doc = Doc.create(true);
        ByteWriter update = new ByteWriter();
        int depth = 50_000;
        update.varUint(1);
        update.varUint(depth);
        update.varUint(1);
        update.varUint(0);
        for (int clock = 0; clock < depth; clock++) {
            update.u8(Kind.TYPE);
            update.varUint(clock == 0 ? 1 : 0);
            if (clock == 0) {
                update.string("deep");
            } else {
                update.varUint(1);
                update.varUint(clock - 1);
            }
            update.varUint(TypeRef.ARRAY);
        }
        update.varUint(0);
        Vectors.apply(doc, UpdateFormat.V1, update.toBytes());
        assertThat(Projection.bodyJson(doc)).startsWith("{\"deep\":[[[").contains("null");
        assertThat(Projection.tree(doc, "deep", RootType.ARRAY)).contains("null");
        Doc read = Doc.create(true);
        Vectors.apply(read, UpdateFormat.V2, doc.encodeState(UpdateFormat.V2));
        assertThat(read.sameContent(doc)).isTrue();
        byte[] deleteAll = {0, 1, 1, 1, 0, 1};
        assertThat(Vectors.apply(doc, UpdateFormat.V1, deleteAll)).isEqualTo(Doc.CHANGED);
        assertThat(doc.structCount()).isEqualTo(2);
    }
}
