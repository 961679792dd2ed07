package dev.walmerge.bench.keystroke;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeystrokeUpdatesTest {
    @Test
    void everyUpdateHasTheSize() {
        assertThat(KeystrokeUpdates.ofSize(40, 5000)).allMatch(update -> update.length == 40);
    }

    @Test
    void appendsToTheSameText() {
        List<byte[]> updates = KeystrokeUpdates.ofSize(40, 2);
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(updates.get(0))).startsWith("0101" + "8ba8d6b907" + "00" + "0401" + "0474657874");
        assertThat(hex.formatHex(updates.get(1))).startsWith("0101" + "8ba8d6b907" + "17" + "84" + "8ba8d6b907" + "16");
    }

    @Test
    void proseHasTheLengthAsked() {
        assertThat(Prose.write(5000, 1)).hasSize(5000).isEqualTo(Prose.write(5000, 1));
    }
}
