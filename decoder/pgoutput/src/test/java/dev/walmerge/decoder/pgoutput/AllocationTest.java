package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class AllocationTest {
    private static final int ROUNDS = 20_000;

    @Test
    void transactionsOfInsertsAllocateNothing() throws Exception {
        measure(1, "begin|type|relation|insert xid=\\d+ \"sample\"|commit", 5);
    }

    @Test
    void transactionsOfChangesAllocateNothing() throws Exception {
        measure(1, "begin|relation|(update|delete) xid=\\d+ \"keyed\"|commit", 6);
    }

    @Test
    void streamedTransactionsAllocateNothing() throws Exception {
        measure(2, "streamStart|relation|insert|streamStop|streamCommit", 7);
    }

    /** Decodes the first transaction of the golden file that is made of such messages alone, again and again. */
    private static void measure(int version, String kinds, int length) throws Exception {
        GoldenFile file = GoldenFile.load(new GoldenFile.Session(17, version, true));
        List<GoldenFile.Entry> transaction = transaction(file.entries(), Pattern.compile(kinds), length);
        PgoutputDecoder decoder = new PgoutputDecoder(file.session().protocol());
        IgnoringHandler handler = new IgnoringHandler();
        for (GoldenFile.Entry entry : transaction) {
            decoder.decode(entry.message(), 0, entry.message().length, handler);
        }
        byte[][] repeated = transaction.stream()
                .filter(entry -> !entry.meaning().matches("(type|relation) .*"))
                .map(GoldenFile.Entry::message)
                .toArray(byte[][]::new);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = threads.getCurrentThreadAllocatedBytes();
        for (int round = 0; round < ROUNDS; round++) {
            for (byte[] message : repeated) {
                decoder.decode(message, 0, message.length, handler);
            }
        }
        bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
        assertThat(handler.calls()).isEqualTo(transaction.size() + repeated.length * ROUNDS);
        // Class loading and the like: far less than one byte a message.
        assertThat(bytes).isLessThan(ROUNDS);
    }

    private static List<GoldenFile.Entry> transaction(List<GoldenFile.Entry> entries, Pattern kinds, int length) {
        for (int i = 0; i + length <= entries.size(); i++) {
            List<GoldenFile.Entry> candidate = entries.subList(i, i + length);
            boolean whole = candidate.get(0).meaning().matches("begin .*|streamStart .* first=true")
                    && candidate.get(length - 1).meaning().matches("(commit|streamCommit) .*");
            if (whole
                    && candidate.stream()
                            .allMatch(entry -> kinds.matcher(entry.meaning()).lookingAt())) {
                return candidate;
            }
        }
        throw new AssertionError("no such transaction");
    }
}
