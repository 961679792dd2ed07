package dev.walmerge.engine.journal;

import dev.walmerge.crdt.BodyProjection;
import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Bodies of journal records. Text and bytes are a 32-bit length (-1 is null) and that many bytes, text in UTF-8.
 *
 * <pre>
 *  OP       collection | doc | format | role | row id (64) | JSON text | payload
 *  BARRIER  doc
 *  COMMAND  id (64) | name | collection | doc | dead letter (64) | rule | format
 *  POLICY   collection | format | root | the other settings in the order of {@link Policy}, durations in nanoseconds;
 *           an earlier version left out the projection and what follows
 * </pre>
 *
 * A growing buffer, used by one thread. Reading past the end is an unchecked exception: the checksum was right before.
 */
final class RecordBody {
    private static final int NULL_LENGTH = -1;

    private ByteBuffer buffer = ByteBuffer.allocate(4096);

    // Writing ---------------------------------------------------------------------------------------------------------

    /** All of it but the bytes of the payload, which are last. */
    void writeOpHead(Op op) {
        buffer.clear();
        text(op.collection());
        text(op.doc());
        text(op.format());
        text(op.role());
        room(Long.BYTES).putLong(op.rowId());
        text(op.json());
        room(Integer.BYTES).putInt(op.payload() == null ? NULL_LENGTH : op.payload().length);
    }

    void writeBarrier(String doc) {
        buffer.clear();
        text(doc);
    }

    void writeCommand(Command command) {
        buffer.clear();
        room(Long.BYTES).putLong(command.id());
        text(command.name());
        text(command.collection());
        text(command.doc());
        room(Long.BYTES).putLong(command.deadLetter());
        text(command.rule());
        text(command.format());
    }

    void writePolicy(String collection, Policy policy) {
        buffer.clear();
        text(collection);
        text(policy.format());
        text(policy.root());
        room(80).put((byte) (policy.jsonForText() ? 1 : 0))
                .putLong(policy.flushDebounce().toNanos())
                .putLong(policy.flushInterval().toNanos())
                .putInt(policy.walBudgetBytesPerSecond())
                .putLong(policy.stalenessMax().toNanos())
                .putInt(policy.foldBytes())
                .putDouble(policy.foldRatio())
                .putInt(policy.foldRows())
                .putLong(policy.foldIdle().toNanos())
                .putLong(policy.rotateAfter().toNanos());
        text(policy.projection().label());
        room(1).put((byte) (policy.blocks() ? 1 : 0));
    }

    /** What was written, to keep. */
    byte[] copy() {
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    /** What was written; valid until the next write. */
    byte[] array() {
        return buffer.array();
    }

    int length() {
        return buffer.position();
    }

    private void text(String value) {
        bytes(value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    }

    private void bytes(byte[] value) {
        if (value == null) {
            room(Integer.BYTES).putInt(NULL_LENGTH);
        } else {
            room(Integer.BYTES + value.length).putInt(value.length).put(value);
        }
    }

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            int needed = Math.addExact(buffer.position(), bytes);
            byte[] grown = Arrays.copyOf(buffer.array(), Math.max(needed, buffer.capacity() * 2));
            buffer = ByteBuffer.wrap(grown).position(buffer.position());
        }
        return buffer;
    }

    /** Gives back what one large op needed. */
    void shrink(int keptBytes) {
        if (buffer.capacity() > keptBytes) {
            buffer = ByteBuffer.allocate(keptBytes);
        }
    }

    // Reading ---------------------------------------------------------------------------------------------------------

    static Op readOp(ByteBuffer in) {
        String collection = readText(in);
        String doc = readText(in);
        String format = readText(in);
        String role = readText(in);
        long rowId = in.getLong();
        String json = readText(in);
        return new Op(collection, doc, format, readBytes(in), json, role, rowId);
    }

    static Command readCommand(ByteBuffer in) {
        return new Command(
                in.getLong(), readText(in), readText(in), readText(in), in.getLong(), readText(in), readText(in));
    }

    static String readText(ByteBuffer in) {
        byte[] bytes = readBytes(in);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] readBytes(ByteBuffer in) {
        int length = in.getInt();
        if (length == NULL_LENGTH) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    /** What follows the name of the collection. */
    static Policy readPolicy(ByteBuffer in) {
        Policy policy = new Policy(
                readText(in),
                readText(in),
                in.get() != 0,
                Duration.ofNanos(in.getLong()),
                Duration.ofNanos(in.getLong()),
                in.getInt(),
                Duration.ofNanos(in.getLong()),
                in.getInt(),
                in.getDouble(),
                in.getInt(),
                Duration.ofNanos(in.getLong()),
                Duration.ofNanos(in.getLong()));
        return in.hasRemaining()
                ? policy.showing(BodyProjection.of(readText(in)), policy.root(), in.get() != 0)
                : policy;
    }
}
