package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random histories over all kinds of content, delayed, reordered, doubled and merged on their way, to a document and its
 * twin. {@code -Dwalmerge.seed=N} repeats a run, {@code -Dwalmerge.histories=N} makes it longer.
 */
class TwinPropertyTest {
    private static final long SEED = Long.getLong("walmerge.seed", System.nanoTime() & 0xffffff);
    private static final int HISTORIES = Integer.getInteger("walmerge.histories", 100);

    @Test
    void mergesAsTheTwinDoes() {
        int deliveries = 0;
        for (int n = 0; n < HISTORIES; n++) {
            long seed = SEED * 1_000_000 + n;
            List<Integer> steps = steps(seed);
            List<Delivery> delivered = deliveries(seed, steps);
            deliveries += delivered.size();
            if (differs(seed, delivered)) {
                fail(shrunk(seed, steps));
            }
        }
        System.out.println("twins: " + HISTORIES + " histories, " + deliveries + " deliveries, seed " + SEED);
    }

    @Test
    void bringsOthersUpToDate() {
        for (int n = 0; n < HISTORIES / 4; n++) {
            long seed = SEED * 1_000_000 + n;
            List<byte[]> updates =
                    new ArrayList<>(RandomEdits.history(seed, steps(seed)).values());
            Twins newer = twins(updates, updates.size());
            Twins older = twins(updates, Seeds.of(seed, -2).nextInt(updates.size() + 1));
            assertThat(Twins.updated(newer, older))
                    .as("seed %d, history %d", SEED, n)
                    .isNull();
        }
    }

    private static Twins twins(List<byte[]> updates, int count) {
        Twins twins = new Twins(true, 1000);
        for (byte[] update : updates.subList(0, count)) {
            twins.give(update);
        }
        return twins;
    }

    private static List<Integer> steps(long seed) {
        int count = 5 + Seeds.of(seed, -3).nextInt(60);
        return IntStream.range(0, count).boxed().toList();
    }

    private static boolean differs(long seed, List<Delivery> deliveries) {
        return Twins.difference(gc(seed), deliveries, 1) != null;
    }

    private static boolean gc(long seed) {
        return seed % 3 != 0;
    }

    /** The network: what it does to a step doesn't depend on other steps. */
    private static List<Delivery> deliveries(long seed, List<Integer> steps) {
        record Sent(double at, int step) {}
        SortedMap<Integer, byte[]> updates = RandomEdits.history(seed, steps);
        double delay = Seeds.of(seed, -4).nextInt(3) * 10;
        List<Sent> sent = new ArrayList<>();
        for (int step : updates.keySet()) {
            Random random = Seeds.of(seed, step);
            sent.add(new Sent(step + random.nextDouble() * 2 * delay, step));
            if (random.nextInt(5) == 0) {
                sent.add(new Sent(step + random.nextDouble() * 120, step));
            }
        }
        sent.sort(Comparator.comparingDouble(Sent::at));
        List<Delivery> deliveries = new ArrayList<>();
        List<byte[]> together = new ArrayList<>();
        for (Sent one : sent) {
            Random random = Seeds.of(~seed, one.step);
            together.add(updates.get(one.step));
            if (random.nextInt(3) > 0) {
                UpdateFormat format = random.nextBoolean() ? UpdateFormat.V1 : UpdateFormat.V2;
                deliveries.add(new Delivery(format, List.copyOf(together)));
                together.clear();
            }
        }
        return deliveries;
    }

    private static String shrunk(long seed, List<Integer> steps) {
        List<Integer> fewer = Shrinker.minimal(steps, some -> differs(seed, deliveries(seed, some)));
        List<Delivery> left = Shrinker.minimal(deliveries(seed, fewer), some -> differs(seed, some));
        String text = left.stream().map(each -> "\"" + each + "\"").collect(Collectors.joining(",\n        "));
        return Shrinker.report(
                "twins-" + seed,
                "Twins.check(%s,\n        %s);\n%s\n(-Dwalmerge.seed=%d)"
                        .formatted(gc(seed), text, Twins.difference(gc(seed), left, 1), SEED));
    }

    @Test
    void listsAreMadeSmall() {
        List<Integer> kept = Shrinker.minimal(
                IntStream.range(0, 100).boxed().toList(),
                some -> some.contains(17) && some.containsAll(List.of(3, 80)));
        assertThat(kept).containsExactly(3, 17, 80);
    }

    /** Two writers under one id: the twin doesn't notice, so this is a difference that can be had at will. */
    @Test
    void failuresAreMadeSmall() {
        List<Delivery> deliveries = new ArrayList<>(deliveries(5, steps(5)));
        deliveries.add(1, Delivery.parse("V1 0101050004010174016100"));
        deliveries.add(Delivery.parse("V2 0101050004010174016200"));
        List<Delivery> small = Shrinker.minimal(deliveries, some -> Twins.difference(true, some, 1) != null);
        assertThat(small).hasSize(2);
        assertThat(Twins.difference(true, small, 1).what()).isEqualTo("what apply returns");
    }
}
