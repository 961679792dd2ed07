package dev.walmerge.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.Policy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The defaults: 16 kB or half the state, whichever is more, or 64 rows. */
final class FoldRuleTest {
    @ParameterizedTest
    @CsvSource({
        "16384, 1, 0, false",
        "16385, 1, 0, true",
        "16385, 1, 100000, false",
        "50000, 1, 100000, false",
        "50001, 1, 100000, true",
        "64, 64, 1000, false",
        "65, 65, 1000, true",
    })
    void table(long tailBytes, int tailRows, long stateBytes, boolean due) {
        assertThat(FoldRule.isTooLong(Policy.defaults(), tailBytes, tailRows, stateBytes))
                .isEqualTo(due);
    }
}
