package dev.walmerge.sidecar.replication;

/**
 * Which server this is, and which branch of its history.
 *
 * @param systemIdentifier of the data directory, unsigned
 * @param currentLsn how far its WAL was flushed when asked
 */
public record SystemIdentity(String systemIdentifier, int timeline, long currentLsn, String database) {}
