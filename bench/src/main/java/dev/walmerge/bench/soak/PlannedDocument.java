package dev.walmerge.bench.soak;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A document that one writer makes: the beginning of a history, cut into windows. Inside a window the order is lost and
 * some ops come twice, so that updates wait for earlier ones; two windows are never open at once, so that what waits is
 * bounded.
 *
 * <p>Used by its writer's thread, and by whoever checks after that has ended.
 */
final class PlannedDocument {
    private static final int WINDOW_MAX = 60;
    private static final int DUPLICATE_PERCENT = 4;
    private static final int BAD_PER_MILLE = 5;

    private final String key;
    private final History history;
    private int targetStep;
    private int next;
    private final Instant begun = Instant.now();
    private int committedOps;
    private final List<byte[]> committedBad = new ArrayList<>();

    PlannedDocument(String key, History history, int targetStep) {
        this.key = key;
        this.history = history;
        this.targetStep = targetStep;
    }

    boolean isDone() {
        return next == history.updatesAt(targetStep);
    }

    /** The nearest end that has an answer becomes the end. */
    void endSoon() {
        targetStep = Math.min(targetStep, history.stepFor(next));
    }

    /** Adds the next window to {@code ops}. */
    void addWindow(List<PlannedOp> ops, BadOps bad, Random random) {
        int end = Math.min(next + 1 + random.nextInt(WINDOW_MAX), history.updatesAt(targetStep));
        for (; next < end; next++) {
            ops.add(good(next));
            if (random.nextInt(100) < DUPLICATE_PERCENT) {
                ops.add(good(random.nextInt(next + 1)));
            }
            if (random.nextInt(1000) < BAD_PER_MILLE) {
                ops.add(bad.next(this, history.updates().get(next), random));
            }
        }
    }

    private PlannedOp good(int index) {
        return new PlannedOp(this, history.updates().get(index), null, false);
    }

    void committed(PlannedOp op) {
        if (op.bad()) {
            committedBad.add(op.payload());
        } else {
            committedOps++;
        }
    }

    String key() {
        return key;
    }

    History history() {
        return history;
    }

    /** A moment before its first op was inserted. */
    Instant begun() {
        return begun;
    }

    int targetStep() {
        return targetStep;
    }

    /** The updates it must hold. */
    List<byte[]> updates() {
        return history.updates().subList(0, history.updatesAt(targetStep));
    }

    /** Rows that were committed and must be merged, those that came twice counted twice. */
    int committedOps() {
        return committedOps;
    }

    /** The payloads of committed rows that must be dead letters; no two are the same. */
    List<byte[]> committedBad() {
        return committedBad;
    }
}
