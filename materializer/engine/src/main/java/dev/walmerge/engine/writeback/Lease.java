package dev.walmerge.engine.writeback;

import java.util.Objects;
import java.util.UUID;

/**
 * The right to write, for as long as no other process takes over.
 *
 * @param slot the name of the replication slot
 * @param epoch the number of this take-over; every write-back checks it
 * @param written up to which commit end LSN everything was written when the lease was taken, unsigned; 0 when nothing
 *     was, or when the server is not the one that wrote it
 * @param nonce what the progress row holds now
 * @param previousNonce what it held before, for a comparison with the journal; null at the first start
 * @param sameIncarnation false when system identifier or timeline differ from those of the last take-over
 * @param journaled whether the slot may have been told of what only a journal and the op rows hold
 * @param firstStart true when there was no progress row
 */
public record Lease(
        String slot,
        long epoch,
        long written,
        UUID nonce,
        UUID previousNonce,
        boolean sameIncarnation,
        boolean journaled,
        boolean firstStart) {
    public Lease {
        Objects.requireNonNull(slot, "slot");
        Objects.requireNonNull(nonce, "nonce");
    }
}
