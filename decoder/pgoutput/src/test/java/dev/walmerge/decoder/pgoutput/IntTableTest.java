package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class IntTableTest {
    /** Few keys, so that they meet again, and of a form that makes them collide. */
    @Test
    void likeAMap() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int shift = 0; shift <= 24; shift += 8) {
            IntTable<Integer> table = new IntTable<>();
            Map<Integer, Integer> map = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                int keys = i % 2_000 < 1_000 ? 12 : 200;
                int key = random.nextInt(keys) << shift;
                if (random.nextInt(3) == 0) {
                    table.remove(key);
                    map.remove(key);
                } else {
                    table.put(key, i);
                    map.put(key, i);
                }
                assertThat(table.size()).as("seed %d", seed).isEqualTo(map.size());
                if (i % 50 == 0) {
                    for (int any = 0; any < 200; any++) {
                        assertThat(table.get(any << shift)).as("seed %d", seed).isEqualTo(map.get(any << shift));
                    }
                }
            }
        }
    }
}
