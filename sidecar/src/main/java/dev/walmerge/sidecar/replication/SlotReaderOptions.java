package dev.walmerge.sidecar.replication;

import java.time.Duration;

/**
 * How to read a slot.
 *
 * @param startLsn what commits before it is not sent again, 0 for what the slot last confirmed; the later one counts
 * @param statusInterval how often the server hears from us at least; shortened to a third of its
 *     {@code wal_sender_timeout}
 * @param silenceMax the link is cut when nothing came for so long; more than {@code wal_sender_timeout}, as a server may
 *     be busy for that long
 * @param acquirePatience how long to wait for another reader to let go of the slot
 */
public record SlotReaderOptions(
        String slot,
        String publication,
        long startLsn,
        Duration statusInterval,
        Duration silenceMax,
        Duration acquirePatience) {

    public SlotReaderOptions {
        ReplicationConnection.checkedName(slot);
        // The driver puts the value between single quotes as it is.
        if (publication.isEmpty() || publication.indexOf('\'') >= 0 || publication.indexOf('\\') >= 0) {
            throw new IllegalArgumentException("a publication's name without quotes and backslashes");
        }
    }

    /** The defaults: a status every second, 90 s of silence, 5 s of patience. */
    public static SlotReaderOptions of(String slot, String publication, long startLsn) {
        return new SlotReaderOptions(
                slot, publication, startLsn, Duration.ofSeconds(1), Duration.ofSeconds(90), Duration.ofSeconds(5));
    }
}
