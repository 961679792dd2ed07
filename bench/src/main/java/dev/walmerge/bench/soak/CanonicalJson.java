package dev.walmerge.bench.soak;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.TreeMap;

/** JSON with the keys of objects in order and no space, as the recorder of the answers prints it. */
final class CanonicalJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private CanonicalJson() {}

    static String of(String json) throws JsonProcessingException {
        StringBuilder out = new StringBuilder();
        append(out, JSON.readTree(json));
        return out.toString();
    }

    private static void append(StringBuilder out, JsonNode node) throws JsonProcessingException {
        if (node.isObject()) {
            Map<String, JsonNode> fields = new TreeMap<>();
            node.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
            char before = '{';
            for (Map.Entry<String, JsonNode> field : fields.entrySet()) {
                out.append(before)
                        .append(JSON.writeValueAsString(field.getKey()))
                        .append(':');
                append(out, field.getValue());
                before = ',';
            }
            out.append(fields.isEmpty() ? "{}" : "}");
        } else if (node.isArray()) {
            char before = '[';
            for (JsonNode element : node) {
                out.append(before);
                append(out, element);
                before = ',';
            }
            out.append(node.isEmpty() ? "[]" : "]");
        } else {
            out.append(JSON.writeValueAsString(node));
        }
    }
}
