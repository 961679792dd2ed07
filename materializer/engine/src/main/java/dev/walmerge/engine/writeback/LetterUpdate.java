package dev.walmerge.engine.writeback;

/**
 * A dead letter that was refused again, or is thrown away.
 *
 * @param id of the dead letter
 * @param rule the rule that refused it this time; null throws it away
 * @param reason one sentence for a person
 * @param byteOffset where in the payload, or -1
 */
public record LetterUpdate(long id, String rule, String reason, int byteOffset) implements Entry {
    /** The letter is deleted. */
    public static LetterUpdate discard(long id) {
        return new LetterUpdate(id, null, null, -1);
    }
}
