package dev.walmerge.bench.json;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.Editor;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.RootType;
import dev.walmerge.crdt.SharedArray;
import dev.walmerge.crdt.SharedMap;
import dev.walmerge.crdt.UpdateFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The document of the scenarios: metadata, an atomic string, a nested map, a list of editable objects. */
final class JsonDocument {
    private static final String BODY = "Lorem ipsum dolor sit amet, ".repeat(8).substring(0, 200);
    private static final List<String> TAGS = List.of("a", "b", "c");

    final Doc doc;
    private final Editor editor;

    // An application keeps its roots at hand, as the other engines do here.
    private final SharedMap meta;
    private final SharedMap page;
    private final SharedArray items;

    private JsonDocument(Doc doc, long clientId) {
        this.doc = doc;
        this.editor = doc.edit(clientId);
        this.meta = editor.map("meta");
        this.page = editor.map("doc");
        this.items = editor.array("items");
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

    private void fill(int count) {
        meta.set("title", "Quarterly planning");
        meta.set("version", 3);
        meta.set("archived", false);
        meta.set("ratio", 0.75);
        meta.set("tags", TAGS);
        page.set("body", BODY);
        SharedMap settings = page.setMap("settings");
        settings.set("theme", "dark");
        settings.set("fontSize", 14);
        SharedMap nested = settings.setMap("nested");
        nested.set("a", 1);
        nested.set("b", true);
        for (int i = 0; i < count; i++) {
            push(i);
        }
    }

    private void push(int i) {
        SharedMap item = items.pushMap();
        item.set("id", "item-" + i);
        item.set("title", "Item number " + i);
        item.set("done", i % 3 == 0);
        item.set("priority", i % 5);
        item.setText("notes").insert(0, "note " + i);
    }

    /** The whole as plain values. */
    Map<String, Object> plain() {
        return Map.of(
                "meta", Projection.plain(doc, "meta", RootType.MAP),
                "doc", Projection.plain(doc, "doc", RootType.MAP),
                "items", Projection.plain(doc, "items", RootType.ARRAY));
    }

    /** What {@link #plain} must give of a document that was just built. */
    static Map<String, Object> expected(int count) {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(Map.of(
                    "id", "item-" + i,
                    "title", "Item number " + i,
                    "done", i % 3 == 0,
                    "priority", (long) (i % 5),
                    "notes", "note " + i));
        }
        return Map.of(
                "meta",
                Map.of("title", "Quarterly planning", "version", 3L, "archived", false, "ratio", 0.75, "tags", TAGS),
                "doc",
                Map.of(
                        "body",
                        BODY,
                        "settings",
                        Map.of("theme", "dark", "fontSize", 14L, "nested", Map.of("a", 1L, "b", true))),
                "items",
                list);
    }

    void append(int i) {
        editor.transact(() -> push(i));
    }

    int length() {
        return items.length();
    }

    SharedMap item(int i) {
        return (SharedMap) items.get(i);
    }

    SharedMap settings() {
        return (SharedMap) page.get("settings");
    }

    void setPriority(int i, int value) {
        item(i).set("priority", value);
    }

    boolean hasPriority(int i, int value) {
        return item(i).get("priority").equals((long) value);
    }

    String title(int i) {
        return (String) item(i).get("title");
    }

    String theme() {
        return (String) settings().get("theme");
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
