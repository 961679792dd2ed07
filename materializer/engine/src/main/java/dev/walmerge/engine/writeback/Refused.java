package dev.walmerge.engine.writeback;

/**
 * What Postgres did not take of one document, while the rest of its transaction is committed.
 *
 * @param key the document
 * @param part which of its rows
 * @param sqlState why
 * @param reason the same with a sentence, without content
 */
public record Refused(DocumentKey key, Part part, String sqlState, String reason) {
    /** The rows that refusals are about. */
    public enum Part {
        /** ydoc, tail and parked: what they should have said is in held. */
        ROWS,
        /** docs: it keeps its old text, JSON and position, and shows the error. The next write must send both. */
        DOCS
    }

    /** Whether there was no ydoc row to append to. */
    public boolean isWithoutState() {
        return Refusal.NO_STATE.equals(sqlState);
    }

    /** Whether the try took its time: it waited for a lock, or for a timeout. */
    public boolean isDear() {
        return Refusal.isDear(sqlState);
    }
}
