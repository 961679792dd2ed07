package dev.walmerge.engine.shard;

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
}
