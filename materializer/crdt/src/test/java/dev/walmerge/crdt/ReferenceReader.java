package dev.walmerge.crdt;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Version 1 of an update, read from the table in WIRE.md and with nothing of the code under test: unit by unit, values in
 * the marked form of the recorded trees. Only for well-formed updates.
 */
final class ReferenceReader {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** All units of an update, and all ids it deletes. */
    record Update(List<ReferenceDoc.Unit> units, Set<Id> deletes) {}

    private final ByteBuffer in;

    private ReferenceReader(byte[] bytes) {
        in = ByteBuffer.wrap(bytes);
    }

    static Update update(byte[] bytes) {
        ReferenceReader reader = new ReferenceReader(bytes);
        List<ReferenceDoc.Unit> units = new ArrayList<>();
        for (long clients = reader.number(); clients > 0; clients--) {
            long structs = reader.number();
            long client = reader.number();
            long clock = reader.number();
            for (; structs > 0; structs--) {
                clock += reader.struct(client, (int) clock, units);
            }
        }
        Set<Id> deletes = new LinkedHashSet<>();
        for (long clients = reader.number(); clients > 0; clients--) {
            long client = reader.number();
            for (long ranges = reader.number(); ranges > 0; ranges--) {
                int clock = (int) reader.number();
                for (long length = reader.number(); length > 0; length--) {
                    deletes.add(new Id(client, clock++));
                }
            }
        }
        reader.end();
        return new Update(units, deletes);
    }

    static Map<Long, Integer> stateVector(byte[] bytes) {
        ReferenceReader reader = new ReferenceReader(bytes);
        TreeMap<Long, Integer> clocks = new TreeMap<>();
        for (long clients = reader.number(); clients > 0; clients--) {
            clocks.put(reader.number(), (int) reader.number());
        }
        reader.end();
        return clocks;
    }

    private void end() {
        if (in.hasRemaining()) {
            throw new AssertionError(in.remaining() + " bytes left over");
        }
    }

    /** Adds the units of one struct and returns how many clocks it takes. */
    private int struct(long client, int clock, List<ReferenceDoc.Unit> units) {
        int info = in.get() & 0xff;
        int kind = info & 0b11111;
        if (kind == 10) { // Skip
            return (int) number();
        }
        ReferenceDoc.Place place = kind == 0 ? ReferenceDoc.Place.NOWHERE : place(info);
        List<ReferenceDoc.Content> contents = contents(kind);
        for (int i = 0; i < contents.size(); i++) {
            Id id = new Id(client, clock + i);
            units.add(new ReferenceDoc.Unit(
                    id, i == 0 ? place : place.behind(new Id(client, clock + i - 1)), contents.get(i)));
        }
        return contents.size();
    }

    private ReferenceDoc.Place place(int info) {
        Id origin = (info & 0x80) != 0 ? id() : null;
        Id rightOrigin = (info & 0x40) != 0 ? id() : null;
        if (origin != null || rightOrigin != null) {
            return new ReferenceDoc.Place(origin, rightOrigin, null, null, null);
        }
        boolean root = number() == 1;
        String name = root ? string() : null;
        Id holder = root ? null : id();
        return new ReferenceDoc.Place(null, null, name, holder, (info & 0x20) != 0 ? string() : null);
    }

    private List<ReferenceDoc.Content> contents(int kind) {
        return switch (kind) {
            case 0 -> repeat(ReferenceDoc.Content.GC);
            case 1 -> repeat(ReferenceDoc.Content.DELETED);
            case 2 -> many(() -> ReferenceDoc.Content.value(jsonOrUndefined(string())));
            case 3 -> List.of(ReferenceDoc.Content.value(bytes()));
            case 4 -> string().chars().mapToObj(ReferenceDoc.Content::text).toList();
            case 5 -> List.of(ReferenceDoc.Content.embed(json(string())));
            case 6 -> List.of(ReferenceDoc.Content.format(string(), json(string())));
            case 7 -> List.of(type());
            case 8 -> many(() -> ReferenceDoc.Content.value(any()));
            case 9 -> List.of(ReferenceDoc.Content.value(subdocument()));
            default -> throw new AssertionError("content " + kind);
        };
    }

    private List<ReferenceDoc.Content> repeat(ReferenceDoc.Content content) {
        return many(() -> content);
    }

    private List<ReferenceDoc.Content> many(Supplier<ReferenceDoc.Content> each) {
        List<ReferenceDoc.Content> contents = new ArrayList<>();
        for (long count = number(); count > 0; count--) {
            contents.add(each.get());
        }
        return contents;
    }

    private ReferenceDoc.Content type() {
        int ref = (int) number();
        return ReferenceDoc.Content.type(ref, ref == 3 || ref == 5 ? string() : null);
    }

    private ObjectNode subdocument() {
        String guid = string();
        JsonNode options = any();
        boolean autoLoad = options.path("autoLoad").asBoolean(false);
        ObjectNode marked = JSON.objectNode().put("$t", "doc").put("guid", guid);
        marked.set("meta", options.has("meta") ? options.get("meta") : JSON.nullNode());
        marked.put("autoLoad", autoLoad);
        marked.put("shouldLoad", autoLoad || options.path("shouldLoad").asBoolean(false));
        return marked.put("gc", options.path("gc").asBoolean(true));
    }

    private Id id() {
        return new Id(number(), (int) number());
    }

    private long number() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            int b = in.get();
            value |= (b & 0x7fL) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    private byte[] take(int count) {
        byte[] taken = new byte[count];
        in.get(taken);
        return taken;
    }

    private String string() {
        return new String(take((int) number()), StandardCharsets.UTF_8);
    }

    private ObjectNode bytes() {
        return mark("bytes").put("v", Base64.getEncoder().encodeToString(take((int) number())));
    }

    private static ObjectNode mark(String what) {
        return JSON.objectNode().put("$t", what);
    }

    private static JsonNode jsonOrUndefined(String text) {
        return text.equals("undefined") ? mark("undefined") : json(text);
    }

    private static JsonNode json(String text) {
        try {
            return Vectors.JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode any() {
        int tag = in.get() & 0xff;
        return switch (tag) {
            case 127 -> mark("undefined");
            case 126 -> JSON.nullNode();
            case 125 -> integer();
            case 124 -> real(in.getFloat());
            case 123 -> real(in.getDouble());
            case 122 -> mark("bigint").put("v", Long.toString(in.getLong()));
            case 121 -> JSON.booleanNode(false);
            case 120 -> JSON.booleanNode(true);
            case 119 -> JSON.textNode(string());
            case 118 -> {
                ObjectNode object = JSON.objectNode();
                for (long count = number(); count > 0; count--) {
                    object.set(string(), any());
                }
                yield object;
            }
            case 117 -> {
                ArrayNode array = JSON.arrayNode();
                for (long count = number(); count > 0; count--) {
                    array.add(any());
                }
                yield array;
            }
            case 116 -> bytes();
            default -> throw new AssertionError("value " + tag);
        };
    }

    /** The first byte has a sign and six bits. */
    private JsonNode integer() {
        int first = in.get();
        long value = first & 0x3f;
        for (int shift = 6, b = first; b < 0; shift += 7) {
            b = in.get();
            value |= (b & 0x7fL) << shift;
        }
        return real((first & 0x40) != 0 ? -(double) value : value);
    }

    private static JsonNode real(double value) {
        if (Double.isNaN(value)) {
            return mark("nan");
        }
        if (Double.isInfinite(value)) {
            return mark(value > 0 ? "inf" : "-inf");
        }
        return value == 0 && 1 / value < 0 ? mark("-0") : JSON.numberNode(value);
    }

    /** Numbers as doubles and members in order, so that two of them can be compared as text. */
    static JsonNode plain(JsonNode node) {
        if (node.isNumber()) {
            return JSON.numberNode(node.doubleValue());
        }
        if (node.isArray()) {
            ArrayNode copy = JSON.arrayNode();
            node.forEach(element -> copy.add(plain(element)));
            return copy;
        }
        if (!node.isObject()) {
            return node;
        }
        ObjectNode copy = JSON.objectNode();
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        String[] sorted = names.toArray(new String[0]);
        Arrays.sort(sorted);
        for (String name : sorted) {
            copy.set(name, plain(node.get(name)));
        }
        return copy;
    }
}
