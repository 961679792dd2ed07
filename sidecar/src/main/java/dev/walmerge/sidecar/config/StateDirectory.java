package dev.walmerge.sidecar.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Where a user's programs keep state between runs (XDG Base Directory Specification). */
public final class StateDirectory {
    private StateDirectory() {}

    /**
     * Makes it, if it is not there, and looks whether files can be made in it.
     *
     * @throws IOException if not
     */
    public static void requireWritable(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.delete(Files.createTempFile(directory, "writable", null));
    }

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
