package dev.walmerge.sidecar;

import dev.walmerge.engine.EngineStats;

/**
 * How a sidecar is, at one moment.
 *
 * @param code {@link #READY}, or why it is not: stable, with an anchor in ops/RUNBOOK.md
 * @param ended whether nothing will be done any more
 * @param failing whether the session under way has failed and not ended yet
 * @param epoch of the session under way; 0 before it has taken over
 * @param sessions begun by this process
 * @param counts of all of them
 * @param engine of the session under way; null as long as it has none
 * @param confirmedLsn what the slot was told; 0 while no engine is there
 * @param readLagSeconds how long ago what is being read was committed; NaN while the slot is not read
 */
public record Status(
        String code,
        boolean ended,
        boolean failing,
        long epoch,
        long sessions,
        Counts counts,
        EngineStats engine,
        long confirmedLsn,
        double readLagSeconds) {
    /** A session holds the slot, the documents follow it, and reading is not stopped. */
    public static final String READY = "ready";
    /** Nothing has come to pass yet. */
    public static final String STARTING = "starting";
    /** The tables are being read; documents may be older than they say. */
    public static final String RESYNC = "resync";
    /** The journal of an earlier session is being read. */
    public static final String REPLAY = "replay";

    public static final String STOPPING = "stopping";

    /** Of a sidecar that does not exist yet. */
    public static Status starting() {
        return new Status(STARTING, false, false, 0, 0, Counts.NONE, null, 0, Double.NaN);
    }

    public boolean isReady() {
        return code.equals(READY);
    }

    /** What engines have done, see {@link EngineStats}. */
    public record Counts(long ops, long merged, long flushes, long folds, long deadLetters) {
        static final Counts NONE = new Counts(0, 0, 0, 0, 0);

        Counts plus(EngineStats more) {
            return more == null
                    ? this
                    : new Counts(
                            ops + more.ops(),
                            merged + more.merged(),
                            flushes + more.flushes(),
                            folds + more.folds(),
                            deadLetters + more.deadLetters());
        }
    }
}
