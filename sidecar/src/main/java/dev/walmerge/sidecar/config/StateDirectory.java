package dev.walmerge.sidecar.config;

import java.nio.file.Path;
import java.util.Map;

/** Where a user's programs keep state between runs (XDG Base Directory Specification). */
public final class StateDirectory {
    private StateDirectory() {}

    public static Path ofUser(Map<String, String> environment) {
        String xdg = environment.get("XDG_STATE_HOME");
        if (xdg != null && !xdg.isEmpty()) {
            return Path.of(xdg).resolve("walmerge").toAbsolutePath();
        }
        // The JVM asks the user database instead, which is not what someone who set HOME means.
        String home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        return Path.of(home, ".local", "state", "walmerge").toAbsolutePath();
    }
}
