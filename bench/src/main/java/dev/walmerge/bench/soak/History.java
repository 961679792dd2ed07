package dev.walmerge.bench.soak;

import java.util.List;

/**
 * Real updates, and what yjs made of their beginnings.
 *
 * @param json whether the answer is the document's JSON, by {@link CanonicalJson}; else it is the text
 * @param updates Yjs V1, in causal order
 * @param every after so many updates an answer was recorded, and after the last
 * @param answers the sha256 of each, hex
 */
record History(String name, boolean json, List<byte[]> updates, int every, List<String> answers) {
    /** How many beginnings have an answer. */
    int steps() {
        return answers.size();
    }

    /** The updates of a beginning, for {@code step} from 1. */
    int updatesAt(int step) {
        return Math.min(step * every, updates.size());
    }

    /** The least step that has so many updates. */
    int stepFor(int updateCount) {
        return Math.max(1, (updateCount + every - 1) / every);
    }

    String answerAt(int step) {
        return answers.get(step - 1);
    }
}
