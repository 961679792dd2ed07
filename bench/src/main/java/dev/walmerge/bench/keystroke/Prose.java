package dev.walmerge.bench.keystroke;

import java.util.Random;

/** Text that compresses and indexes about like prose: short words often, long ones rarely, sentences, paragraphs. */
public final class Prose {
    private static final String[] SYLLABLES = {
        "ka", "ne", "mo", "ri", "sta", "lo", "ver", "in", "tion", "al", "per", "con", "da", "ble", "un", "est", "or",
        "mi", "tra", "shu"
    };
    private static final int WORDS = 2000;
    private static final int SENTENCE_WORDS = 12;

    private Prose() {}

    /** Exactly {@code length} ASCII characters; the same for the same seed. */
    public static String write(int length, long seed) {
        Random random = new Random(seed);
        String[] words = new String[WORDS];
        for (int i = 0; i < WORDS; i++) {
            StringBuilder word = new StringBuilder();
            // Frequent words (low ranks) are short.
            int syllables = 1 + random.nextInt(i < WORDS / 20 ? 2 : 4);
            for (int j = 0; j < syllables; j++) {
                word.append(SYLLABLES[random.nextInt(SYLLABLES.length)]);
            }
            words[i] = word.toString();
        }
        StringBuilder text = new StringBuilder(length + 32);
        for (int i = 1; text.length() < length; i++) {
            // The rank of a word is log-uniform, so that frequency falls about with rank.
            text.append(words[(int) Math.pow(WORDS, random.nextDouble()) - 1]);
            text.append(i % SENTENCE_WORDS == 0 ? ".\n" : " ");
        }
        return text.substring(0, length);
    }
}
