package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Random calls of the API and the bytes yjs 13.6.33 wrote for each transaction (local-edits.mjs), which ours must write too: some
 * recorded, and new ones in each run ({@code walmerge.seed}, {@code walmerge.histories}, {@code walmerge.seconds}).
 */
class LocalEditsTest {
    private static final int SEED = Integer.getInteger("walmerge.seed", (int) (System.nanoTime() & 0xffffff));
    private static final int SECONDS = Integer.getInteger("walmerge.seconds", 10);

    /** However slow the machine is. */
    private static final int LEAST = 10;

    private static final int HISTORIES = Integer.getInteger("walmerge.histories", Integer.MAX_VALUE);

    @Test
    void recordedTransactionsWriteTheBytesOfYjs() throws Exception {
        int histories = 0;
        int transactions = 0;
        int otherStates = 0;
        for (JsonNode history : Vectors.read("/vectors/local-edits.jsonl.gz")) {
            transactions += replay(history);
            otherStates += check(history) ? 0 : 1;
            histories++;
        }
        assertThat(histories).isEqualTo(60);
        assertThat(transactions).isEqualTo(2 * 5947);
        assertThat(otherStates).isLessThan(histories / 4);
    }

    @Test
    void newTransactionsWriteTheBytesOfYjs() {
        Yjs yjs = Yjs.get();
        long end = System.nanoTime() + SECONDS * 1_000_000_000L / 3;
        int histories = 0;
        int transactions = 0;
        int otherStates = 0;
        while (histories < HISTORIES
                && (HISTORIES < Integer.MAX_VALUE || histories < LEAST || System.nanoTime() < end)) {
            JsonNode history =
                    yjs.ask(Yjs.request("localEdits").put("seed", SEED).put("n", histories++));
            try {
                transactions += replay(history);
                otherStates += check(history) ? 0 : 1;
            } catch (Throwable e) {
                String text =
                        "local-edits.mjs, localEdits(%d, %d): %s%n%s%n".formatted(SEED, histories - 1, e, history);
                throw new AssertionError(Shrinker.report("local-edits-" + SEED, text), e);
            }
        }
        System.out.printf(
                "yjs: %d histories of local edits, %d transactions with its bytes, %d states that yjs had in more runs, seed %d%n",
                histories, transactions, otherStates, SEED);
        assertThat(transactions).isPositive();
        assertThat(otherStates).isLessThanOrEqualTo(3 + histories / 4);
    }

    private static int replay(JsonNode history) throws Exception {
        int transactions = 0;
        for (UpdateFormat format : UpdateFormat.values()) {
            Doc doc = Doc.create(history.get("gc").booleanValue());
            Editor editor = doc.edit(history.get("own").longValue());
            for (JsonNode step : history.get("steps")) {
                if (step.has("remote")) {
                    Vectors.apply(doc, UpdateFormat.V1, Vectors.bytes(step.get("remote")));
                    doc.discardChanges();
                    continue;
                }
                run(editor, step.get("ops"));
                JsonNode theirs = step.get(format == UpdateFormat.V1 ? "v1" : "v2");
                assertThat(doc.drainChanges(format))
                        .as("history %s, %s", history.get("n"), step.get("ops"))
                        .isEqualTo(theirs.isNull() ? null : Vectors.bytes(theirs));
                transactions++;
                if (transactions % 9 == 0) {
                    doc.rest();
                }
            }
        }
        return transactions;
    }

    /**
     * True when the state has the bytes of yjs. It may have fewer runs, since yjs doesn't look at all neighbours of what it collects; then
     * it has the bytes of the state of yjs loaded anew.
     */
    private static boolean check(JsonNode history) throws Exception {
        boolean gc = history.get("gc").booleanValue();
        Doc doc = Doc.create(gc);
        Editor editor = doc.edit(history.get("own").longValue());
        for (JsonNode step : history.get("steps")) {
            if (step.has("remote")) {
                Vectors.apply(doc, UpdateFormat.V1, Vectors.bytes(step.get("remote")));
            } else {
                run(editor, step.get("ops"));
            }
        }
        ListIndexTest.assertTrue(doc);
        byte[] stateV1 = Vectors.bytes(history.get("stateV1"));
        byte[] stateV2 = Vectors.bytes(history.get("stateV2"));
        Doc theirs = Doc.create(gc);
        Vectors.apply(theirs, UpdateFormat.V1, stateV1);
        assertThat(theirs.sameContent(doc)).isTrue();
        byte[] oursV1 = doc.encodeState(UpdateFormat.V1);
        byte[] oursV2 = doc.encodeState(UpdateFormat.V2);
        assertThat(theirs.encodeState(UpdateFormat.V1)).isEqualTo(oursV1);
        assertThat(theirs.encodeState(UpdateFormat.V2)).isEqualTo(oursV2);
        assertThat(oursV1).hasSizeLessThanOrEqualTo(stateV1.length);
        return Arrays.equals(oursV1, stateV1) && Arrays.equals(oursV2, stateV2);
    }

    private static void run(Editor editor, JsonNode ops) {
        if (ops.size() == 1) {
            run(ops.get(0), type(editor, ops.get(0).get(0)));
            return;
        }
        editor.transact(() -> {
            for (JsonNode op : ops) {
                run(op, type(editor, op.get(0)));
            }
        });
    }

    private static SharedType type(Editor editor, JsonNode name) {
        if (name.isArray()) {
            return editor.type(new Id(name.get(0).longValue(), name.get(1).intValue()));
        }
        return switch (name.textValue()) {
            case "map" -> editor.map("map");
            case "array" -> editor.array("array");
            case "xml" -> editor.xml("xml");
            default -> editor.text(name.textValue());
        };
    }

    private static void run(JsonNode op, SharedType type) {
        if (type instanceof SharedText text) {
            run(text, op);
        } else if (type instanceof SharedMap map) {
            run(map, op);
        } else if (type instanceof SharedArray array) {
            run(array, op);
        } else {
            run((SharedXml) type, op);
        }
    }

    private static void run(SharedText text, JsonNode op) {
        switch (op.get(1).textValue()) {
            case "insert" -> {
                if (op.has(4)) {
                    text.insert(at(op), op.get(3).textValue(), map(op.get(4)));
                } else {
                    text.insert(at(op), op.get(3).textValue());
                }
            }
            case "delete" -> text.delete(at(op), op.get(3).intValue());
            case "format" -> text.format(at(op), op.get(3).intValue(), map(op.get(4)));
            case "embed" -> text.insertEmbed(at(op), map(op.get(3)), map(op.get(4)));
            case "delta" -> text.applyDelta(delta(op.get(2)));
            case "set" -> text.setAttribute(op.get(2).textValue(), value(op.get(3)));
            default -> text.removeAttribute(op.get(2).textValue());
        }
    }

    private static int at(JsonNode op) {
        return op.get(2).intValue();
    }

    private static List<DeltaOp> delta(JsonNode ops) {
        List<DeltaOp> delta = new ArrayList<>();
        for (JsonNode op : ops) {
            Map<String, ?> attributes = op.has("attributes") ? map(op.get("attributes")) : Map.of();
            JsonNode insert = op.path("insert");
            if (insert.isTextual()) {
                delta.add(DeltaOp.insert(insert.textValue(), attributes));
            } else if (insert.isObject()) {
                delta.add(DeltaOp.insertEmbed(map(insert), attributes));
            } else if (op.has("retain")) {
                delta.add(DeltaOp.retain(op.get("retain").intValue(), attributes));
            } else {
                delta.add(DeltaOp.delete(op.get("delete").intValue()));
            }
        }
        return delta;
    }

    private static void run(SharedMap map, JsonNode op) {
        String key = op.get(2).textValue();
        switch (op.get(1).textValue()) {
            case "set" -> map.set(key, value(op.get(3)));
            case "unset" -> map.delete(key);
            default -> {
                switch (op.get(3).textValue()) {
                    case "map" -> map.setMap(key);
                    case "array" -> map.setArray(key);
                    default -> map.setText(key);
                }
            }
        }
    }

    private static void run(SharedArray array, JsonNode op) {
        int at = at(op);
        switch (op.get(1).textValue()) {
            case "delete" -> array.delete(at, op.get(3).intValue());
            case "insert" -> {
                List<Object> values = new ArrayList<>();
                op.get(3).forEach(value -> values.add(value(value)));
                if (at == -1) {
                    array.pushAll(values);
                } else {
                    array.insertAll(at, values);
                }
            }
            default -> {
                switch (op.get(3).textValue() + (at == -1 ? " pushed" : "")) {
                    case "map" -> array.insertMap(at);
                    case "array" -> array.insertArray(at);
                    case "text" -> array.insertText(at);
                    case "map pushed" -> array.pushMap();
                    case "array pushed" -> array.pushArray();
                    default -> array.pushText();
                }
            }
        }
    }

    private static void run(SharedXml xml, JsonNode op) {
        switch (op.get(1).textValue()) {
            case "set" -> xml.setAttribute(op.get(2).textValue(), value(op.get(3)));
            case "unset" -> xml.removeAttribute(op.get(2).textValue());
            case "delete" -> xml.delete(at(op), op.get(3).intValue());
            default -> {
                if (op.get(3).textValue().isEmpty()) {
                    xml.insertText(at(op));
                } else {
                    xml.insertElement(at(op), op.get(3).textValue());
                }
            }
        }
    }

    private static Map<String, Object> map(JsonNode object) {
        Map<String, Object> map = new LinkedHashMap<>();
        object.properties().forEach(entry -> map.put(entry.getKey(), value(entry.getValue())));
        return map;
    }

    private static Object value(JsonNode node) {
        if (node.isObject()) {
            return node.has("$bytes") ? Vectors.bytes(node.get("$bytes")) : map(node);
        }
        if (node.isArray()) {
            List<Object> list = new ArrayList<>();
            node.forEach(element -> list.add(value(element)));
            return list;
        }
        if (node.isNumber()) {
            return node.numberValue();
        }
        return node.isNull() ? null : node.isTextual() ? node.textValue() : (Object) node.booleanValue();
    }
}
