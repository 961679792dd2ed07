package dev.walmerge.engine.journal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads the records of a file that an earlier process left, without the queue: that would map it, and a file that was cut
 * short or damaged may then end the JVM or keep it waiting.
 *
 * <p>A file is a run of documents, each with a little-endian 32-bit header: two flags (not complete, not data) and the
 * length; the next one begins at a multiple of four bytes. A header of 0 is where writing stopped, an incomplete one is
 * that or the mark of the end.
 */
final class RecordFile implements AutoCloseable {
    static final int END = -1;

    private static final int INCOMPLETE = 1 << 31;
    private static final int NOT_DATA = 1 << 30;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int RECORD_BYTES_MAX = RecordLayout.BODY_OFFSET + RecordLayout.MAX_BODY_BYTES;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final byte[] record = new byte[RECORD_BYTES_MAX];
    private long bufferStart;
    private long position;

    RecordFile(Path path) throws IOException {
        channel = FileChannel.open(path, StandardOpenOption.READ);
        buffer.limit(0);
    }

    /**
     * Reads the next record into {@link #array}.
     *
     * @return its length, or {@link #END}
     * @throws CorruptJournalException where no record can be
     */
    int next() throws IOException {
        while (true) {
            if (!load(Integer.BYTES)) {
                return END;
            }
            int header = buffer.getInt();
            int length = header & ~(INCOMPLETE | NOT_DATA);
            if (header == 0 || (header & INCOMPLETE) != 0) {
                return END;
            }
            long start = position + Integer.BYTES;
            position = start;
            if ((header & NOT_DATA) == 0) {
                if (length > RECORD_BYTES_MAX) {
                    throw new CorruptJournalException("a journal record of " + length + " bytes");
                }
                if (!load(length)) {
                    throw new EOFException("the journal's file ends inside a record");
                }
                buffer.get(record, 0, length);
                position = aligned(start + length);
                return length;
            }
            position = aligned(start + length);
        }
    }

    private static long aligned(long position) {
        return (position + 3) & ~3L;
    }

    /** Makes the buffer stand at the position with at least so many bytes; false where the file has less. */
    private boolean load(int bytes) throws IOException {
        long offset = position - bufferStart;
        if (offset < 0 || offset + bytes > buffer.limit()) {
            buffer.clear();
            bufferStart = position;
            offset = 0;
            while (buffer.hasRemaining() && channel.read(buffer, bufferStart + buffer.position()) > 0) {
                // Until it is full or the file ends.
            }
            buffer.flip();
        }
        if (offset + bytes > buffer.limit()) {
            return false;
        }
        buffer.position((int) offset);
        return true;
    }

    byte[] array() {
        return record;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
