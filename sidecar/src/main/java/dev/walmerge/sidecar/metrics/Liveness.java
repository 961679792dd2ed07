package dev.walmerge.sidecar.metrics;

import dev.walmerge.sidecar.Status;

/**
 * Whether a restart of the process would help: not while it waits for a server, which comes back by itself, but when it has
 * ended, or a session that failed does not come to its end. Single thread.
 */
final class Liveness {
    private final long failingMaxNanos;
    private long failingSession;
    private long failingSinceNanos;

    Liveness(long failingMaxNanos) {
        this.failingMaxNanos = failingMaxNanos;
    }

    boolean lives(Status status, long nowNanos) {
        if (!status.failing() || failingSession != status.sessions()) {
            failingSession = status.failing() ? status.sessions() : 0;
            failingSinceNanos = nowNanos;
        }
        boolean hangs = status.failing() && nowNanos - failingSinceNanos >= failingMaxNanos;
        return !status.ended() && !hangs;
    }
}
