package dev.walmerge.bench.json;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.Editor;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.SharedArray;
import dev.walmerge.crdt.SharedMap;
import dev.walmerge.crdt.UpdateFormat;
import java.util.List;

/** The document of the scenarios: metadata, an atomic string, a nested map, a list of editable objects. */
final class JsonDocument {
    private static final String BODY = "Lorem ipsum dolor sit amet, ".repeat(8).substring(0, 200);
    private static final List<String> TAGS = List.of("a", "b", "c");

    final Doc doc;
    final Editor editor;

    private JsonDocument(Doc doc, long clientId) {
        this.doc = doc;
        this.editor = doc.edit(clientId);
    }

    /** Built by client 1 in one transaction. */
    static JsonDocument create(int items) {
        JsonDocument made = new JsonDocument(Doc.create(true), 1);
        made.editor.transact(() -> made.fill(items));
        return made;
    }

    /** A replica for a client of its own. */
    static JsonDocument load(byte[] state, UpdateFormat format, long clientId) {
        JsonDocument loaded = new JsonDocument(Doc.create(true), clientId);
        loaded.apply(format, state);
        loaded.doc.discardChanges();
        return loaded;
    }

    private void fill(int items) {
        SharedMap meta = editor.map("meta");
        meta.set("title", "Quarterly planning");
        meta.set("version", 3);
        meta.set("archived", false);
        meta.set("ratio", 0.75);
        meta.set("tags", TAGS);
        SharedMap content = editor.map("doc");
        content.set("body", BODY);
        SharedMap settings = content.setMap("settings");
        settings.set("theme", "dark");
        settings.set("fontSize", 14);
        SharedMap nested = settings.setMap("nested");
        nested.set("a", 1);
        nested.set("b", true);
        SharedArray list = editor.array("items");
        for (int i = 0; i < items; i++) {
            push(list, i);
        }
    }

    private static void push(SharedArray list, int i) {
        SharedMap item = list.pushMap();
        item.set("id", "item-" + i);
        item.set("title", "Item number " + i);
        item.set("done", i % 3 == 0);
        item.set("priority", i % 5);
        item.setText("notes").insert(0, "note " + i);
    }

    void append(int i) {
        editor.transact(() -> push(editor.array("items"), i));
    }

    SharedMap item(int i) {
        return (SharedMap) editor.array("items").get(i);
    }

    SharedMap settings() {
        return (SharedMap) editor.map("doc").get("settings");
    }

    void apply(UpdateFormat format, byte[] update) {
        try {
            doc.apply(format, update, 0, update.length);
        } catch (MalformedUpdateException e) {
            throw new IllegalStateException(e);
        }
    }

    byte[] since(UpdateFormat format, byte[] stateVector) {
        try {
            return doc.encodeStateSince(format, stateVector);
        } catch (MalformedUpdateException e) {
            throw new IllegalStateException(e);
        }
    }
}
