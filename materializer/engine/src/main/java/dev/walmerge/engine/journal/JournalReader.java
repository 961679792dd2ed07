package dev.walmerge.engine.journal;

import java.nio.ByteOrder;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;

/** Reads the journal for one shard, from the first record on. Single thread, no waiting. */
public final class JournalReader implements AutoCloseable {
    /** A batch ends after so many bytes, so that the caller can look after its memory. */
    private static final int BATCH_BYTES = 1 << 20;

    private final Journal journal;
    private final ExcerptTailer tailer;
    private final int reader;
    private final int shards;
    private final RecordDecoder decoder;
    private byte[] record = new byte[8192];

    JournalReader(Journal journal, ExcerptTailer tailer, int reader, int shards, JournalHandler handler) {
        this.journal = journal;
        this.tailer = tailer;
        this.reader = reader;
        this.shards = shards;
        this.decoder = new RecordDecoder(handler);
    }

    /**
     * Hands over the next records, those of other shards left out.
     *
     * @return how many were read, at most {@code limit}; 0 when there is none
     * @throws CorruptJournalException if a record is not what was appended
     */
    public int poll(int limit) {
        int count = 0;
        long bytesRead = 0;
        while (count < limit && bytesRead < BATCH_BYTES) {
            int length;
            boolean mine;
            try (var document = tailer.readingDocument()) {
                if (!document.isPresent()) {
                    break;
                }
                Bytes<?> bytes = document.wire().bytes();
                length = Math.toIntExact(bytes.readRemaining());
                mine = isMine(bytes, length);
                if (mine) {
                    copy(bytes, length);
                }
            }
            count++;
            bytesRead += length;
            if (mine) {
                decoder.decode(record, length);
            }
        }
        if (count > 0) {
            journal.consumed(reader, bytesRead, tailer.cycle());
        }
        return count;
    }

    private boolean isMine(Bytes<?> bytes, int length) {
        if (length < RecordLayout.BODY_OFFSET) {
            throw new CorruptJournalException("a journal record of " + length + " bytes");
        }
        long start = bytes.readPosition();
        byte kind = bytes.readByte(start + RecordLayout.KIND_OFFSET);
        if (shards == 1 || (kind != RecordLayout.KIND_OP && kind != RecordLayout.KIND_PART)) {
            return true;
        }
        int read = bytes.readInt(start + RecordLayout.HASH_OFFSET);
        int hash = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? read : Integer.reverseBytes(read);
        return Math.floorMod(hash, shards) == reader;
    }

    private void copy(Bytes<?> bytes, int length) {
        if (record.length < length) {
            record = new byte[Math.max(length, record.length * 2)];
        }
        bytes.read(record, 0, length);
    }

    @Override
    public void close() {
        tailer.close();
    }
}
