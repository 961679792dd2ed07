package dev.walmerge.engine.failpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The named places at which a test may end, stop or break the process, in the order in which an op passes them. Off, a
 * place costs one read of a field.
 *
 * <p>Thread-safe.
 */
public enum Failpoint {
    /** A message of the slot is in memory, nothing was done with it. Reader. */
    AFTER_RECEIVE,
    /** A record is in the journal, which is not synced. Reader. */
    AFTER_JOURNAL,
    /** The journal is synced, nobody was told. Whoever syncs. */
    AFTER_SYNC,
    /** An op is merged or parked in memory. Shard. */
    AFTER_MERGE,
    /** A state is about to be encoded to replace a document's tail. Shard. */
    BEFORE_FOLD,
    /** A batch is taken, its transaction has not begun. Write-back. */
    BEFORE_WRITE,
    /** The progress row is locked and moved; no document is written. Write-back. */
    INSIDE_WRITE,
    /** States are written, the tails they replace not yet deleted. Write-back. */
    INSIDE_FOLD,
    /** Everything is written, nothing committed. Write-back. */
    BEFORE_COMMIT,
    /** The server committed, nobody in the process knows. Write-back. */
    AFTER_COMMIT,
    /** The slot is about to be told a position. Reader. */
    BEFORE_CONFIRM,
    /** The slot was told it. Reader. */
    AFTER_CONFIRM,
    /** A leaf of the op ring may go, and is there. Retention. */
    BEFORE_TRIM,
    /** It is truncated, not committed. Retention. */
    INSIDE_TRIM,
    /** It is gone. Retention. */
    AFTER_TRIM,
    /** The epoch is ours, no document was read. Reader. */
    AFTER_TAKE_OVER,
    /** What was written is forgotten; the slot is the old one. Reader. */
    AFTER_START_OVER,
    /** The slot is new, no row was read. Reader. */
    AFTER_CREATE_SLOT,
    /** One more row of the backfill is in the journal. Reader. */
    INSIDE_BACKFILL,
    /** All its rows are, and its end is committed there. Reader. */
    AFTER_BACKFILL;

    /** What happens at a place that is reached. Called by the thread that reached it, in the middle of its work. */
    @FunctionalInterface
    public interface Hook {
        void reached(Failpoint at);

        /** See {@link Failpoint#ending}. */
        default void ending() {}
    }

    private static volatile Hook hook;

    /** The place is reached. */
    public void reach() {
        Hook current = hook;
        if (current != null) {
            current.reached(this);
        }
    }

    /** Sets what happens from now on, in the whole process, at every place; null: nothing. */
    public static void onReach(Hook hook) {
        Failpoint.hook = hook;
    }

    /** The process was told to end, and each of its threads can see that: whoever is held at a place goes on. */
    public static void ending() {
        Hook current = hook;
        if (current != null) {
            current.ending();
        }
    }

    /** The name that people write, such as {@code after-journal}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Failpoint ofLabel(String label) {
        String wanted = label.strip().toLowerCase(Locale.ROOT).replace('_', '-');
        for (Failpoint failpoint : values()) {
            if (failpoint.label().equals(wanted)) {
                return failpoint;
            }
        }
        return null;
    }

    static List<String> labels() {
        List<String> labels = new ArrayList<>();
        for (Failpoint failpoint : values()) {
            labels.add(failpoint.label());
        }
        return labels;
    }
}
