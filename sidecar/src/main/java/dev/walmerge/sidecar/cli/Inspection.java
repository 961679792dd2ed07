package dev.walmerge.sidecar.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Pending;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.Root;
import dev.walmerge.crdt.RootType;
import dev.walmerge.crdt.UpdateFormat;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One line of {@code inspect --jsonl}: updates in, a document out. Every key is always there. */
final class Inspection {
    private static final Map<String, UpdateFormat> FORMATS =
            Map.of("yjs-v1", UpdateFormat.V1, "yjs-v2", UpdateFormat.V2);
    private static final Map<String, RootType> TYPES = Map.of(
            "text", RootType.TEXT,
            "map", RootType.MAP,
            "array", RootType.ARRAY,
            "xmlFragment", RootType.XML_FRAGMENT);

    private static final String ROOTS = "roots must be a list of {name, type: text|map|array|xmlFragment}";
    private static final int NAME_CHARS = 1 << 20;

    /** Lone surrogates have no UTF-8, so what is outside ASCII is escaped where Jackson writes it. */
    private final ObjectMapper mapper = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Lines.LIMIT_BYTES)
                            .maxNameLength(NAME_CHARS)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    /** What is wrong with the line itself, or the first update that could not be applied. */
    private record Fault(String code, String message, Integer update, Integer offset) {}

    /** A line that can't be taken as a request. */
    private static final class BadLineException extends Exception {
        private static final long serialVersionUID = 1L;

        BadLineException(String message) {
            super(message);
        }
    }

    /** The answer to one line. Nothing is thrown for any line. */
    String inspect(String line) {
        JsonNode request = null;
        try {
            request = mapper.readTree(line);
            return print(answer(request));
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            return print(refuse(null, "not one JSON object" + (at == null ? "" : ": column " + at.getColumnNr())));
        } catch (BadLineException e) {
            return print(refuse(request, e.getMessage()));
        }
    }

    /** The answer to a line that is too long to be read. */
    String tooLong(int limitBytes) {
        return print(refuse(null, "longer than " + limitBytes + " bytes"));
    }

    private ObjectNode answer(JsonNode request) throws BadLineException {
        if (!request.isObject()) {
            throw new BadLineException("not one JSON object");
        }
        UpdateFormat format = format(request.get("format"));
        JsonNode updates = request.get("updates");
        if (updates == null || !updates.isArray()) {
            throw new BadLineException("updates must be a list of base64 strings");
        }
        List<Root> declared = roots(request.get("roots"));
        Doc doc = Doc.create(gc(request.get("gc")));
        Fault fault = apply(doc, format, updates);
        return describe(request.get("id"), doc, declared == null ? doc.roots() : declared, fault);
    }

    private static boolean leftOut(JsonNode node) {
        return node == null || node.isNull();
    }

    private static UpdateFormat format(JsonNode node) throws BadLineException {
        UpdateFormat format = leftOut(node) ? UpdateFormat.V1 : node.isTextual() ? FORMATS.get(node.textValue()) : null;
        if (format == null) {
            throw new BadLineException("format must be yjs-v1 or yjs-v2");
        }
        return format;
    }

    private static boolean gc(JsonNode node) throws BadLineException {
        if (!leftOut(node) && !node.isBoolean()) {
            throw new BadLineException("gc must be true or false");
        }
        return leftOut(node) || node.booleanValue();
    }

    private static Fault apply(Doc doc, UpdateFormat format, JsonNode updates) {
        Fault first = null;
        for (int i = 0; i < updates.size(); i++) {
            Fault fault = apply(doc, format, updates.get(i), i);
            first = first == null ? fault : first;
        }
        return first;
    }

    private static Fault apply(Doc doc, UpdateFormat format, JsonNode update, int index) {
        if (!update.isTextual()) {
            return new Fault("not-base64", "the update is not a string", index, null);
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(update.textValue());
            doc.apply(format, bytes, 0, bytes.length);
            return null;
        } catch (IllegalArgumentException e) {
            return new Fault("not-base64", "the update is not base64", index, null);
        } catch (MalformedUpdateException e) {
            return new Fault(e.rule(), e.getMessage(), index, e.offset());
        }
    }

    /** The declared roots; null when they are to be inferred. */
    private static List<Root> roots(JsonNode declared) throws BadLineException {
        if (leftOut(declared)) {
            return null;
        }
        if (!declared.isArray()) {
            throw new BadLineException(ROOTS);
        }
        Map<String, Root> roots = new LinkedHashMap<>();
        for (JsonNode root : declared) {
            JsonNode name = root.path("name");
            RootType type =
                    root.path("type").isTextual() ? TYPES.get(root.get("type").textValue()) : null;
            if (type == null || !name.isTextual()) {
                throw new BadLineException(ROOTS);
            }
            if (roots.put(name.textValue(), new Root(name.textValue(), type)) != null) {
                throw new BadLineException("roots name one root twice");
            }
        }
        return List.copyOf(roots.values());
    }

    private ObjectNode describe(JsonNode id, Doc doc, List<Root> roots, Fault fault) {
        ObjectNode answer = mapper.createObjectNode();
        answer.set("id", id);
        ObjectNode json = answer.putObject("json");
        ObjectNode text = answer.putObject("text");
        ObjectNode delta = answer.putObject("delta");
        ObjectNode xml = answer.putObject("xml");
        ObjectNode tree = answer.putObject("tree");
        for (Root root : roots) {
            JsonNode view = raw(Projection.json(doc, root.name(), root.type()));
            json.set(root.name(), view);
            tree.set(root.name(), raw(Projection.tree(doc, root.name(), root.type())));
            if (root.type() == RootType.TEXT) {
                text.set(root.name(), view);
                delta.set(root.name(), raw(Projection.delta(doc, root.name())));
            } else if (root.type() == RootType.XML_FRAGMENT) {
                xml.set(root.name(), view);
            }
        }
        answer.put("sv", base64(doc.stateVector()));
        answer.put("stateV1", base64(doc.encodeStateWithPending(UpdateFormat.V1)));
        answer.put("stateV2", base64(doc.encodeStateWithPending(UpdateFormat.V2)));
        answer.set("pending", pending(doc.pending()));
        answer.set("error", error(fault));
        return answer;
    }

    private ObjectNode refuse(JsonNode request, String message) {
        JsonNode id = request != null && request.isObject() ? request.get("id") : null;
        return describe(id, Doc.create(true), List.of(), new Fault("bad-line", message, null, null));
    }

    private JsonNode pending(Pending pending) {
        if (pending == null) {
            return JsonNodeFactory.instance.nullNode();
        }
        ObjectNode node = mapper.createObjectNode();
        ObjectNode missing = node.putObject("missing");
        pending.missing().forEach((client, clock) -> missing.put(Long.toString(client), clock));
        node.put("ds", pending.deletes());
        return node;
    }

    private JsonNode error(Fault fault) {
        return fault == null
                ? JsonNodeFactory.instance.nullNode()
                : mapper.createObjectNode()
                        .put("code", fault.code())
                        .put("message", fault.message())
                        .put("update", fault.update())
                        .put("offset", fault.offset());
    }

    private static JsonNode raw(String json) {
        return JsonNodeFactory.instance.rawValueNode(new RawValue(json));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private String print(ObjectNode answer) {
        try {
            return mapper.writeValueAsString(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values did not print", e);
        }
    }
}
