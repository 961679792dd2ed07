package dev.walmerge.bench.soak;

import dev.walmerge.engine.failpoint.Failpoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/**
 * Deals failpoints. Until the sidecar was killed at each, only those are dealt at which it was not, to be reached as soon as may be;
 * from then on every one comes before any comes again. One that was not reached comes again soon.
 */
final class Deck {
    /** Reached once a life at most, or only when the tables are read from the start. */
    private static final Set<Failpoint> NEED_A_NEW_SLOT = EnumSet.of(
            Failpoint.AFTER_START_OVER,
            Failpoint.AFTER_CREATE_SLOT,
            Failpoint.INSIDE_BACKFILL,
            Failpoint.AFTER_BACKFILL);

    private static final Set<Failpoint> OF_EACH_OP = EnumSet.of(
            Failpoint.AFTER_RECEIVE, Failpoint.AFTER_JOURNAL, Failpoint.AFTER_MERGE, Failpoint.INSIDE_BACKFILL);
    private static final Set<Failpoint> OF_EACH_WRITE = EnumSet.of(
            Failpoint.BEFORE_WRITE,
            Failpoint.INSIDE_WRITE,
            Failpoint.BEFORE_COMMIT,
            Failpoint.AFTER_COMMIT,
            Failpoint.BEFORE_CONFIRM,
            Failpoint.AFTER_CONFIRM,
            Failpoint.AFTER_SYNC,
            Failpoint.BEFORE_FOLD,
            Failpoint.INSIDE_FOLD);

    private static final Set<Failpoint> OF_TRIMS =
            EnumSet.of(Failpoint.BEFORE_TRIM, Failpoint.INSIDE_TRIM, Failpoint.AFTER_TRIM);

    private static final int OPS_MAX = 1500;
    private static final int OPS_MAX_WHEN_OWED = 20;
    private static final int WRITES_MAX = 12;
    private static final int WRITES_MAX_WHEN_OWED = 3;
    private static final int THROW_PERCENT = 12;
    private static final int STOP_PERCENT = 12;

    private static final String KILL = "kill";

    /** One failpoint, and how it is armed. */
    record Card(Failpoint at, int count, String action) {
        boolean needsANewSlot() {
            return NEED_A_NEW_SLOT.contains(at);
        }

        /** Whether the slot must be told what only the journal has. */
        boolean needsAPromise() {
            return at == Failpoint.AFTER_SYNC;
        }

        /** Whether a leaf of the ring has to grow old first. */
        boolean needsTime() {
            return OF_TRIMS.contains(at);
        }

        boolean kills() {
            return action.equals(KILL);
        }

        /** As the environment says it. */
        String setting() {
            return at.label() + ":" + count + ":" + action;
        }

        /** What the log says once it happened. */
        String announcement() {
            return "failpoint " + at.label() + " reached: " + action.toUpperCase(Locale.ROOT);
        }
    }

    private final Random random;
    private final List<Failpoint> left = new ArrayList<>();
    /** Where it was not killed yet. */
    private final Set<Failpoint> owed = EnumSet.allOf(Failpoint.class);

    Deck(Random random) {
        this.random = random;
    }

    Card next() {
        if (left.isEmpty()) {
            left.addAll(owed.isEmpty() ? List.of(Failpoint.values()) : owed);
            Collections.shuffle(left, random);
        }
        Failpoint at = left.remove(left.size() - 1);
        boolean isOwed = owed.contains(at);
        int opsMax = isOwed ? OPS_MAX_WHEN_OWED : OPS_MAX;
        int writesMax = isOwed ? WRITES_MAX_WHEN_OWED : WRITES_MAX;
        int countMax = OF_EACH_OP.contains(at) ? opsMax : OF_EACH_WRITE.contains(at) ? writesMax : 1;
        int count = 1 + random.nextInt(countMax);
        int kind = random.nextInt(100);
        if (isOwed) {
            return new Card(at, count, KILL);
        }
        return new Card(
                at, count, kind < THROW_PERCENT ? "throw" : kind < THROW_PERCENT + STOP_PERCENT ? "stop" : KILL);
    }

    /** It was reached, and killed the sidecar. */
    void killed(Card card) {
        owed.remove(card.at());
    }

    /** It was not reached: it comes again after the next few. */
    void putBack(Card card) {
        left.add(Math.max(0, left.size() - 3), card.at());
    }
}
