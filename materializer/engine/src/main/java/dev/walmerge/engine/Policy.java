package dev.walmerge.engine;

import dev.walmerge.crdt.BodyProjection;
import java.time.Duration;
import java.util.Objects;

/**
 * The settings of a collection, one version of {@code crdt.collection}.
 *
 * @param format of ops that declare none
 * @param root the root that is the text, or null for all of them
 * @param jsonForText whether a pure text document gets {@code body_json} too
 * @param flushDebounce after the last op
 * @param flushInterval at least this often under constant typing
 * @param walBudgetBytesPerSecond what write-back of one document may cost
 * @param stalenessMax wins over the budget
 * @param foldBytes tail bytes that are always allowed
 * @param foldRatio tail bytes allowed as a share of the state
 * @param foldRows tail rows allowed
 * @param foldIdle a document untouched for this long is folded
 * @param rotateAfter the age at which the current leaf of the op ring is left, so that it can be trimmed
 * @param projection how a document becomes text and JSON
 * @param blocks whether {@code crdt.blocks} is written
 */
public record Policy(
        String format,
        String root,
        boolean jsonForText,
        Duration flushDebounce,
        Duration flushInterval,
        int walBudgetBytesPerSecond,
        Duration stalenessMax,
        int foldBytes,
        double foldRatio,
        int foldRows,
        Duration foldIdle,
        Duration rotateAfter,
        BodyProjection projection,
        boolean blocks) {
    public Policy {
        Objects.requireNonNull(projection, "projection");
    }

    /** By the content of each root, and without blocks. */
    public Policy(
            String format,
            String root,
            boolean jsonForText,
            Duration flushDebounce,
            Duration flushInterval,
            int walBudgetBytesPerSecond,
            Duration stalenessMax,
            int foldBytes,
            double foldRatio,
            int foldRows,
            Duration foldIdle,
            Duration rotateAfter) {
        this(
                format,
                root,
                jsonForText,
                flushDebounce,
                flushInterval,
                walBudgetBytesPerSecond,
                stalenessMax,
                foldBytes,
                foldRatio,
                foldRows,
                foldIdle,
                rotateAfter,
                BodyProjection.AUTO,
                false);
    }

    /** The same with another way to text and JSON. */
    public Policy showing(BodyProjection projection, String root, boolean blocks) {
        return new Policy(
                format,
                root,
                jsonForText,
                flushDebounce,
                flushInterval,
                walBudgetBytesPerSecond,
                stalenessMax,
                foldBytes,
                foldRatio,
                foldRows,
                foldIdle,
                rotateAfter,
                projection,
                blocks);
    }

    /** The defaults of a new collection. */
    public static Policy defaults() {
        return new Policy(
                "yjs-v1",
                null,
                false,
                Duration.ofMillis(250),
                Duration.ofSeconds(1),
                40_000,
                Duration.ofSeconds(10),
                16_384,
                0.5,
                64,
                Duration.ofMinutes(1),
                Duration.ofHours(1));
    }
}
