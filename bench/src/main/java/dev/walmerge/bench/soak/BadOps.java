package dev.walmerge.bench.soak;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Ops that no sidecar may merge: each is refused, for one of four reasons, and has bytes of its own. Thread-safe. */
final class BadOps {
    private static final byte[] VARINT_THAT_NEVER_ENDS = {
        (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff
    };

    private final AtomicLong made = new AtomicLong();

    PlannedOp next(PlannedDocument document, byte[] update, Random random) {
        byte[] mark =
                ByteBuffer.allocate(Long.BYTES).putLong(made.incrementAndGet()).array();
        return switch (random.nextInt(4)) {
            case 0 -> new PlannedOp(document, join(update, mark), null, true);
            case 1 -> new PlannedOp(document, join(VARINT_THAT_NEVER_ENDS, mark), "yjs-v1", true);
            case 2 ->
                new PlannedOp(
                        document,
                        join(update, mark),
                        "soak-" + document.history().name(),
                        true);
            // A frame of 127 bytes, of which nine are there.
            default -> new PlannedOp(document, join(new byte[] {127, 1}, mark), "yjs-framed", true);
        };
    }

    private static byte[] join(byte[] one, byte[] other) {
        return ByteBuffer.allocate(one.length + other.length)
                .put(one)
                .put(other)
                .array();
    }
}
