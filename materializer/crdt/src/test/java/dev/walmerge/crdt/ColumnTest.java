package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Columns of any width against a plain array of ints. */
class ColumnTest {
    private static final int[] BORDERS = {
        Byte.MIN_VALUE, Byte.MAX_VALUE, Short.MIN_VALUE, Short.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE
    };

    /** Values up to {@code bits} wide, so that some columns stay narrow and others widen once or twice. */
    @Property(tries = 300)
    void holdsWhatAnArrayHolds(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 32) int bits,
            @ForAll @IntRange(min = -1, max = 0) int same) {
        Random random = new Random(seed);
        Column column = new Column(same);
        int[] model = {};
        for (int step = 0; step < 400; step++) {
            if (model.length == 0 || random.nextInt(20) == 0) {
                int old = model.length;
                int rows = 1 + (random.nextBoolean() ? old + random.nextInt(40) : random.nextInt(old + 1));
                model = Arrays.copyOf(model, rows);
                Arrays.fill(model, Math.min(old, rows), rows, same);
                column.resize(rows);
            }
            int row = random.nextInt(model.length);
            if (random.nextInt(4) == 0) {
                column.add(row, 1);
                model[row]++;
            } else {
                int value = random.nextInt(8) == 0 ? border(random, bits) : random.nextInt() >> (32 - bits);
                column.set(row, value);
                model[row] = value;
            }
            for (int i = 0; i < model.length; i++) {
                assertThat(column.get(i)).as("row %d at step %d", i, step).isEqualTo(model[i]);
            }
        }
    }

    private static int border(Random random, int bits) {
        int border = BORDERS[random.nextInt(bits <= 8 ? 2 : bits <= 16 ? 4 : 6)];
        return bits < 8 ? border >> (8 - bits) : border + (random.nextBoolean() && bits > 16 ? 1 : 0);
    }

    @Test
    void takesNoMoreThanItsValuesNeed() {
        Column column = new Column(-1);
        column.resize(1000);
        column.set(999, -1);
        assertThat(column.bytes()).isZero();
        column.set(0, 127);
        assertThat(column.bytes()).isEqualTo(1000);
        column.set(0, 128);
        assertThat(column.bytes()).isEqualTo(2000);
        column.set(0, 1 << 15);
        assertThat(column.bytes()).isEqualTo(4000);
        assertThat(column.get(999)).isEqualTo(-1);
    }

    @Property(tries = 100)
    void lengthsOfAnySize(@ForAll long seed, @ForAll @IntRange(min = 1, max = 31) int bits) {
        Random random = new Random(seed);
        Lengths lengths = new Lengths();
        int[] model = {};
        for (int step = 0; step < 400; step++) {
            if (model.length == 0 || random.nextInt(20) == 0) {
                int rows = 1 + random.nextInt(model.length + 40);
                model = Arrays.copyOf(model, rows);
                lengths.resize(rows);
            }
            int row = random.nextInt(model.length);
            if (random.nextInt(4) == 0 && model[row] < Integer.MAX_VALUE) {
                lengths.add(row, 1);
                model[row]++;
            } else {
                int length = random.nextInt(8) == 0 ? 0xfffe + random.nextInt(3) : random.nextInt() >>> (32 - bits);
                lengths.set(row, length);
                model[row] = length;
            }
            for (int i = 0; i < model.length; i++) {
                assertThat(lengths.get(i)).as("row %d at step %d", i, step).isEqualTo(model[i]);
            }
        }
    }
}
