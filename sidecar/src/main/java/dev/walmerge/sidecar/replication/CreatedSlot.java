package dev.walmerge.sidecar.replication;

/**
 * A slot and the moment it begins at. The snapshot sees exactly the transactions the slot will not send.
 *
 * @param consistentPointLsn the slot sends what commits after it
 * @param snapshotName for {@code set transaction snapshot}; valid until the connection that created the slot does
 *     anything else
 */
public record CreatedSlot(long consistentPointLsn, String snapshotName) {}
