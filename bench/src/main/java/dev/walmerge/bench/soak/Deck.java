package dev.walmerge.bench.soak;

import dev.walmerge.engine.failpoint.Failpoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** Deals failpoints: every one comes before any comes again, and one that was not reached comes again soon. */
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

    private static final int OPS_MAX = 1500;
    private static final int WRITES_MAX = 12;
    private static final int THROW_PERCENT = 12;
    private static final int STOP_PERCENT = 12;

    /** One failpoint, and how it is armed. */
    record Card(Failpoint at, int count, String action) {
        boolean needsANewSlot() {
            return NEED_A_NEW_SLOT.contains(at);
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

    Deck(Random random) {
        this.random = random;
    }

    Card next() {
        if (left.isEmpty()) {
            left.addAll(List.of(Failpoint.values()));
            Collections.shuffle(left, random);
        }
        Failpoint at = left.remove(left.size() - 1);
        int countMax = OF_EACH_OP.contains(at) ? OPS_MAX : OF_EACH_WRITE.contains(at) ? WRITES_MAX : 1;
        int count = 1 + random.nextInt(countMax);
        int kind = random.nextInt(100);
        return new Card(
                at, count, kind < THROW_PERCENT ? "throw" : kind < THROW_PERCENT + STOP_PERCENT ? "stop" : "kill");
    }

    /** It was not reached: it comes again after the next few. */
    void putBack(Card card) {
        left.add(Math.max(0, left.size() - 3), card.at());
    }
}
