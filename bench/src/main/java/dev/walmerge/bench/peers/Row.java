package dev.walmerge.bench.peers;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One line of the table for each trace. */
enum Row {
    APPLY_SINGLE("apply-single", null, "apply %,d single updates, ms", Group.SINGLE),
    APPLY_SINGLE_FIRST("apply-single", null, "the same, first pass of the process, ms", Group.SINGLE),
    APPLY_BATCHES("apply-batches", null, "apply them in batches of 100, ms", Group.BATCHES),
    APPLY_BATCHES_FIRST("apply-batches", null, "the same, first pass of the process, ms", Group.BATCHES),
    LOAD_HOT_V1("load-hot", "v1", "load full state + text, hot, V1, ms", Group.LOAD_V1),
    LOAD_HOT_V2("load-hot", "v2", "load full state + text, hot, V2, ms", Group.LOAD_V2),
    LOAD_FIRST_V1("load-first", "v1", "the same, first call in the process, V1, ms", Group.LOAD_V1),
    LOAD_FIRST_V2("load-first", "v2", "the same, first call in the process, V2, ms", Group.LOAD_V2),
    ENCODE_V1("encode", "v1", "encode full state after an edit, V1, ms", Group.LOAD_V1),
    ENCODE_V2("encode", "v2", "encode full state after an edit, V2, ms", Group.LOAD_V2),
    REPLAY_LOCAL("replay-local", null, "replay as local edits, ms", Group.LOCAL),
    REPLAY_LOCAL_FIRST("replay-local", null, "the same, first pass of the process, ms", Group.LOCAL),
    MEMORY("memory", "v2", "memory of the loaded document, kB", Group.LOAD_V2),
    STATE_BYTES_V1("state-bytes", "v1", "full state, V1, bytes", Group.LOAD_V1),
    STATE_BYTES_V2("state-bytes", "v2", "full state, V2, bytes", Group.LOAD_V2);

    /** Rows that are measured by one process, one after another. */
    enum Group {
        LOAD_V1,
        LOAD_V2,
        SINGLE,
        BATCHES,
        LOCAL
    }

    private final String label;
    private final String format;
    private final String title;
    private final Group group;

    Row(String label, String format, String title, Group group) {
        this.label = label;
        this.format = format;
        this.title = title;
        this.group = group;
    }

    /** As in the lines and after {@code --only}: rows that differ in their format have the same. */
    String label() {
        return label;
    }

    String title(int updates) {
        return String.format(Locale.ROOT, title, updates);
    }

    Group group() {
        return group;
    }

    /** Of the figure in this row: an engine that has one format shows it in the rows of both. */
    Figures.FigureKey keyOf(Engine engine, String trace) {
        String itsFormat = format == null || engine.readsYjs() ? format : "own";
        Figures.FigureKey key = new Figures.FigureKey(engine.label(), trace, label, itsFormat);
        return name().endsWith("_FIRST") ? key.first() : key;
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(Row::label).distinct().toList();
    }
}
