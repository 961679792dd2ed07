package dev.walmerge.sidecar.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sidecar.Status;
import org.junit.jupiter.api.Test;

final class LivenessTest {
    private static final long LIMIT_NANOS = 30;
    private final Liveness liveness = new Liveness(LIMIT_NANOS);

    @Test
    void aSessionThatFailedMustEnd() {
        assertThat(liveness.lives(failing(1), 100)).isTrue();
        assertThat(liveness.lives(failing(1), 129)).isTrue();
        assertThat(liveness.lives(failing(1), 130)).isFalse();
    }

    @Test
    void theNextOneHasItsOwnTime() {
        assertThat(liveness.lives(failing(1), 100)).isTrue();
        assertThat(liveness.lives(failing(2), 130)).isTrue();
        assertThat(liveness.lives(failing(2), 160)).isFalse();
        assertThat(liveness.lives(status("connection-lost", false, false, 3), 161))
                .isTrue();
        assertThat(liveness.lives(failing(3), 200)).isTrue();
    }

    @Test
    void waitingIsLifeAndTheEndIsNot() {
        assertThat(liveness.lives(Status.starting(), Long.MAX_VALUE)).isTrue();
        assertThat(liveness.lives(status("slot-in-use", false, false, 9), Long.MIN_VALUE))
                .isTrue();
        assertThat(liveness.lives(status("fenced", true, false, 1), 0)).isFalse();
    }

    private static Status failing(long session) {
        return status("engine-stopped", false, true, session);
    }

    private static Status status(String code, boolean ended, boolean failing, long sessions) {
        Status starting = Status.starting();
        return new Status(code, ended, failing, 1, sessions, starting.counts(), null, 0, Double.NaN);
    }
}
