package dev.walmerge.sidecar.config;

import java.nio.file.Path;
import java.util.Map;

/** Where a user's programs keep state between runs (XDG Base Directory Specification). */
public final class StateDirectory {
    private StateDirectory() {}

    public static Path ofUser(Map<String, String> environment) {
        String xdg = environment.get("XDG_STATE_HOME");
        Path home = xdg == null || xdg.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state")
                : Path.of(xdg);
        return home.resolve("walmerge").toAbsolutePath();
    }
}
