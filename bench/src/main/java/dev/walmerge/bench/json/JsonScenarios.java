package dev.walmerge.bench.json;

import dev.walmerge.bench.json.Measure.Scenario;
import dev.walmerge.crdt.UpdateFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The scenarios of a JSON document, each printed as a line of JSON: microseconds, median, and bytes where something is encoded. They
 * are those of {@code bench/peers/scenarios.mjs}.
 */
public final class JsonScenarios {
    /** The system property that has it take less time, and say less. */
    public static final String QUICK = "walmerge.quick";

    /** Memory a process uses for the first time can cost more than what is measured: it is touched before. */
    public static final List<String> JVM = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");

    /** Edits, appends or round trips that a document takes before another one is used. */
    private static final int RENEW_EVERY = 100;

    private final UpdateFormat format;
    private final int items;
    private final int middle;
    private final byte[] state;
    private final Measure measure;

    private JsonScenarios(UpdateFormat format, int items) {
        this.format = format;
        this.items = items;
        this.middle = items / 2;
        this.state = JsonDocument.create(items).doc.encodeState(format);
        this.measure = new Measure("walmerge-" + format.name().toLowerCase(Locale.ROOT), items);
    }

    /** @param args the number of items, and v1 or v2 */
    public static void main(String[] args) {
        UpdateFormat format = UpdateFormat.valueOf(args[1].toUpperCase(Locale.ROOT));
        JsonScenarios scenarios = new JsonScenarios(format, Integer.parseInt(args[0]));
        scenarios.all();
        scenarios.measure.endRehearsal();
        scenarios.all();
    }

    private void all() {
        creation();
        exports();
        reads();
        for (int before : new int[] {0, 1000, 5000}) {
            scalarEdit(before);
        }
        edits();
        exchange();
        Offline.print(measure, format, items, state);
    }

    private JsonDocument build() {
        return JsonDocument.create(items);
    }

    private JsonDocument load(long client) {
        return JsonDocument.load(state, format, client);
    }

    private boolean loads(byte[] bytes) {
        return isAsBuilt(JsonDocument.load(bytes, format, 2));
    }

    private boolean isAsBuilt(JsonDocument document) {
        return document.plain().equals(JsonDocument.expected(items));
    }

    private void creation() {
        measure.print("create", new Scenario<Void, JsonDocument>() {
            @Override
            public JsonDocument run(Void on, int number) {
                return build();
            }

            @Override
            public boolean check(Void on, JsonDocument made) {
                return isAsBuilt(made);
            }
        });
        measure.print("create-encode", new Encoding<Void>() {
            @Override
            public byte[] run(Void on, int number) {
                return build().doc.encodeState(format);
            }
        });
    }

    /** A scenario that ends with the state of a document as it was built. */
    private abstract class Encoding<I> implements Scenario<I, byte[]> {
        @Override
        public boolean check(I on, byte[] bytes) {
            return loads(bytes);
        }

        @Override
        public int bytes(byte[] bytes) {
            return bytes.length;
        }
    }

    private void exports() {
        measure.print("export-first", new Encoding<JsonDocument[]>() {
            @Override
            public JsonDocument[] prepare(int batch) {
                JsonDocument[] fresh = new JsonDocument[batch];
                for (int i = 0; i < batch; i++) {
                    fresh[i] = build();
                }
                return fresh;
            }

            @Override
            public byte[] run(JsonDocument[] fresh, int number) {
                return fresh[number].doc.encodeState(format);
            }
        });
        JsonDocument kept = build();
        measure.print("export-repeated", new Encoding<Void>() {
            @Override
            public byte[] run(Void on, int number) {
                return kept.doc.encodeState(format);
            }
        });
    }

    private void reads() {
        JsonDocument kept = build();
        measure.print("read-field", new Scenario<Void, String>() {
            @Override
            public String run(Void on, int number) {
                return kept.title(middle) + kept.theme();
            }

            @Override
            public boolean check(Void on, String read) {
                return read.equals("Item number " + middle + "dark");
            }

            @Override
            public int batch() {
                return 1000;
            }
        });
        measure.print("load-materialize", new Scenario<Void, Object>() {
            @Override
            public Object run(Void on, int number) {
                return load(2).plain();
            }

            @Override
            public boolean check(Void on, Object plain) {
                return plain.equals(JsonDocument.expected(items));
            }
        });
    }

    /** A scenario that writes an update and goes on counting. */
    private abstract static class Editing<I> implements Scenario<I, byte[]> {
        int value = 99;

        @Override
        public int bytes(byte[] update) {
            return update.length;
        }
    }

    /** One document is edited on and on; the samples begin with another one. */
    private void scalarEdit(int before) {
        measure.print("scalar-edit-" + before, new Editing<JsonDocument>() {
            private JsonDocument edited;

            @Override
            public void begin() {
                edited = build();
                for (value = 100; value < 100 + before; value++) {
                    edited.setPriority(middle, value);
                }
                edited.doc.discardChanges();
            }

            @Override
            public byte[] run(JsonDocument on, int number) {
                edited.setPriority(middle, ++value);
                return edited.doc.drainChanges(format);
            }

            @Override
            public boolean check(JsonDocument on, byte[] update) {
                return edited.hasPriority(middle, value);
            }
        });
    }

    private void edits() {
        Supplier<JsonDocument> drained = renewed(() -> {
            JsonDocument made = build();
            made.doc.discardChanges();
            return made;
        });
        measure.print("append-object", new Editing<JsonDocument>() {
            @Override
            public JsonDocument prepare(int batch) {
                return drained.get();
            }

            @Override
            public byte[] run(JsonDocument made, int number) {
                made.append(items);
                return made.doc.drainChanges(format);
            }

            @Override
            public boolean check(JsonDocument made, byte[] update) {
                return made.length() > items && made.title(items).equals("Item number " + items);
            }
        });
        Supplier<JsonDocument> built = renewed(this::build);
        measure.print("edit-encode", new Editing<JsonDocument>() {
            @Override
            public JsonDocument prepare(int batch) {
                return built.get();
            }

            @Override
            public byte[] run(JsonDocument made, int number) {
                made.setPriority(middle, ++value);
                return made.doc.encodeState(format);
            }

            @Override
            public boolean check(JsonDocument made, byte[] bytes) {
                return JsonDocument.load(bytes, format, 2).hasPriority(middle, value);
            }
        });
    }

    /** The same document for some samples, then another: its edits stay few. */
    private static <T> Supplier<T> renewed(Supplier<T> make) {
        return new Supplier<>() {
            private T current;
            private int samples;

            @Override
            public T get() {
                if (current == null || ++samples % RENEW_EVERY == 0) {
                    current = make.get();
                }
                return current;
            }
        };
    }

    private void exchange() {
        Supplier<JsonDocument[]> pairs = renewed(() -> new JsonDocument[] {load(11), load(12)});
        measure.print("round-trip", new Editing<JsonDocument[]>() {
            private boolean arrived;

            @Override
            public JsonDocument[] prepare(int batch) {
                return pairs.get();
            }

            @Override
            public byte[] run(JsonDocument[] pair, int number) {
                pair[0].setPriority(middle, ++value);
                byte[] update = pair[0].doc.drainChanges(format);
                pair[1].apply(format, update);
                arrived = pair[1].hasPriority(middle, value);
                return update;
            }

            @Override
            public boolean check(JsonDocument[] pair, byte[] update) {
                return arrived && pair[0].doc.sameContent(pair[1].doc);
            }
        });
    }
}
