package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AllocationTest {
    private static final int ROUNDS = 20_000;

    @Test
    void transactionsOfInsertsAllocateNothing() throws Exception {
        List<byte[]> transaction = GoldenFile.load(new GoldenFile.Session(17, 1, true)).entries().stream()
                .filter(entry -> entry.meaning().startsWith("begin")
                        || entry.meaning().startsWith("relation")
                        || entry.meaning().matches("insert xid=\\d+ \"sample\".*")
                        || entry.meaning().startsWith("commit"))
                .limit(4)
                .map(GoldenFile.Entry::message)
                .toList();
        PgoutputDecoder decoder = new PgoutputDecoder();
        IgnoringHandler handler = new IgnoringHandler();
        for (byte[] message : transaction) {
            decoder.decode(message, 0, message.length, handler);
        }
        byte[][] withoutRelation = {transaction.get(0), transaction.get(2), transaction.get(3)};
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = threads.getCurrentThreadAllocatedBytes();
        for (int round = 0; round < ROUNDS; round++) {
            for (byte[] message : withoutRelation) {
                decoder.decode(message, 0, message.length, handler);
            }
        }
        bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
        assertThat(handler.calls()).isEqualTo(4 + 3 * ROUNDS);
        // Class loading and the like: far less than one byte a message.
        assertThat(bytes).isLessThan(ROUNDS);
    }
}
