package dev.walmerge.sidecar.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.ArrayList;
import java.util.Base64;
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

    private final ObjectMapper mapper = new ObjectMapper();

    /** What is wrong with the line itself, or the first update that could not be applied. */
    private record Fault(String code, String message, Integer update, Integer offset) {}

    /** An input line that can't be taken as one. */
    private static final class BadLineException extends Exception {
        private static final long serialVersionUID = 1L;

        BadLineException(String message) {
            super(message);
        }
    }

    String inspect(String line) {
        JsonNode request = null;
        try {
            request = mapper.readTree(line);
            return print(answer(request));
        } catch (JsonProcessingException e) {
            return print(refuse(
                    null, "not one JSON object: column " + e.getLocation().getColumnNr()));
        } catch (BadLineException e) {
            return print(refuse(request, e.getMessage()));
        }
    }

    private ObjectNode answer(JsonNode request) throws BadLineException {
        if (!request.isObject()) {
            throw new BadLineException("not one JSON object");
        }
        UpdateFormat format = FORMATS.get(request.path("format").asText("yjs-v1"));
        if (format == null) {
            throw new BadLineException("format must be yjs-v1 or yjs-v2");
        }
        if (!request.path("updates").isArray()) {
            throw new BadLineException("updates must be a list of base64 strings");
        }
        Doc doc = Doc.create(request.path("gc").asBoolean(true));
        Fault fault = apply(doc, format, request.path("updates"));
        return describe(request.get("id"), doc, roots(request.path("roots"), doc), fault);
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
        try {
            byte[] bytes = Base64.getDecoder().decode(update.asText());
            doc.apply(format, bytes, 0, bytes.length);
            return null;
        } catch (IllegalArgumentException e) {
            return new Fault("not-base64", "the update is not base64", index, null);
        } catch (MalformedUpdateException e) {
            return new Fault(e.rule(), e.getMessage(), index, e.offset());
        }
    }

    private static List<Root> roots(JsonNode declared, Doc doc) throws BadLineException {
        if (declared.isMissingNode() || declared.isNull()) {
            return doc.roots();
        }
        List<Root> roots = new ArrayList<>();
        for (JsonNode root : declared) {
            RootType type = TYPES.get(root.path("type").asText());
            if (type == null || !root.path("name").isTextual()) {
                throw new BadLineException("roots must be a list of {name, type: text|map|array|xmlFragment}");
            }
            roots.add(new Root(root.get("name").asText(), type));
        }
        return roots;
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
            json.set(root.name(), raw(Projection.json(doc, root.name(), root.type())));
            tree.set(root.name(), raw(Projection.tree(doc, root.name(), root.type())));
            if (root.type() == RootType.TEXT) {
                text.put(root.name(), Projection.text(doc, root.name()));
                delta.set(root.name(), raw(Projection.delta(doc, root.name())));
            } else if (root.type() == RootType.XML_FRAGMENT) {
                xml.put(root.name(), Projection.xml(doc, root.name()));
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
