package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.crdt.CrookedHistory.Item;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What a merge remembers of its scans changes no order: crooked histories, struct by struct in the twin and in yjs, and all in one
 * merge by documents that remember every scan. {@code -Dwalmerge.seed=N} repeats a run, {@code -Dwalmerge.histories=N} makes it
 * longer.
 */
class ScanTest {
    private static final long SEED = Long.getLong("walmerge.seed", System.nanoTime() & 0xffffff);
    private static final int HISTORIES = Integer.getInteger("walmerge.histories", 200);

    /** By document: after how many steps a scan is remembered. The first remembers none. */
    private static final int[] LONG_SCANS = {Integer.MAX_VALUE, 0, 2, 5};

    @Test
    void asTheTwinDoesStructByStruct() throws Exception {
        int compared = 0;
        for (int n = 0; n < HISTORIES; n++) {
            long seed = SEED * 1_000_000 + n;
            CrookedHistory history = new CrookedHistory(seed);
            boolean twins = !history.cutsItsOrigin();
            compared += twins ? 1 : 0;
            List<String> order = oneByOne(history, twins, seed);
            List<Doc> docs = documents(false);
            for (Item item : history.items) {
                give(docs, CrookedHistory.update(item), seed);
            }
            give(docs, history.gate(), seed);
            if (twins && history.inOneGo) {
                assertThat(order(docs.get(1))).as("all at once, seed %d", seed).isEqualTo(order);
            }
        }
        assertThat(compared).isGreaterThan(HISTORIES / 4);
    }

    /** Gives one struct a time to a document and its twin. */
    private static List<String> oneByOne(CrookedHistory history, boolean twins, long seed) throws Exception {
        Doc doc = Doc.create(false);
        ReferenceDoc twin = new ReferenceDoc();
        Vectors.apply(doc, UpdateFormat.V1, history.gate());
        twin.apply(List.of(history.gate()));
        for (Item item : history.items) {
            byte[] update = CrookedHistory.update(item);
            Vectors.apply(doc, UpdateFormat.V1, update);
            if (twins) {
                twin.apply(List.of(update));
                assertThat(order(doc)).as("behind %s, seed %d", item, seed).isEqualTo(order(twin));
            }
        }
        return order(doc);
    }

    @Test
    void inBatchesOfAnyOrder() throws Exception {
        for (int n = 0; n < HISTORIES; n++) {
            long seed = SEED * 1_000_000 + n;
            CrookedHistory history = new CrookedHistory(seed);
            Random random = Seeds.of(seed, 2);
            List<byte[]> updates = new ArrayList<>();
            if (random.nextInt(3) > 0) {
                updates.add(history.gate());
            }
            if (random.nextBoolean()) {
                updates.add(history.deletion());
            }
            List<Item> items = random.nextBoolean() ? history.items : history.shuffled(seed);
            int batch = 1 + random.nextInt(items.size());
            for (int from = 0; from < items.size(); ) {
                int end = Math.min(items.size(), from + 1 + random.nextInt(batch));
                int again = random.nextInt(4) == 0 ? Math.max(0, from - 3) : from;
                updates.add(CrookedHistory.together(items.subList(again, end)));
                from = end;
            }
            updates.add(history.gate());
            updates.add(history.deletion());
            List<Doc> docs = documents(random.nextBoolean());
            for (byte[] update : updates) {
                give(docs, update, seed);
            }
            assertThat(docs.get(0).hasPending()).as("seed %d", seed).isFalse();
        }
    }

    @Test
    void asYjsDoes() throws Exception {
        Yjs yjs = Yjs.get();
        for (int n = 0; n < HISTORIES / 10; n++) {
            long seed = SEED * 1_000_000 + n;
            CrookedHistory history = new CrookedHistory(seed);
            yjs.ask(Yjs.request("open").put("seed", n).put("count", 1).put("gc", false));
            Doc doc = Doc.create(false);
            give(yjs, doc, history.gate(), seed);
            for (Item item : history.items) {
                give(yjs, doc, CrookedHistory.update(item), seed);
            }
            give(yjs, doc, history.deletion(), seed);
        }
    }

    // A, and B behind it, by other clients. A scan from B on passes FIRST and SECOND and is long, as it looks on at
    // higher ones; one
    // that begins left of B and ends before one of those is short, and only stops who comes later.
    private static final Id A = new Id(1, 0);
    private static final Id B = new Id(2, 0);
    private static final Id FIRST = new Id(10, 0);
    private static final Id SECOND = new Id(11, 0);

    private static List<Item> base() {
        List<Item> base = new ArrayList<>(List.of(Item.of(1, 0, null, null), Item.of(2, 0, A, null)));
        base.addAll(behind(B));
        return base;
    }

    private static List<Item> behind(Id origin) {
        List<Item> items = new ArrayList<>();
        items.add(Item.of(10, 0, origin, null));
        items.add(Item.of(11, 0, origin, null));
        for (int client = 40; client < 45; client++) {
            items.add(Item.of(client, 0, origin, A));
        }
        return items;
    }

    /** What the items of the others wait for, one behind the other, so that they come in this order in one merge. */
    private static final Item GATE = Item.of(5, 0, null, null);

    private static List<Item> waiting(long client, long behind, Id origin, Id right) {
        return List.of(Item.of(client, 0, new Id(behind, 0), null), Item.of(client, 1, origin, right));
    }

    @Test
    void somethingPutAmongWhatWasPassed() throws Exception {
        for (Id before : List.of(FIRST, SECOND, new Id(20, 1))) {
            same(base(), waiting(20, 5, B, null), waiting(25, 20, A, before), waiting(30, 25, B, null), List.of(GATE));
        }
    }

    @Test
    void somethingPutAmongWhatWasPassedGoingOn() throws Exception {
        same(
                base(),
                waiting(20, 5, B, null),
                waiting(21, 20, new Id(20, 1), null),
                waiting(22, 21, B, null),
                waiting(25, 22, A, new Id(21, 1)),
                waiting(30, 25, B, null),
                List.of(GATE));
    }

    @Test
    void somethingPutBehindWhatItCut() throws Exception {
        Id end = new Id(1, 1);
        same(
                List.of(new Item(A, 2, Kind.STRING, null, null, -1)),
                behind(end),
                waiting(20, 5, end, null),
                waiting(25, 20, A, FIRST),
                waiting(30, 25, end, null),
                List.of(GATE));
    }

    /** A delete cuts what a scan began behind: nothing is known of it in the next merge. */
    @Test
    void somethingPutBehindWhatADeleteCut() throws Exception {
        Id end = new Id(1, 1);
        List<Doc> docs = documents(false);
        give(docs, CrookedHistory.together(List.of(new Item(A, 2, Kind.STRING, null, null, -1))), 0);
        give(docs, CrookedHistory.together(behind(end)), 0);
        give(docs, CrookedHistory.together(List.of(Item.of(20, 0, end, null))), 0);
        give(docs, WireBytes.update(0, 0, 0, new WireBytes(), Set.of(A)), 0);
        give(docs, CrookedHistory.together(List.of(Item.of(50, 0, A, FIRST), Item.of(30, 0, end, null))), 0);
    }

    /** What is typed on gets an origin that others have who were remembered. */
    @Test
    void typedOnBeforeOthersWithThatOrigin() throws Exception {
        Id end = new Id(100, 1);
        same(
                List.of(new Item(new Id(100, 0), 2, Kind.STRING, null, null, -1)),
                List.of(
                        Item.of(1001, 0, end, null),
                        Item.of(1000, 0, end, null),
                        Item.of(600, 0, new Id(50, 0), null),
                        Item.of(600, 1, end, null),
                        Item.of(500, 0, new Id(100, 0), new Id(1000, 0)),
                        Item.of(100, 2, end, null),
                        Item.of(50, 0, null, null)));
    }

    @Test
    void loadedAmongOthersThatWereRemembered() throws Exception {
        List<Item> items = new ArrayList<>();
        items.add(Item.of(9000, 0, null, null));
        for (int clock = 1; clock < 17; clock++) {
            items.add(new Item(new Id(9000, clock), 1, Kind.DELETED, new Id(9000, clock - 1), null, -1));
        }
        Id end = new Id(9000, 16);
        items.add(Item.of(1001, 0, end, null));
        items.add(Item.of(1000, 0, end, null));
        items.add(Item.of(600, 0, new Id(300, 0), null));
        items.add(Item.of(600, 1, end, null));
        items.add(Item.of(500, 0, new Id(9000, 3), new Id(9000, 4)));
        items.add(Item.of(500, 1, end, new Id(1000, 0)));
        items.add(Item.of(300, 0, null, null));
        same(items);
    }

    @SafeVarargs
    private static void same(List<Item>... updates) throws Exception {
        List<Doc> docs = documents(false);
        for (List<Item> update : updates) {
            give(docs, CrookedHistory.together(update), 0);
        }
        assertThat(docs.get(0).hasPending()).isFalse();
    }

    private static void give(Yjs yjs, Doc doc, byte[] update, long seed) throws Exception {
        Vectors.apply(doc, UpdateFormat.V1, update);
        ObjectNode request = Yjs.request("deliver");
        request.withObject("/update").put("v1", Base64.getEncoder().encodeToString(update));
        String view = yjs.ask(request).get("view").textValue();
        assertThat(Exchange.shown(doc))
                .as("seed %d", seed)
                .isEqualTo(ReferenceReader.plain(Vectors.JSON.readTree(view)));
    }

    private static List<Doc> documents(boolean gc) {
        List<Doc> docs = new ArrayList<>();
        for (int longScan : LONG_SCANS) {
            Doc doc = Doc.create(gc);
            doc.open().integrator.longScan = longScan;
            docs.add(doc);
        }
        return docs;
    }

    private static void give(List<Doc> docs, byte[] update, long seed) throws Exception {
        for (Doc doc : docs) {
            Vectors.apply(doc, UpdateFormat.V1, update);
            assertThat(doc.sameContent(docs.get(0))).as("seed %d", seed).isTrue();
        }
    }

    private static List<String> order(Doc doc) {
        StructStore store = doc.store();
        List<String> lists = new ArrayList<>();
        for (int list = 0; list < CrookedHistory.LISTS; list++) {
            int type = store.content[row(store, CrookedHistory.holder(list))];
            String key = CrookedHistory.key(list);
            int s = key == null ? store.types.start[type] : store.types.first(type, store.names.find(key));
            StringBuilder order = new StringBuilder();
            for (; s != StructStore.NONE; s = store.right[s]) {
                for (int clock = store.clock[s]; clock < store.end(s); clock++) {
                    order.append(store.clients.id[store.client.get(s)])
                            .append('.')
                            .append(clock)
                            .append(' ');
                }
            }
            lists.add(order.toString());
        }
        return lists;
    }

    private static int row(StructStore store, Id id) {
        return store.find(store.clients.find(id.client()), id.clock());
    }

    private static List<String> order(ReferenceDoc twin) {
        List<String> lists = new ArrayList<>();
        for (int list = 0; list < CrookedHistory.LISTS; list++) {
            StringBuilder order = new StringBuilder();
            for (ReferenceDoc.Unit unit :
                    twin.unit(CrookedHistory.holder(list)).type.listOf(CrookedHistory.key(list))) {
                order.append(unit.id.client())
                        .append('.')
                        .append(unit.id.clock())
                        .append(' ');
            }
            lists.add(order.toString());
        }
        return lists;
    }
}
