package dev.walmerge.crdt;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/** What a {@link ReferenceDoc} shows: the text, and the lossless tree of the recorded scenarios. */
final class ReferenceView {
    private ReferenceView() {}

    static String text(ReferenceDoc.Type type) {
        StringBuilder text = new StringBuilder();
        for (ReferenceDoc.Unit unit : type.list) {
            if (!unit.deleted && unit.content.kind() == ReferenceDoc.Kind.TEXT) {
                text.append(unit.content.unit());
            }
        }
        return text.toString();
    }

    static JsonNode tree(ReferenceDoc.Type type, RootType as) {
        return switch (as) {
            case TEXT -> text(type, node("text", null));
            case MAP -> node("map", null).set("e", entries(type));
            case ARRAY -> node("array", null).set("c", elements(type));
            default -> node("xmlFragment", null).set("c", elements(type));
        };
    }

    private static JsonNode tree(ReferenceDoc.Unit holder) {
        String name = holder.content.name();
        ReferenceDoc.Type type = holder.type;
        return switch (holder.content.typeRef()) {
            case 0 -> tree(type, RootType.ARRAY);
            case 1 -> tree(type, RootType.MAP);
            case 2 -> tree(type, RootType.TEXT);
            case 3 -> {
                ObjectNode element = node("xmlElement", name);
                element.set("attrs", attributes(type));
                yield element.set("c", elements(type));
            }
            case 4 -> tree(type, RootType.XML_FRAGMENT);
            case 5 -> node("xmlHook", name).set("e", entries(type));
            case 6 -> text(type, node("xmlText", null));
            default -> throw new AssertionError("type " + holder.content.typeRef());
        };
    }

    private static ObjectNode node(String kind, String name) {
        ObjectNode node = Vectors.JSON.createObjectNode().put("k", kind);
        return name == null ? node : node.put("name", name);
    }

    private static ArrayNode elements(ReferenceDoc.Type type) {
        ArrayNode elements = Vectors.JSON.createArrayNode();
        for (ReferenceDoc.Unit unit : type.list) {
            if (counts(unit)) {
                elements.add(wrapped(unit));
            }
        }
        return elements;
    }

    private static boolean counts(ReferenceDoc.Unit unit) {
        return !unit.deleted && unit.content.kind() != ReferenceDoc.Kind.FORMAT;
    }

    private static JsonNode wrapped(ReferenceDoc.Unit unit) {
        return unit.type != null ? tree(unit) : Vectors.JSON.createObjectNode().set("v", unit.content.value());
    }

    private static ObjectNode entries(ReferenceDoc.Type type) {
        ObjectNode entries = Vectors.JSON.createObjectNode();
        for (Map.Entry<String, List<ReferenceDoc.Unit>> chain : type.chains.entrySet()) {
            ReferenceDoc.Unit last = last(chain.getValue());
            if (!last.deleted) {
                entries.set(chain.getKey(), wrapped(last));
            }
        }
        return entries;
    }

    private static ObjectNode attributes(ReferenceDoc.Type type) {
        ObjectNode attributes = Vectors.JSON.createObjectNode();
        for (Map.Entry<String, List<ReferenceDoc.Unit>> chain : type.chains.entrySet()) {
            ReferenceDoc.Unit last = last(chain.getValue());
            if (!last.deleted) {
                attributes.set(chain.getKey(), last.type != null ? tree(last) : last.content.value());
            }
        }
        return attributes;
    }

    private static ReferenceDoc.Unit last(List<ReferenceDoc.Unit> chain) {
        return chain.get(chain.size() - 1);
    }

    private static ObjectNode text(ReferenceDoc.Type type, ObjectNode node) {
        node.put("len", type.list.stream().filter(ReferenceView::counts).count());
        node.set("delta", delta(type));
        return node.set("attrs", attributes(type));
    }

    private static ArrayNode delta(ReferenceDoc.Type type) {
        ArrayNode ops = Vectors.JSON.createArrayNode();
        ObjectNode open = Vectors.JSON.createObjectNode();
        for (ReferenceDoc.Unit unit : type.list) {
            if (unit.deleted) {
                continue;
            }
            switch (unit.content.kind()) {
                case TEXT -> append(ops, open, unit.content.value());
                case EMBED -> op(ops, open, unit.content.value());
                case TYPE -> op(ops, open, Vectors.JSON.createObjectNode().set("$type", tree(unit)));
                case FORMAT -> {
                    if (unit.content.value().isNull()) {
                        open.remove(unit.content.name());
                    } else {
                        open.set(unit.content.name(), unit.content.value());
                    }
                }
                default -> {}
            }
        }
        return ops;
    }

    private static void append(ArrayNode ops, ObjectNode open, JsonNode unit) {
        JsonNode last = ops.isEmpty() ? null : ops.get(ops.size() - 1);
        boolean joins = last != null
                && last.get("insert").isTextual()
                && (open.isEmpty() ? !last.has("attributes") : open.equals(last.get("attributes")));
        if (joins) {
            ((ObjectNode) last).put("insert", last.get("insert").textValue() + unit.textValue());
        } else {
            op(ops, open, unit);
        }
    }

    private static void op(ArrayNode ops, ObjectNode open, JsonNode insert) {
        ObjectNode op = ops.addObject();
        op.set("insert", insert);
        if (!open.isEmpty()) {
            op.set("attributes", open.deepCopy());
        }
    }
}
