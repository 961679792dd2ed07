package dev.walmerge.engine.journal;

/** Whether the journal takes more. Whatever the state, what it has is read, and it goes on by itself. */
public enum JournalState {
    READY("ready"),
    /** It has reached its bound: what it holds must be merged and written first. */
    FULL("journal-full"),
    /** Less than the reserve is left on the disk, or nothing. */
    DISK_FULL("journal-disk-full"),
    /** Its files can't be written for another reason, such as a disk that became read-only. */
    UNUSABLE("journal-unusable");

    private final String code;

    JournalState(String code) {
        this.code = code;
    }

    /** Stable, kebab-case. */
    public String code() {
        return code;
    }
}
