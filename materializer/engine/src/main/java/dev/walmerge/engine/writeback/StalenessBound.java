package dev.walmerge.engine.writeback;

/** Which rule of the flush policy decided when a document was written. Shown in {@code docs.staleness_bound}. */
public enum StalenessBound {
    DEBOUNCE("debounce"),
    INTERVAL("interval"),
    BUDGET("budget"),
    STALENESS_MAX("staleness_max"),
    BARRIER("barrier"),
    /** Resident documents exceeded their bound. */
    MEMORY("memory"),
    SHUTDOWN("shutdown");

    private final String label;

    StalenessBound(String label) {
        this.label = label;
    }

    /** What the column holds. */
    public String label() {
        return label;
    }
}
