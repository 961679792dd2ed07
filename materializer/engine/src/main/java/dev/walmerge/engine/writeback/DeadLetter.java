package dev.walmerge.engine.writeback;

import java.util.Objects;

/**
 * An op that could not be merged, with its bytes and why.
 *
 * @param collection the name of the collection
 * @param doc the document key
 * @param lsn the end LSN of the commit it came with, unsigned
 * @param seq its place among the ops of that commit; together with {@code lsn} it names the op
 * @param rowId the op row
 * @param format the declared format, or null
 * @param payload the update, or null
 * @param json the JSON op, or null
 * @param role who inserted the row
 * @param rule the stable code of the rule that refused it
 * @param reason one sentence for a person
 * @param byteOffset where in the payload, or -1
 */
public record DeadLetter(
        String collection,
        String doc,
        long lsn,
        int seq,
        long rowId,
        String format,
        byte[] payload,
        String json,
        String role,
        String rule,
        String reason,
        int byteOffset)
        implements Entry {
    public DeadLetter {
        Objects.requireNonNull(collection, "collection");
        Objects.requireNonNull(doc, "doc");
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(reason, "reason");
    }

    /** The same, now that the end of its commit is known. */
    public DeadLetter at(long endLsn) {
        return new DeadLetter(
                collection, doc, endLsn, seq, rowId, format, payload, json, role, rule, reason, byteOffset);
    }
}
