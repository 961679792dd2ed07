package dev.walmerge.sidecar.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * What one sidecar process is told. Policies of flush and compaction are not here: they live in the database, in
 * {@code crdt.collection}.
 *
 * @param url a JDBC URL, or null for an embedded server
 * @param user null when the URL or the driver's defaults say it
 * @param password null when the URL, a passfile or trust says it
 * @param memoryBytes what resident documents may take
 * @param journalMaxBytes what the journal may take on the disk
 * @param journalReserveBytes what it leaves free there
 * @param journalAboveBytes of WAL held back, above which the slot is told what is journaled
 * @param payloadMaxBytes of one update
 * @param http where to serve metrics and probes, not resolved yet; null for nowhere
 */
public record SidecarSettings(
        String url,
        String user,
        String password,
        String slot,
        Path stateDirectory,
        int shards,
        long memoryBytes,
        long journalMaxBytes,
        long journalReserveBytes,
        long journalAboveBytes,
        int payloadMaxBytes,
        InetSocketAddress http) {

    /** The same with another server. */
    public SidecarSettings withUrl(String otherUrl) {
        return new SidecarSettings(
                otherUrl,
                user,
                password,
                slot,
                stateDirectory,
                shards,
                memoryBytes,
                journalMaxBytes,
                journalReserveBytes,
                journalAboveBytes,
                payloadMaxBytes,
                http);
    }

    /** Never shows the password, nor the URL, which may hold one. */
    @Override
    public String toString() {
        return "SidecarSettings[slot=" + slot + ", stateDirectory=" + stateDirectory + ", shards=" + shards + "]";
    }
}
