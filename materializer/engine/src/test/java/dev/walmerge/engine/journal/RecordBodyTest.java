package dev.walmerge.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.BodyProjection;
import dev.walmerge.engine.Policy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class RecordBodyTest {
    private final RecordBody body = new RecordBody();

    @Test
    void aPolicyIsReadAsItWasWritten() {
        Policy policy = Policy.defaults().showing(BodyProjection.QUILL, "content", true);
        body.writePolicy("posts", policy);
        ByteBuffer in = ByteBuffer.wrap(body.copy());
        assertThat(RecordBody.readText(in)).isEqualTo("posts");
        assertThat(RecordBody.readPolicy(in)).isEqualTo(policy);
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void oneOfAnEarlierVersionHasTheDefaultsOfWhatItLacks() {
        Policy policy = Policy.defaults().showing(BodyProjection.AUTO, "content", false);
        body.writePolicy("posts", policy);
        byte[] written = body.copy();
        int addedBytes = Integer.BYTES + "auto".length() + 1;
        ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(written, written.length - addedBytes));
        assertThat(RecordBody.readText(in)).isEqualTo("posts");
        assertThat(RecordBody.readPolicy(in)).isEqualTo(policy);
    }
}
