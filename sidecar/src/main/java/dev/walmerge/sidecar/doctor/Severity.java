package dev.walmerge.sidecar.doctor;

import java.util.Locale;

/** How bad a finding is. The words are those of {@code crdt.health}, and one for what would only be better. */
public enum Severity {
    /** As it should be. */
    OK,
    /** Works; something would be better. */
    HINT,
    /** Works now, and may not later. */
    WARNING,
    /** The sidecar can't run. */
    CRITICAL;

    static Severity of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }

    /** The word in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
