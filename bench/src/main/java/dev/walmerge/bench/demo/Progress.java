package dev.walmerge.bench.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows a replay: one line that is rewritten on a terminal, a line every few seconds elsewhere. One thread. */
final class Progress {
    private static final long PLAIN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final long begun = System.nanoTime();
    private long nextPlainLine = begun + PLAIN_EVERY_NANOS;

    Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    void show(List<Typist> typists, Reader reader) {
        long now = System.nanoTime();
        if (!terminal && now - nextPlainLine < 0) {
            return;
        }
        String line = line(typists, reader, TimeUnit.NANOSECONDS.toSeconds(now - begun));
        if (terminal) {
            out.print(ERASE_LINE + line);
            out.flush();
        } else {
            nextPlainLine = now + PLAIN_EVERY_NANOS;
            out.println(line);
        }
    }

    void end() {
        if (terminal) {
            out.print(ERASE_LINE);
            out.flush();
        }
    }

    private static String line(List<Typist> typists, Reader reader, long seconds) {
        int edits = 0;
        int all = 0;
        StringBuilder lengths = new StringBuilder();
        for (int i = 0; i < typists.size(); i++) {
            edits += typists.get(i).edits();
            all += typists.get(i).trace().updates().size();
            lengths.append(String.format(
                    Locale.ROOT, "  %s %,d", typists.get(i).trace().name(), reader.length(i)));
        }
        return String.format(
                        Locale.ROOT,
                        "%3d s %3d%%  %,d edits | characters in crdt.docs:",
                        seconds,
                        100L * edits / all,
                        edits)
                + lengths;
    }
}
