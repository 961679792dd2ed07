package dev.walmerge.engine.shard;

import dev.walmerge.crdt.MalformedUpdateException;

/** What may be thrown while one document is merged, encoded or projected, and must harm no other. */
final class Poison {
    static final String OUT_OF_MEMORY = "out-of-memory";
    static final String INTERNAL_ERROR = "internal-error";

    private Poison() {}

    /** The stable code of the rule. */
    static String rule(Throwable e) {
        return e instanceof OutOfMemoryError ? OUT_OF_MEMORY : INTERNAL_ERROR;
    }

    /** What it was, without its message, which may hold content. */
    static String name(Throwable e) {
        return e instanceof MalformedUpdateException malformed
                ? malformed.rule()
                : e.getClass().getName();
    }

    static Refusal refusal(Throwable e) {
        return Refusal.of(rule(e), "the merge failed with " + name(e));
    }

    /** The stack of a failure without its message. */
    static Throwable withoutMessage(Throwable e) {
        Throwable bare = new Throwable(e.getClass().getName());
        bare.setStackTrace(e.getStackTrace());
        return bare;
    }
}
