package dev.walmerge.sidecar.config;

import java.util.Locale;

/** The settings of the process, each under one name: {@code --slot}, {@code WALMERGE_SLOT}, {@code slot:} in YAML. */
public enum Setting {
    URL("url", "jdbc:postgresql://HOST/DATABASE; without it, an embedded Postgres"),
    USER("user", "who to connect as; needs crdt_sidecar and REPLICATION"),
    PASSWORD("password", "better in WALMERGE_PASSWORD or a passfile than on a command line"),
    SLOT("slot", "the replication slot, one a sidecar"),
    STATE_DIRECTORY("state-directory", "where the journal (a cache) and the embedded server live"),
    SHARDS("shards", "threads that merge, 1 to 64"),
    MEMORY("memory", "what resident documents may take (256MiB, a quarter of the heap at most)"),
    JOURNAL_MAX("journal-max", "when this much waits to be merged, reading pauses"),
    PAYLOAD_MAX("payload-max", "a larger update is a dead letter (64MiB, a sixteenth of the heap at most)");

    private final String key;
    private final String help;

    Setting(String key, String help) {
        this.key = key;
        this.help = help;
    }

    /** The name in YAML, and after {@code --} on the command line. */
    public String key() {
        return key;
    }

    public String help() {
        return help;
    }

    public String environmentVariable() {
        return "WALMERGE_" + name();
    }

    /** The setting with a YAML name, or null. Underscores do for dashes. */
    static Setting ofKey(String key) {
        String wanted = key.replace('_', '-').toLowerCase(Locale.ROOT);
        for (Setting setting : values()) {
            if (setting.key.equals(wanted)) {
                return setting;
            }
        }
        return null;
    }
}
