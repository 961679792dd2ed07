package dev.walmerge.bench.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.SharedText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * The edits of one writer, read from a path: gzipped JSON, {@code {"txns": [{"patches": [[index, deleted, "inserted"], ...]}, ...],
 * "endContent": "..."}}. Indexes count UTF-16 units. Equal strings are one object, as JavaScript has it for single characters.
 */
public final class LocalTrace {
    private final int[] index;
    private final int[] deleted;
    private final String[] inserted;
    private final String end;

    private LocalTrace(List<JsonNode> patches, String end) {
        index = new int[patches.size()];
        deleted = new int[patches.size()];
        inserted = new String[patches.size()];
        this.end = end;
        for (int i = 0; i < index.length; i++) {
            index[i] = patches.get(i).get(0).intValue();
            deleted[i] = patches.get(i).get(1).intValue();
            inserted[i] = patches.get(i).get(2).textValue().intern();
        }
    }

    /**
     * Reads a trace.
     *
     * @throws UncheckedIOException when the file can't be read
     */
    public static LocalTrace read(Path file) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            JsonNode trace = new ObjectMapper().readTree(in);
            List<JsonNode> patches = new ArrayList<>();
            String start = trace.path("startContent").asText("");
            if (!start.isEmpty()) {
                throw new IllegalArgumentException("a trace begins with an empty text");
            }
            trace.get("txns").forEach(txn -> txn.get("patches").forEach(patches::add));
            return new LocalTrace(patches, trace.get("endContent").textValue());
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    int edits() {
        return index.length;
    }

    /** Replays it into a new document; each patch is a transaction or two of its own. */
    public Doc replay() {
        Doc doc = Doc.create(true);
        SharedText text = doc.edit(1).text("text");
        for (int i = 0; i < index.length; i++) {
            if (deleted[i] > 0) {
                text.delete(index[i], deleted[i]);
            }
            if (!inserted[i].isEmpty()) {
                text.insert(index[i], inserted[i]);
            }
        }
        return doc;
    }

    /** @throws IllegalStateException when a replay came to another text */
    public void check(Doc doc) {
        if (!doc.edit(1).text("text").toString().equals(end)) {
            throw new IllegalStateException("the replay came to another text");
        }
    }
}
