package dev.walmerge.engine;

import java.util.Objects;

/**
 * What an operator orders, one row of {@code crdt.command}. What a name does not need is null or {@link #NONE}.
 *
 * @param id of the row
 * @param name what to do; one that this version does not know is left undone
 * @param collection the name of the collection
 * @param doc only this document
 * @param deadLetter only the dead letter of this id
 * @param rule only dead letters of this rule
 * @param format what the payloads are taken for, instead of what they declared
 */
public record Command(
        long id, String name, String collection, String doc, long deadLetter, String rule, String format) {
    public static final long NONE = -1;
    /** Merges dead letters now. */
    public static final String RETRY_DEAD_LETTER = "retry-dead-letter";
    /** Deletes dead letters. */
    public static final String DISCARD_DEAD_LETTER = "discard-dead-letter";
    /** Makes text, JSON and blocks of documents anew. */
    public static final String REPROJECT = "reproject";
    /** Deletes all of a document, and drops its later ops. */
    public static final String FORGET = "forget";
    /** Makes a new document of the later ops of a forgotten one. */
    public static final String REVIVE = "revive";

    public Command {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(collection, "collection");
    }

    /** Whether it forgets or revives a document: only the shard of that one carries it out. */
    public boolean isAboutTombstone() {
        return name.equals(FORGET) || name.equals(REVIVE);
    }
}
