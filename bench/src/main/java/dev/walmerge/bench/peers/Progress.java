package dev.walmerge.bench.peers;

/** What is being measured right now, on one line of a terminal; elsewhere nothing. */
final class Progress {
    private static final boolean TERMINAL = Boolean.getBoolean("walmerge.terminal");
    private static final String LINE_START = "\r\u001b[K";

    private Progress() {}

    static void show(int round, int rounds, String what) {
        if (TERMINAL) {
            System.err.print(LINE_START + "round " + (round + 1) + " of " + rounds + ": " + what);
        }
    }

    static void clear() {
        if (TERMINAL) {
            System.err.print(LINE_START);
        }
    }
}
