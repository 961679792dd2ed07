package dev.walmerge.engine;

/**
 * How long write-back waits for others, and how long before it tries again what Postgres refused of one document.
 *
 * @param lockTimeoutMillis for a row or table that another session has locked; then the document that needs it is held
 * @param retryFirstMillis about, before the second try for a document; doubled after each one
 * @param retryMaxMillis the longest pause between two tries
 */
public record Patience(long lockTimeoutMillis, long retryFirstMillis, long retryMaxMillis) {
    static final Patience DEFAULT = new Patience(2_000, 1_000, 300_000);

    public Patience {
        if (lockTimeoutMillis <= 0 || retryFirstMillis <= 0 || retryMaxMillis < retryFirstMillis) {
            throw new IllegalArgumentException("timeouts must be positive, and the longest pause not below the first");
        }
    }
}
