package dev.walmerge.bench.pipeline;

import dev.walmerge.engine.EngineStats;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.Sidecar;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.embedded.EmbeddedServer;
import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.migrate.Migrator;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;

/** An embedded Postgres with the schema in it and a sidecar on it, in this process. Thread-safe. */
public final class House implements AutoCloseable {
    private SidecarSettings settings;
    private EmbeddedServer server;
    private volatile Sidecar sidecar;
    private volatile boolean closing;

    /** Starts the server, with the schema in it; the sidecar needs {@link #startSidecar}. */
    public synchronized EmbeddedServer open(boolean ephemeral)
            throws ConfigException, SQLException, MigrationException {
        settings = ConfigLoader.load(Map.of(), System.getenv(), null);
        server = ephemeral
                ? EmbeddedServer.startEphemeral(settings.stateDirectory())
                : EmbeddedServer.startKept(settings.stateDirectory());
        try (Connection connection = DriverManager.getConnection(server.url())) {
            Migrator.apply(connection);
        }
        settings = ephemeral ? temporary(settings) : settings.withUrl(server.url());
        return server;
    }

    /** Of the server's data. */
    synchronized Path folder() {
        return server.folder();
    }

    /** Returns when ops can flow. */
    public synchronized void startSidecar() throws OperatingException {
        sidecar = Sidecar.start(settings);
    }

    /** Writes what was read and lets the slot go. */
    public synchronized void stopSidecar() {
        if (sidecar != null) {
            sidecar.close();
            sidecar = null;
        }
    }

    /** Counts of the sidecar, null while it isn't connected. */
    public EngineStats stats() {
        Sidecar current = sidecar;
        return current == null ? null : current.stats();
    }

    public boolean isClosing() {
        return closing;
    }

    /** The sidecar first, so that it can still write, and so that the server need not wait for its stream. Idempotent. */
    @Override
    public void close() {
        closing = true;
        synchronized (this) {
            try {
                stopSidecar();
            } finally {
                if (server != null) {
                    server.close();
                }
                server = null;
            }
        }
    }

    /** The journal of a temporary database is as temporary. */
    private SidecarSettings temporary(SidecarSettings settings) throws ConfigException {
        Map<Setting, String> flags = new EnumMap<>(Setting.class);
        flags.put(Setting.URL, server.url());
        flags.put(Setting.STATE_DIRECTORY, server.folder().resolve("sidecar").toString());
        flags.put(Setting.SHARDS, Integer.toString(settings.shards()));
        return ConfigLoader.load(flags, Map.of(), null);
    }
}
