package dev.walmerge.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LatenciesTest {
    @Test
    void percentilesAreRanks() {
        Latencies latencies = new Latencies();
        for (int i = 2000; i >= 1; i--) {
            latencies.add(i * 1_000_000L);
        }
        assertThat(latencies.percentileMillis(50)).isEqualTo(1000);
        assertThat(latencies.percentileMillis(99)).isEqualTo(1980);
        assertThat(latencies.percentileMillis(100)).isEqualTo(2000);
        assertThat(latencies.summary()).isEqualTo("p50 1000 ms, p99 1980 ms");
        assertThat(new Latencies().summary()).isEqualTo("no samples");
    }

    @Test
    void lsnsAreUnsigned() {
        assertThat(Lsn.parse("0/16B3748")).isEqualTo(0x16B3748L);
        assertThat(Lsn.parse("FFFFFFFF/0")).isEqualTo(0xFFFFFFFF_00000000L);
    }
}
