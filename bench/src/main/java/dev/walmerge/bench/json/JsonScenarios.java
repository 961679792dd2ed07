package dev.walmerge.bench.json;

import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The scenarios of a JSON document, each printed as a line of JSON: microseconds, median, and bytes where something is encoded. What
 * each comes to is checked before it is timed.
 */
public final class JsonScenarios {
    private static final int PEERS = 16;
    private static final int OFFLINE_EDITS = 100;

    private final UpdateFormat format;
    private final String engine;
    private final int items;
    private final byte[] state;
    private int number;

    private JsonScenarios(UpdateFormat format, int items) {
        this.format = format;
        this.engine = "walmerge-" + format.name().toLowerCase(Locale.ROOT);
        this.items = items;
        this.state = JsonDocument.create(items).doc.encodeState(format);
    }

    /** @param args item counts; 10 and 1000 without any */
    public static void main(String[] args) {
        List<String> counts = args.length == 0 ? List.of("10", "1000") : List.of(args);
        for (String count : counts) {
            for (UpdateFormat format : UpdateFormat.values()) {
                JsonScenarios scenarios = new JsonScenarios(format, Integer.parseInt(count));
                scenarios.check();
                scenarios.build();
                scenarios.edits();
                scenarios.exchange();
            }
        }
    }

    private void check() {
        JsonDocument made = JsonDocument.create(items);
        JsonDocument loaded = load(2);
        require(Projection.bodyJson(made.doc).equals(Projection.bodyJson(loaded.doc)));
        JsonDocument[] pair = offline();
        merge(pair);
        require(pair[0].doc.sameContent(pair[1].doc));
        require(conflict(conflicting()).equals("theme-" + PEERS));
    }

    private static void require(boolean right) {
        if (!right) {
            throw new IllegalStateException("a scenario came to something else");
        }
    }

    private JsonDocument load(long client) {
        return JsonDocument.load(state, format, client);
    }

    private JsonDocument fresh() {
        JsonDocument made = JsonDocument.create(items);
        made.doc.discardChanges();
        return made;
    }

    private void build() {
        Measure.print(engine, "create", items, () -> items, JsonDocument::create, made -> -1);
        Measure.print(
                engine,
                "create-encode",
                items,
                () -> items,
                count -> JsonDocument.create(count).doc.encodeState(format),
                bytes -> bytes.length);
        Measure.print(
                engine,
                "export-first",
                items,
                this::fresh,
                made -> made.doc.encodeState(format),
                bytes -> bytes.length);
        JsonDocument again = fresh();
        Measure.print(
                engine,
                "export-repeated",
                items,
                () -> again,
                made -> made.doc.encodeState(format),
                bytes -> bytes.length);
        Measure.print(
                engine,
                "read-field",
                items,
                () -> again,
                made -> (String) made.item(items / 2).get("title")
                        + made.settings().get("theme"),
                fields -> -1);
        Measure.print(
                engine,
                "load-materialize",
                items,
                () -> 2L,
                client -> Projection.bodyJson(load(client).doc),
                json -> json.length() > 0 ? -1 : 0);
    }

    private byte[] scalarEdit(JsonDocument in) {
        in.item(items / 2).set("priority", ++number);
        return in.doc.drainChanges(format);
    }

    private void edits() {
        for (int before : new int[] {0, 1000, 5000}) {
            JsonDocument edited = fresh();
            for (int i = 0; i < before; i++) {
                scalarEdit(edited);
            }
            byte[] from = edited.doc.encodeState(format);
            // Samples of a few edits on a document that has had its number of them: not thousands more.
            Supplier<JsonDocument> prepare = renewed(() -> JsonDocument.load(from, format, 1));
            Measure.print(engine, "scalar-edit-" + before, items, prepare, this::scalarEdit, update -> update.length);
        }
        Measure.print(
                engine,
                "append-object",
                items,
                renewed(this::fresh),
                made -> {
                    made.append(items);
                    return made.doc.drainChanges(format);
                },
                update -> update.length);
        Measure.print(
                engine,
                "edit-encode",
                items,
                renewed(this::fresh),
                made -> {
                    scalarEdit(made);
                    return made.doc.encodeState(format);
                },
                bytes -> bytes.length);
    }

    /** The same document for some runs, then another: its edits stay few. */
    private static <T> Supplier<T> renewed(Supplier<T> make) {
        return new Supplier<>() {
            private T current;
            private int runs;

            @Override
            public T get() {
                if (current == null || ++runs % 100 == 0) {
                    current = make.get();
                }
                return current;
            }
        };
    }

    private void exchange() {
        Measure.print(
                engine,
                "round-trip",
                items,
                renewed(() -> new JsonDocument[] {load(1), load(2)}),
                pair -> {
                    byte[] update = scalarEdit(pair[0]);
                    pair[1].apply(format, update);
                    require(pair[1].item(items / 2).get("priority").equals((long) number));
                    return update;
                },
                update -> update.length);
        Measure.print(engine, "offline-merge", items, this::offline, this::merge, bytes -> bytes);
        Measure.print(engine, "map-conflict-16", items, this::conflicting, this::conflict, theme -> -1);
    }

    /** Two of one state that made their edits and know nothing of the other's. */
    private JsonDocument[] offline() {
        JsonDocument a = load(1);
        JsonDocument b = load(2);
        for (int j = 0; j < OFFLINE_EDITS; j++) {
            a.item(j % items).set("priority", j);
            b.item(j * 7 % items).set("title", "Title " + j);
        }
        return new JsonDocument[] {a, b};
    }

    private int merge(JsonDocument[] pair) {
        byte[] fromA = pair[0].since(format, pair[1].doc.stateVector());
        byte[] fromB = pair[1].since(format, pair[0].doc.stateVector());
        pair[0].apply(format, fromB);
        pair[1].apply(format, fromA);
        return fromA.length + fromB.length;
    }

    /** A replica and what each peer wrote. */
    private record Conflict(JsonDocument replica, byte[][] updates) {}

    private Conflict conflicting() {
        byte[][] updates = new byte[PEERS][];
        for (int i = 0; i < PEERS; i++) {
            JsonDocument peer = load(i + 1);
            peer.settings().set("theme", "theme-" + (i + 1));
            updates[i] = peer.doc.drainChanges(format);
        }
        return new Conflict(load(100), updates);
    }

    private Object conflict(Conflict conflict) {
        for (byte[] update : conflict.updates()) {
            conflict.replica().apply(format, update);
        }
        return conflict.replica().settings().get("theme");
    }
}
