package dev.walmerge.bench.json;

import dev.walmerge.bench.json.Measure.Scenario;
import dev.walmerge.crdt.UpdateFormat;

/** The scenarios of replicas that edited without knowing of each other. */
final class Offline {
    private static final int PEERS = 16;
    private static final int EDITS = 100;

    private final UpdateFormat format;
    private final int items;
    private final byte[] state;

    private Offline(UpdateFormat format, int items, byte[] state) {
        this.format = format;
        this.items = items;
        this.state = state;
    }

    static void print(Measure measure, UpdateFormat format, int items, byte[] state) {
        Offline offline = new Offline(format, items, state);
        measure.print("offline-merge", offline.merge());
        measure.print("map-conflict-16", offline.conflict());
    }

    private JsonDocument load(long client) {
        return JsonDocument.load(state, format, client);
    }

    private Scenario<JsonDocument[], Integer> merge() {
        return new Scenario<>() {
            @Override
            public JsonDocument[] prepare(int batch) {
                JsonDocument[] pair = {load(11), load(12)};
                for (int j = 0; j < EDITS; j++) {
                    pair[0].setPriority(j % items, 1000 + j);
                    pair[1].item(j * 7 % items).set("title", "Renamed " + j);
                }
                return pair;
            }

            @Override
            public Integer run(JsonDocument[] pair, int number) {
                byte[] forB = pair[0].since(format, pair[1].doc.stateVector());
                byte[] forA = pair[1].since(format, pair[0].doc.stateVector());
                pair[1].apply(format, forB);
                pair[0].apply(format, forA);
                return forA.length + forB.length;
            }

            @Override
            public boolean check(JsonDocument[] pair, Integer bytes) {
                return pair[0].doc.sameContent(pair[1].doc)
                        && pair[1].hasPriority(99 % items, 1099)
                        && pair[0].title(99 * 7 % items).equals("Renamed 99");
            }

            @Override
            public int bytes(Integer bytes) {
                return bytes;
            }
        };
    }

    private Scenario<JsonDocument[], String> conflict() {
        byte[][] updates = new byte[PEERS][];
        for (int i = 0; i < PEERS; i++) {
            JsonDocument peer = load(i + 1);
            peer.settings().set("theme", "theme-" + (i + 1));
            updates[i] = peer.doc.drainChanges(format);
        }
        return new Scenario<>() {
            @Override
            public JsonDocument[] prepare(int batch) {
                JsonDocument[] replicas = new JsonDocument[batch];
                for (int i = 0; i < batch; i++) {
                    replicas[i] = load(20);
                }
                return replicas;
            }

            @Override
            public String run(JsonDocument[] replicas, int number) {
                for (byte[] update : updates) {
                    replicas[number].apply(format, update);
                }
                return replicas[number].theme();
            }

            @Override
            public boolean check(JsonDocument[] replicas, String theme) {
                return theme.equals("theme-" + PEERS);
            }
        };
    }
}
