package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random concurrent histories over all types, made and merged by the real yjs: some recorded, and new ones in each run.
 * {@code -Dwalmerge.seed=N} repeats a run; {@code -Dwalmerge.histories=N} or {@code -Dwalmerge.seconds=N} says how many.
 */
class DifferentialTest {
    private static final int SEED = Integer.getInteger("walmerge.seed", (int) (System.nanoTime() & 0xffffff));
    private static final int SECONDS = Integer.getInteger("walmerge.seconds", 10);

    /** However slow the machine is. */
    private static final int LEAST = 20;

    private static final int HISTORIES = Integer.getInteger("walmerge.histories", Integer.MAX_VALUE);

    @Test
    void mergesWhatIsRecordedAsYjsDid() throws Exception {
        int histories = 0;
        int sameBytes = 0;
        for (JsonNode record : Vectors.read("/vectors/random-histories.jsonl.gz")) {
            sameBytes += new RandomHistory(record).check() ? 1 : 0;
            histories++;
        }
        System.out.println("recorded: " + histories + " histories, " + sameBytes + " with the bytes of yjs");
        // What Yjs joins depends a little on order, so a few states are cut otherwise; their content never differs.
        assertThat(sameBytes).isGreaterThan(histories * 9 / 10);
        assertThat(histories).isEqualTo(60);
    }

    @Test
    void mergesAsYjsDoesAndIsLoadedByIt() {
        Yjs yjs = Yjs.get();
        long end = System.nanoTime() + SECONDS * 1_000_000_000L;
        int histories = 0;
        int compared = 0;
        int sameBytes = 0;
        int otherBytes = 0;
        while (histories < HISTORIES
                && (HISTORIES < Integer.MAX_VALUE || histories < LEAST || System.nanoTime() < end)) {
            long seed = SEED * 1_000_000L + histories;
            List<Integer> steps = steps(seed);
            Exchange exchange = new Exchange(yjs, seed);
            if (exchange.run(seed, steps) != null) {
                fail(shrunk(yjs, seed, steps));
            }
            histories++;
            compared += exchange.compared;
            sameBytes += exchange.sameBytes;
            otherBytes += exchange.otherBytes;
        }
        System.out.printf(
                "yjs: %d histories, compared %d times, %d of %d states and merges with other bytes, seed %d%n",
                histories, compared, otherBytes, sameBytes + otherBytes, SEED);
        assertThat(compared).isPositive();
        assertThat(otherBytes).isLessThan(sameBytes / 10);
    }

    private static List<Integer> steps(long seed) {
        return IntStream.range(0, 10 + Seeds.of(seed, -3).nextInt(60)).boxed().toList();
    }

    private static String shrunk(Yjs yjs, long seed, List<Integer> steps) {
        List<Integer> fewer = Shrinker.minimal(steps, some -> new Exchange(yjs, seed).run(seed, some) != null);
        Exchange.Failure failure = new Exchange(yjs, seed).run(seed, fewer);
        List<String> given = failure.given();
        if (new Exchange(yjs, seed).replay(given) != null) {
            given = Shrinker.minimal(given, some -> new Exchange(yjs, seed).replay(some) != null);
            failure = new Exchange(yjs, seed).replay(given);
        }
        String text = given.stream().map(each -> "\"" + each + "\"").collect(Collectors.joining(",\n        "));
        return Shrinker.report("yjs-" + seed, """
                %s: yjs has
                %s
                and we
                %s
                steps %s of -Dwalmerge.seed=%d; as a test:
                Exchange.check(%s, \"""
                        %s\""",
                        %s);
                """.formatted(
                        failure.what(),
                        failure.expected(),
                        failure.actual(),
                        fewer,
                        SEED,
                        new Exchange(yjs, seed).gc(),
                        failure.view().replace("\\", "\\\\"),
                        text));
    }

    /** In the form a failure is reported in: two write at the front of a text at once, and one key. */
    @Test
    void casesCanBePasted() throws Exception {
        String view = """
                {"":{"attrs":{},"delta":[],"k":"text","len":0},
                 "a":{"c":[],"k":"array"},
                 "m":{"e":{"k":{"v":true}},"k":"map"},
                 "second":{"attrs":{},"delta":[],"k":"text","len":0},
                 "t":{"attrs":{},"delta":[{"insert":"abb"}],"k":"text","len":3},
                 "x":{"c":[],"k":"xmlFragment"}}""";
        String first = "V1 010201000401017401612801016d016b017e00";
        String second = "V1 01020200040101740262622801016d016b017800";
        Exchange.check(true, view, first, second);
        Exchange.check(false, view, second, first);
    }
}
