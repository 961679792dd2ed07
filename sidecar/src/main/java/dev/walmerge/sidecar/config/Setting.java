package dev.walmerge.sidecar.config;

import java.util.Locale;

/** The settings of the process, each under one name: {@code --slot}, {@code WALMERGE_SLOT}, {@code slot:} in YAML. */
public enum Setting {
    URL("url", "jdbc:postgresql://HOST/DATABASE; without it, an embedded Postgres"),
    USER("user", "who to connect as: for run the sidecar's role, for init the database's owner"),
    PASSWORD("password", "better in WALMERGE_PASSWORD or ~/.pgpass than on a command line"),
    SLOT("slot", "the replication slot, one a sidecar and database (default: walmerge)"),
    STATE_DIRECTORY(
            "state-directory",
            "where the journal (a cache) and the embedded server live (default: ~/.local/state/walmerge)"),
    SHARDS("shards", "threads that merge, 1 to 64 (default: 1)"),
    MEMORY("memory", "what resident documents may take (default: 256MiB, a quarter of the heap at most)"),
    JOURNAL_MAX("journal-max", "what the journal may take on the disk; above it, reading pauses (default: 1GiB)"),
    JOURNAL_RESERVE("journal-reserve", "what the journal leaves free on its disk, or reading pauses (default: 256MiB)"),
    JOURNAL_ABOVE(
            "journal-above",
            "when the slot holds back more WAL, it is told what is journaled, not only what is written (default: 1GiB)"),
    PAYLOAD_MAX("payload-max", "a larger update is a dead letter (default: 64MiB, a sixteenth of the heap at most)"),
    HTTP("http", "HOST:PORT to serve /metrics, /live and /ready at; without it no port is opened");

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
