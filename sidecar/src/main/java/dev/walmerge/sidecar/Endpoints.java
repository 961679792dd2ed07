package dev.walmerge.sidecar;

import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.replication.Endpoint;
import java.util.Properties;
import org.postgresql.PGProperty;

/** From settings to a database and a login. */
public final class Endpoints {
    private static final int CONNECT_TIMEOUT_SECONDS = 10;

    private Endpoints() {}

    public static Endpoint of(SidecarSettings settings) {
        Properties properties = new Properties();
        if (settings.user() != null) {
            PGProperty.USER.set(properties, settings.user());
        }
        if (settings.password() != null) {
            PGProperty.PASSWORD.set(properties, settings.password());
        }
        PGProperty.CONNECT_TIMEOUT.set(properties, CONNECT_TIMEOUT_SECONDS);
        return new Endpoint(settings.url(), properties);
    }
}
