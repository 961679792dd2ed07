package dev.walmerge.engine.shard;

import dev.walmerge.engine.Op;
import dev.walmerge.engine.writeback.DeadLetter;

/**
 * Why an op becomes a dead letter.
 *
 * @param rule stable code
 * @param reason one sentence, without content
 * @param byteOffset where in the payload, or -1
 */
record Refusal(String rule, String reason, int byteOffset) {
    private static final int NOWHERE = -1;

    static Refusal of(String rule, String reason) {
        return new Refusal(rule, reason, NOWHERE);
    }

    /** The dead letter of a refused op of the open transaction, whose LSN is not known yet. */
    DeadLetter letter(Op op, int sequence) {
        return new DeadLetter(
                op.collection(),
                op.doc(),
                0,
                sequence,
                op.rowId(),
                op.format(),
                op.payload(),
                op.json(),
                op.role(),
                rule,
                reason,
                byteOffset);
    }
}
