package dev.walmerge.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class PayloadGuessTest {
    /** "hello" in the text root t, by a client id above 127. */
    private static final byte[] UPDATE = HexFormat.of().parseHex("0101c9f3b30600040101740568656c6c6f00");

    @Test
    void saysWhatItLooksLike() {
        assertThat(guess(Base64.getEncoder().encodeToString(UPDATE))).contains("base64");
        assertThat(guess("{\"0\":1,\"1\":1}")).contains("JSON");
        assertThat(guess("\\x0101c9f3")).contains("bytea literal");
        assertThat(guess(HexFormat.of().formatHex(UPDATE))).contains("hex text");
        assertThat(PayloadGuess.describe(new byte[0])).contains("empty");
        String mangled = new String(UPDATE, StandardCharsets.ISO_8859_1);
        assertThat(guess(mangled)).contains("UTF-8");
        assertThat(guess(new String(UPDATE, StandardCharsets.UTF_8))).contains("UTF-8");
    }

    @Test
    void saysNothingOfBytesLikeOthers() {
        assertThat(PayloadGuess.describe(UPDATE)).isNull();
        assertThat(PayloadGuess.describe(new byte[] {1, 1, 1, 0, 4})).isNull();
    }

    private static String guess(String text) {
        return PayloadGuess.describe(text.getBytes(StandardCharsets.UTF_8));
    }
}
