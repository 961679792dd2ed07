package dev.walmerge.sidecar.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where what outlives a run is kept for this user: {@code $XDG_STATE_HOME/walmerge}, else
 * {@code ~/.local/state/walmerge}, on every platform.
 *
 * @see <a href="https://specifications.freedesktop.org/basedir-spec/latest/">XDG base directories</a>
 */
public final class StateFolder {
    private StateFolder() {}

    /**
     * The folder, created if it is missing.
     *
     * @throws EmbeddedServerException when it can't be created or written
     */
    public static Path locate() {
        Path folder = path(System.getenv(), System.getProperty("user.home"));
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new EmbeddedServerException("embedded-folder", cannotWrite(folder), e);
        }
        if (!Files.isWritable(folder)) {
            throw new EmbeddedServerException("embedded-folder", cannotWrite(folder));
        }
        return folder;
    }

    /** A relative {@code XDG_STATE_HOME} is ignored, as its specification asks. */
    static Path path(Map<String, String> environment, String home) {
        String configured = environment.getOrDefault("XDG_STATE_HOME", "");
        Path base = configured.isEmpty() ? null : Path.of(configured);
        if (base == null || !base.isAbsolute()) {
            base = Path.of(home, ".local", "state");
        }
        return base.resolve("walmerge");
    }

    private static String cannotWrite(Path folder) {
        return "can't write to " + folder + ": make it writable, or set XDG_STATE_HOME to a folder that is";
    }
}
