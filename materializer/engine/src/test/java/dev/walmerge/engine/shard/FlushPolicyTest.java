package dev.walmerge.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.Doc;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.StalenessBound;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The defaults: debounce 250 ms, interval 1 s, budget 40 kB/s, staleness at most 10 s. */
final class FlushPolicyTest {
    private static final long MILLIS = 1_000_000;

    private final FlushPolicy policy = new FlushPolicy(Policy.defaults());

    @ParameterizedTest(name = "first {0}, last {1}, allowed {2}, behind {3}: at {4} by {5}")
    @CsvSource({
        // first op, last op, next allowed, far behind | due, bound; milliseconds
        "0,     0,    -1, false,   250, DEBOUNCE",
        "0,   100,    -1, false,   350, DEBOUNCE",
        "0,   750,    -1, false,  1000, DEBOUNCE",
        "0,   760,    -1, false,  1000, INTERVAL",
        "0,   990,    -1, false,  1000, INTERVAL",
        "0,     0,   250, false,   250, DEBOUNCE",
        "0,     0,   251, false,   251, BUDGET",
        "0,   900,  4000, false,  4000, BUDGET",
        "0,  9900, 10000, false, 10000, BUDGET",
        "0,  9900, 10001, false, 10000, STALENESS_MAX",
        "0,  9900, 99999, false, 10000, STALENESS_MAX",
        "500, 500, 99999, false, 10500, STALENESS_MAX",
        "0,     0,    -1, true,  10000, STALENESS_MAX",
        "0,     0, 99999, true,  10000, STALENESS_MAX",
    })
    void table(long first, long last, long allowed, boolean behind, long due, StalenessBound bound) {
        long allowedNanos = allowed < 0 ? FlushPolicy.ANY_TIME : allowed * MILLIS;
        assertThat(policy.dueNanos(first * MILLIS, last * MILLIS, allowedNanos, behind) / MILLIS)
                .isEqualTo(due);
        assertThat(policy.bound(first * MILLIS, last * MILLIS, allowedNanos, behind))
                .isEqualTo(bound);
    }

    @Test
    void theBudgetFollowsWhatWasMeasured() {
        // 34 kB and 270 kB of WAL were measured for text, state and index of documents of 5 and 100 kB.
        assertThat(FlushPolicy.walBytes(5_000, 0, 200)).isBetween(30_000L, 38_000L);
        assertThat(FlushPolicy.walBytes(100_000, 0, 200)).isBetween(250_000L, 290_000L);
        assertThat(FlushPolicy.walBytes(0, 0, 200)).isLessThan(2_000);
    }

    @Test
    void aWriteUsesTheBudgetUp() {
        ResidentDocument document = new ResidentDocument(new DocumentKey("default", "d"), 0, Doc.create(true));
        assertThat(policy.nextAllowedNanos(document)).isEqualTo(FlushPolicy.ANY_TIME);
        document.flushedNanos = 5;
        document.flushedWalBytes = 40_000;
        assertThat(policy.nextAllowedNanos(document)).isEqualTo(1_000 * MILLIS + 5);
    }
}
