package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.walmerge.decoder.pgoutput.Protocol.Streaming;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ProtocolTest {
    @Test
    void aVersionHasWhatItHas() {
        assertThat(Protocol.PLAIN.slotOptions()).isEqualTo(Map.of("proto_version", "1"));
        assertThat(Protocol.STREAMED.slotOptions()).isEqualTo(Map.of("proto_version", "2", "streaming", "on"));
        assertThat(Protocol.of(4, Streaming.PARALLEL, true).slotOptions())
                .isEqualTo(Map.of("proto_version", "4", "streaming", "parallel", "two_phase", "on"));
        assertThat(Protocol.of(4, Streaming.OFF, false).slotOptions()).isEqualTo(Map.of("proto_version", "4"));
        assertRefused(() -> Protocol.of(0, Streaming.OFF, false));
        assertRefused(() -> Protocol.of(5, Streaming.OFF, false));
        assertRefused(() -> Protocol.of(1, Streaming.ON, false));
        assertRefused(() -> Protocol.of(3, Streaming.PARALLEL, false));
        assertRefused(() -> Protocol.of(2, Streaming.ON, true));
        assertRefused(() -> new Protocol(1, Streaming.OFF, false, 0, 1));
        assertRefused(() -> new Protocol(1, Streaming.OFF, false, 1, 0));
    }

    private static void assertRefused(Runnable asking) {
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(asking::run);
    }
}
