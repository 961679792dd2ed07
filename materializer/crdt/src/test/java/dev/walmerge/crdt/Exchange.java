package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Clients of the real yjs edit and exchange with a document of ours, as with a server; a replica of yjs is given the same and
 * compared after each time. Updates are held back, come late, twice, or merged with gaps; what the document drains goes to
 * another replica, what it writes is loaded.
 *
 * <p>Each step draws from numbers of its own, so that steps can be left out.
 */
final class Exchange {
    private static final Map<String, RootType> ROOTS = RandomHistory.ROOTS;

    /** The first thing that differs, what was given until then, and what yjs shows of that. */
    record Failure(String what, String expected, String actual, List<String> given, String view) {}

    private static final class Differs extends Exception {
        private static final long serialVersionUID = 1;

        private final transient Failure failure;

        Differs(Failure failure) {
            super(failure.what);
            this.failure = failure;
        }
    }

    private record Made(String v1, String v2) {}

    private final Yjs yjs;
    private final boolean gc;
    private final List<Made> made = new ArrayList<>();
    private final List<Made> held = new ArrayList<>();
    private final List<String> given = new ArrayList<>();
    private final int clients;
    private Doc doc;
    private Random random;
    private String view = "{}";

    /** How often something was compared. */
    int compared;

    /** States and merges with and without the bytes of yjs. */
    int sameBytes;

    int otherBytes;

    Exchange(Yjs yjs, long seed) {
        this.yjs = yjs;
        random = Seeds.of(seed, -1);
        clients = 2 + random.nextInt(4);
        gc = random.nextInt(4) > 0;
        doc = Doc.create(gc);
        doc.open().integrator.longScan = 0;
        ObjectNode open = Yjs.request("open").put("seed", random.nextInt()).put("count", clients);
        yjs.ask(open.put("gc", gc));
    }

    boolean gc() {
        return gc;
    }

    /** Null when nothing differs. */
    Failure run(long seed, List<Integer> steps) {
        try {
            for (int step : steps) {
                random = Seeds.of(seed, step);
                step();
            }
            random = Seeds.of(seed, -2);
            while (!held.isEmpty()) {
                deliver(held.remove(random.nextInt(held.size())));
            }
            settle();
            return null;
        } catch (Differs e) {
            return e.failure;
        } catch (MalformedUpdateException | IOException | RuntimeException e) {
            return new Failure("an exception", "none", e.toString(), given, view);
        }
    }

    /** For a case that was found: what yjs shows when it was given this, each "V1" or "V2" and hex. */
    static void check(boolean gc, String view, String... given) throws Exception {
        Doc doc = Doc.create(gc);
        for (String update : given) {
            Vectors.apply(doc, format(update), unhex(update));
        }
        assertThat(shown(doc)).isEqualTo(ReferenceReader.plain(Vectors.JSON.readTree(view)));
    }

    private static UpdateFormat format(String given) {
        return UpdateFormat.valueOf(given.substring(0, 2));
    }

    private static byte[] unhex(String given) {
        return HexFormat.of().parseHex(given.substring(3));
    }

    /** Gives a document and yjs what a run gave. */
    Failure replay(List<String> deliveries) {
        try {
            for (String delivery : deliveries) {
                give(format(delivery), unhex(delivery), false);
            }
            return null;
        } catch (Differs e) {
            return e.failure;
        } catch (MalformedUpdateException | IOException | RuntimeException e) {
            return new Failure("an exception", "none", e.toString(), given, view);
        }
    }

    private void step() throws Differs, MalformedUpdateException, IOException {
        int choice = random.nextInt(100);
        int client = random.nextInt(clients);
        if (choice < 55) {
            keep(yjs.ask(Yjs.request("edit").put("client", client).put("seed", random.nextInt())));
        } else if (choice < 65) {
            keep(yjs.ask(Yjs.request("sync").put("from", client).put("to", random.nextInt(clients))));
        } else if (choice < 72 && !made.isEmpty()) {
            deliver(made.get(random.nextInt(made.size())));
        } else if (choice < 80 && made.size() > 1) {
            deliverMerged();
        } else if (choice < 94) {
            exchange(client);
        } else {
            reload();
        }
    }

    /** What clients just made is given to the document now, or later. */
    private void keep(JsonNode reply) throws Differs, MalformedUpdateException, IOException {
        for (JsonNode update : reply.path("made")) {
            Made one = new Made(update.get("v1").textValue(), update.get("v2").textValue());
            made.add(one);
            if (random.nextInt(3) > 0) {
                deliver(one);
            } else {
                held.add(one);
            }
        }
    }

    private void deliver(Made update) throws Differs, MalformedUpdateException, IOException {
        boolean first = random.nextBoolean();
        give(first ? UpdateFormat.V1 : UpdateFormat.V2, bytes(first ? update.v1 : update.v2), random.nextBoolean());
    }

    /** Some updates merged without a document, gaps and all: ours is given to both. */
    private void deliverMerged() throws Differs, MalformedUpdateException, IOException {
        ObjectNode request = Yjs.request("merge");
        List<byte[]> v1 = new ArrayList<>();
        List<byte[]> v2 = new ArrayList<>();
        for (int i = 2 + random.nextInt(5); i > 0; i--) {
            Made one = made.get(random.nextInt(made.size()));
            request.withArray("v1").add(one.v1);
            request.withArray("v2").add(one.v2);
            v1.add(bytes(one.v1));
            v2.add(bytes(one.v2));
        }
        JsonNode theirs = yjs.ask(request);
        byte[] first = Updates.merge(UpdateFormat.V1, v1);
        byte[] second = Updates.merge(UpdateFormat.V2, v2);
        sameBytes("merged updates", UpdateFormat.V1, first, theirs.get("v1"));
        sameBytes("merged updates", UpdateFormat.V2, second, theirs.get("v2"));
        boolean one = random.nextBoolean();
        give(one ? UpdateFormat.V1 : UpdateFormat.V2, one ? first : second, random.nextBoolean());
    }

    /** The two steps of the sync protocol, both ways. */
    private void exchange(int client) throws Differs, MalformedUpdateException, IOException {
        JsonNode asked = yjs.ask(Yjs.request("ask").put("client", client).put("sv", base64(doc.stateVector())));
        boolean first = random.nextBoolean();
        UpdateFormat format = first ? UpdateFormat.V1 : UpdateFormat.V2;
        give(format, bytes(asked.get(first ? "v1" : "v2").textValue()), random.nextBoolean());
        ObjectNode answer = Yjs.request("answer").put("client", client);
        boolean written = random.nextBoolean();
        byte[] news = doc.encodeStateSince(
                written ? UpdateFormat.V1 : UpdateFormat.V2,
                bytes(asked.get("sv").textValue()));
        answer.withObject("/update").put(written ? "v1" : "v2", base64(news));
        JsonNode reply = yjs.ask(answer);
        if (!reply.get("view").isNull()
                && !doc.hasPending()
                && !reply.get("waits").booleanValue()) {
            expect("state vector of a client after an exchange", clocks(reply.get("sv")), ourClocks());
            expectView("view of a client after an exchange", reply.get("view").textValue());
        }
        keep(reply);
    }

    /** Yjs loads what the document writes, and so does a new document, which goes on in its place. */
    private void reload() throws Differs, MalformedUpdateException, IOException {
        UpdateFormat format = random.nextBoolean() ? UpdateFormat.V1 : UpdateFormat.V2;
        give(UpdateFormat.V1, new byte[] {0, 0}, true);
        checkLoaded(format, doc.encodeState(format));
        if (!doc.hasPending()) {
            Doc again = Doc.create(gc);
            Vectors.apply(again, format, doc.encodeState(format));
            expect("content of a state loaded again", true, again.sameContent(doc));
            again.discardChanges();
            again.open().integrator.longScan = 0;
            doc = again;
        }
    }

    private void checkLoaded(UpdateFormat format, byte[] state) throws Differs, IOException {
        ObjectNode load = Yjs.request("load").put("gc", gc);
        load.withObject("/update").put(name(format), base64(state));
        JsonNode loaded = yjs.ask(load);
        expectView(
                "a state of ours in yjs, format " + format, loaded.get("view").textValue());
        expect("state vector of a state of ours in yjs", clocks(loaded.get("sv")), ourClocks());
        expect(
                "what waits in a state of ours in yjs",
                "null",
                loaded.get("pending").toString());
    }

    private void give(UpdateFormat format, byte[] update, boolean drain)
            throws Differs, MalformedUpdateException, IOException {
        given.add(format + " " + HexFormat.of().formatHex(update));
        int flags = Vectors.apply(doc, format, update);
        expect("conflict", 0, flags & Doc.CONFLICT);
        ObjectNode request = Yjs.request("deliver");
        request.withObject("/update").put(name(format), base64(update));
        if (drain) {
            UpdateFormat drained = random.nextBoolean() ? UpdateFormat.V1 : UpdateFormat.V2;
            byte[] changes = doc.drainChanges(drained);
            if (changes != null) {
                request.withObject("/drained").put(name(drained), base64(changes));
            }
        }
        compare(yjs.ask(request));
    }

    private void compare(JsonNode reply) throws Differs, IOException {
        compared++;
        view = reply.get("view").textValue();
        expect("state vector", clocks(reply.get("sv")), ourClocks());
        expectView("view", reply.get("view").textValue());
        expect("xml", reply.get("xml").textValue(), Projection.xml(doc, "x"));
        if (!reply.get("follower").isNull()) {
            expect(
                    "view of what was drained",
                    reply.get("view").textValue(),
                    reply.get("follower").textValue());
        }
        expectPending(reply.get("pending"));
        if (!doc.hasPending()) {
            for (UpdateFormat format : UpdateFormat.values()) {
                byte[] state = doc.encodeState(format);
                if (!sameBytes("state", format, state, reply.get(name(format)))) {
                    checkLoaded(format, state);
                }
            }
        }
    }

    private void expectPending(JsonNode expected) throws Differs {
        if (expected.isTextual()) {
            return; // Yjs left something lying that was ready
        }
        Pending pending = null;
        if (!expected.isNull()) {
            TreeMap<Long, Integer> missing = new TreeMap<>();
            expected.get("missing")
                    .properties()
                    .forEach(entry -> missing.put(
                            Long.parseLong(entry.getKey()), entry.getValue().intValue()));
            pending = new Pending(missing, expected.get("ds").booleanValue());
        }
        expect("what waits", String.valueOf(pending), String.valueOf(doc.pending()));
    }

    /**
     * Bytes may be others where Yjs' depend on order, but not more: ours are joined wherever they can be. In version 2 a
     * joined length can end a run of equal ones, which costs some bytes.
     */
    private boolean sameBytes(String what, UpdateFormat format, byte[] ours, JsonNode theirs) throws Differs {
        byte[] expected = bytes(theirs.textValue());
        boolean same = Arrays.equals(ours, expected);
        if (same) {
            sameBytes++;
        } else {
            otherBytes++;
            int most = expected.length + (format == UpdateFormat.V1 ? 0 : 8);
            expect(
                    what + ": no more bytes, " + format,
                    expected.length,
                    ours.length > most ? ours.length : expected.length);
        }
        return same;
    }

    /** All that was made is here: what yjs makes of it in any order. */
    private void settle() throws Differs, IOException {
        ObjectNode request = Yjs.request("settle").put("gc", gc);
        made.forEach(one -> request.withArray("v1").add(one.v1));
        if (made.isEmpty()) {
            return;
        }
        JsonNode settled = yjs.ask(request);
        expect("nothing waits in the end", false, doc.hasPending());
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] state = doc.encodeState(format);
            checkLoaded(format, state);
            // Without GC it matters who brought a deleted struct: some have freed its content.
            if (gc && settled.get("same").booleanValue()) {
                String theirs = settled.get(name(format)).textValue();
                expect("bytes that don't depend on order, " + format, theirs, base64(state));
            }
        }
    }

    private void expectView(String what, String theirs) throws Differs, IOException {
        JsonNode expected = ReferenceReader.plain(Vectors.JSON.readTree(theirs));
        expect(what, expected, shown(doc));
    }

    /** All roots, as the replica's view has them. */
    static JsonNode shown(Doc doc) throws IOException {
        ObjectNode view = Vectors.JSON.createObjectNode();
        for (Map.Entry<String, RootType> root : ROOTS.entrySet()) {
            String tree = Projection.tree(doc, root.getKey(), root.getValue());
            view.set(root.getKey(), Vectors.JSON.readTree(tree));
        }
        return ReferenceReader.plain(view);
    }

    private Map<Long, Integer> ourClocks() {
        return ReferenceReader.stateVector(doc.stateVector());
    }

    private static Map<Long, Integer> clocks(JsonNode stateVector) {
        return ReferenceReader.stateVector(bytes(stateVector.textValue()));
    }

    private void expect(String what, Object expected, Object actual) throws Differs {
        if (!expected.equals(actual)) {
            throw new Differs(new Failure(what, expected.toString(), actual.toString(), List.copyOf(given), view));
        }
    }

    private static String name(UpdateFormat format) {
        return format == UpdateFormat.V1 ? "v1" : "v2";
    }

    private static byte[] bytes(String base64) {
        return Base64.getDecoder().decode(base64);
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
