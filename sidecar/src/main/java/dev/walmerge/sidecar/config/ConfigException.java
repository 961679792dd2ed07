package dev.walmerge.sidecar.config;

import java.util.List;

/** Settings that can't be used: every fault at once, each with the key and where it was given. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(List<String> faults) {
        super(String.join(System.lineSeparator(), faults));
    }
}
