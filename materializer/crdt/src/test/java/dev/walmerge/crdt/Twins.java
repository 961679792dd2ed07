package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A document and its twin, given the same and compared in all they show after each delivery. */
final class Twins {
    private static final List<RootType> SHOWN = List.of(RootType.TEXT, RootType.ARRAY, RootType.MAP);

    /** The first thing they differ in. */
    record Difference(int delivery, String what, String expected, String actual) {}

    private static final class Differs extends Exception {
        private static final long serialVersionUID = 1;

        private final transient Difference difference;

        Differs(Difference difference) {
            super(difference.toString());
            this.difference = difference;
        }
    }

    final Doc doc;
    final ReferenceDoc twin = new ReferenceDoc();
    private final Doc follower;
    private final ReferenceDoc twinFollower = new ReferenceDoc();
    private int deliveries;

    /** What was deleted at the last drain; null before the first, which tells of all. */
    private Set<Id> drained;

    /** After so many deliveries all is compared, else only what apply returns and the state vector. */
    private final int every;

    Twins(boolean gc, int every) {
        this.every = every;
        doc = Doc.create(gc);
        doc.open().integrator.longScan = 0;
        follower = Doc.create(gc);
    }

    /** For a case that was found: deliveries in order, in the form of {@link Delivery}. */
    static void check(boolean gc, String... deliveries) {
        List<Delivery> parsed = Arrays.stream(deliveries).map(Delivery::parse).toList();
        assertThat(difference(gc, parsed, 1)).isNull();
    }

    /** Null when there is none. */
    static Difference difference(boolean gc, List<Delivery> deliveries, int every) {
        Twins twins = new Twins(gc, every);
        try {
            for (Delivery delivery : deliveries) {
                twins.deliver(delivery);
            }
            twins.checkWritten();
            return null;
        } catch (Differs e) {
            return e.difference;
        } catch (MalformedUpdateException | RuntimeException | AssertionError e) {
            return new Difference(twins.deliveries, "an exception", "none", e.toString());
        }
    }

    private void deliver(Delivery delivery) throws Differs, MalformedUpdateException {
        int flags = delivery.applyTo(doc);
        expect("what apply returns", twin.apply(delivery.updates()), flags);
        expect("state vector", twin.stateVector(), ReferenceReader.stateVector(doc.stateVector()));
        deliveries++;
        if (deliveries % every == 0) {
            compare(doc, twin);
        }
        if (deliveries % (3 * every) == 0) {
            drain();
        }
    }

    private static Set<Id> without(Set<Id> some, Set<Id> others) {
        Set<Id> rest = new HashSet<>(some);
        rest.removeAll(others);
        return rest;
    }

    private int row(Id id) {
        StructStore store = doc.store();
        return store.find(store.clients.find(id.client()), id.clock());
    }

    void give(byte[] update) {
        try {
            deliver(new Delivery(UpdateFormat.V1, List.of(update)));
        } catch (Differs | MalformedUpdateException e) {
            throw new AssertionError(e);
        }
    }

    private void drain() throws Differs, MalformedUpdateException {
        UpdateFormat format = deliveries % 2 == 0 ? UpdateFormat.V1 : UpdateFormat.V2;
        byte[] changes = doc.drainChanges(format);
        Set<Id> told = Set.of();
        if (changes != null) {
            Vectors.apply(follower, format, changes);
            boolean first = format == UpdateFormat.V1;
            byte[] read = first ? changes : Updates.convert(changes, format, UpdateFormat.V1);
            twinFollower.apply(List.of(read));
            told = ReferenceReader.update(read).deletes();
        }
        Set<Id> deleted = twin.deletes();
        if (drained != null) {
            Set<Id> news = without(deleted, drained);
            expect("deletes that are drained but no news", Map.of(), sorted(without(told, news)));
            Set<Id> left = without(news, told);
            left.removeIf(id -> doc.store().isGc(row(id)));
            expect("deletes that are not drained", Map.of(), sorted(left));
        }
        drained = deleted;
        expect("a follower's content", true, follower.sameContent(doc));
        compare(doc, twinFollower, "drained ");
    }

    private void compare(Doc of, ReferenceDoc with) throws Differs {
        compare(of, with, "");
        ReferenceReader.Update state = ReferenceReader.update(of.encodeState(UpdateFormat.V1));
        ReferenceReader.Update all = ReferenceReader.update(of.encodeStateWithPending(UpdateFormat.V1));
        expect("ids", sorted(with.ids()), sorted(ids(state)));
        expect("deletes", sorted(with.deletes()), sorted(state.deletes()));
        expect("ids with pending", sorted(union(with.ids(), with.waiting())), sorted(ids(all)));
        expect("deletes with pending", sorted(union(with.deletes(), with.waitingDeletes())), sorted(all.deletes()));
        expect("whether something waits", with.waits(), of.hasPending());
    }

    private void compare(Doc of, ReferenceDoc with, String what) throws Differs {
        expect(what + "state vector", with.stateVector(), ReferenceReader.stateVector(of.stateVector()));
        Set<String> names = new TreeSet<>();
        of.roots().forEach(root -> names.add(root.name()));
        expect(what + "roots", with.roots().keySet(), names);
        for (Map.Entry<String, ReferenceDoc.Type> root : with.roots().entrySet()) {
            String name = root.getKey();
            expect(what + "text of " + name, ReferenceView.text(root.getValue()), Projection.text(of, name));
            for (RootType as : SHOWN) {
                JsonNode expected = ReferenceReader.plain(ReferenceView.tree(root.getValue(), as));
                expect(what + as + " " + name, expected, read(Projection.tree(of, name, as)));
            }
        }
    }

    /** What the document writes is loaded by a new twin, whole and on top of a part. */
    private void checkWritten() throws Differs, MalformedUpdateException {
        compare(doc, twin);
        drain();
        ReferenceDoc loaded = new ReferenceDoc();
        loaded.apply(List.of(doc.encodeState(UpdateFormat.V1)));
        compare(doc, loaded, "loaded ");
        ReferenceDoc again = new ReferenceDoc();
        byte[] second = Updates.convert(doc.encodeState(UpdateFormat.V2), UpdateFormat.V2, UpdateFormat.V1);
        again.apply(List.of(second));
        compare(doc, again, "loaded from V2 ");
        Doc reloaded = Doc.create(true);
        Vectors.apply(reloaded, UpdateFormat.V2, doc.encodeStateWithPending(UpdateFormat.V2));
        compare(reloaded, twin);
    }

    /** Brings an older document up to date by what it says it has. */
    static Difference updated(Twins newer, Twins older) {
        try {
            byte[] news = newer.doc.encodeStateSince(UpdateFormat.V1, older.doc.stateVector());
            older.deliver(new Delivery(UpdateFormat.V1, List.of(news)));
            older.compare(older.doc, newer.twin, "updated ");
            return null;
        } catch (Differs e) {
            return e.difference;
        } catch (MalformedUpdateException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode read(String json) {
        try {
            return ReferenceReader.plain(Vectors.JSON.readTree(json));
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Set<Id> ids(ReferenceReader.Update update) {
        Set<Id> ids = new HashSet<>();
        update.units().forEach(unit -> ids.add(unit.id));
        return ids;
    }

    private static Set<Id> union(Set<Id> a, Set<Id> b) {
        Set<Id> union = new HashSet<>(a);
        union.addAll(b);
        return union;
    }

    private static Map<Long, Set<Integer>> sorted(Set<Id> ids) {
        Map<Long, Set<Integer>> byClient = new TreeMap<>();
        ids.forEach(id ->
                byClient.computeIfAbsent(id.client(), c -> new TreeSet<>()).add(id.clock()));
        return byClient;
    }

    private void expect(String what, Object expected, Object actual) throws Differs {
        if (!expected.equals(actual)) {
            throw new Differs(new Difference(deliveries, what, expected.toString(), actual.toString()));
        }
    }
}
