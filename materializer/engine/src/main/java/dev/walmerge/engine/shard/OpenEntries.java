package dev.walmerge.engine.shard;

import dev.walmerge.engine.writeback.DeadLetter;
import dev.walmerge.engine.writeback.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * What the open transaction has to say besides documents: its dead letters, whose position is its end, and what its
 * commands change of older ones. Single thread.
 */
final class OpenEntries {
    private final InFlight inFlight;
    private final ShardCounters counters;
    private final List<Entry> entries = new ArrayList<>();

    OpenEntries(InFlight inFlight, ShardCounters counters) {
        this.inFlight = inFlight;
        this.counters = counters;
    }

    void add(Entry entry) {
        entries.add(entry);
    }

    /** The transaction is committed. */
    void submit(long endLsn) {
        for (Entry entry : entries) {
            if (entry instanceof DeadLetter letter) {
                inFlight.submit(Submission.of(letter.at(endLsn)));
                ShardCounters.add(counters.deadLetters, 1);
            } else {
                inFlight.submit(Submission.of(entry));
            }
        }
        entries.clear();
    }

    /** It comes again. */
    void abandon() {
        entries.clear();
    }
}
