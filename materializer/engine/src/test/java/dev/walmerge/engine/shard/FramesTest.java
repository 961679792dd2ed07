package dev.walmerge.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FramesTest {
    private final Frames frames = new Frames();

    @Test
    void cutsOneOrMore() {
        assertThat(frames.cut(hex("02aabb"))).isTrue();
        assertThat(frames.count()).isEqualTo(1);
        assertThat(frames.cut(hex("02aabb00800101")))
                .as("a length that runs past the end")
                .isFalse();
        assertThat(frames.errorOffset()).isEqualTo(4);
        byte[] long200 = new byte[3 + 2 + 200];
        long200[0] = 2;
        long200[3] = (byte) 0xc8;
        long200[4] = 1;
        assertThat(frames.cut(long200)).isTrue();
        assertThat(frames.count()).isEqualTo(2);
        assertThat(frames.start(0)).isEqualTo(1);
        assertThat(frames.length(0)).isEqualTo(2);
        assertThat(frames.start(1)).isEqualTo(5);
        assertThat(frames.length(1)).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"'',0", "03aabb,0", "01aa80,2", "01aaffffffffffff01,2", "ffffffff0f,0"})
    void refusesWhatDoesNotFit(String payload, int offset) {
        assertThat(frames.cut(hex(payload))).isFalse();
        assertThat(frames.errorOffset()).isEqualTo(offset);
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }
}
