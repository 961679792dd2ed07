package dev.walmerge.bench.soak;

/** What is done to the sidecar and its server. */
enum Blow {
    SIDECAR_KILLED("sidecar killed (SIGKILL)"),
    SIDECAR_KILLED_AT_FAILPOINT("sidecar killed at a failpoint"),
    SIDECAR_TERMINATED("sidecar ended (SIGTERM)"),
    SIDECAR_STOPPED("sidecar stopped and continued"),
    FAULT_THROWN("exception thrown at a failpoint"),
    ZOMBIE("sidecar stopped, replaced, continued"),
    CONNECTION_CUT("connection cut"),
    SERVER_KILLED("server killed (SIGKILL)"),
    SERVER_RESTARTED("server restarted"),
    SLOT_DROPPED("slot dropped");

    private final String words;

    Blow(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
