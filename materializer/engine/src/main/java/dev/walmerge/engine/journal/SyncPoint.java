package dev.walmerge.engine.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * What must reach the disk before the slot may be told {@code lsn}: everything appended so far, at the end of a
 * transaction.
 *
 * @param lsn every commit that ended at or before it is in the journal
 * @param number of the last record
 * @param checksum of the last record, and where it stands in the last file
 * @param files with records that are not known to be on the disk, in order
 * @param lastCycle of the last file
 */
public record SyncPoint(long lsn, long number, int checksum, long position, List<Path> files, int lastCycle) {
    /**
     * Waits until the disk has all of it. The files are forced, not the queue: it would sync no more than the block that
     * its appender has mapped now, and call that its index. A file that is gone was written back and deleted.
     *
     * @throws JournalLostException when the last file is not the one that was written to
     */
    void force() throws IOException {
        for (int i = 0; i < files.size(); i++) {
            boolean last = i == files.size() - 1;
            try (FileChannel file = FileChannel.open(files.get(i), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                if (last) {
                    requireLastRecord(file);
                }
                file.force(false);
            } catch (NoSuchFileException e) {
                if (last) {
                    throw new JournalLostException("the file that the journal is written to is gone", e);
                }
            }
        }
    }

    /** That the record the slot is told of is in what was forced. */
    private void requireLastRecord(FileChannel file) throws IOException {
        ByteBuffer fields = ByteBuffer.allocate(RecordLayout.BODY_OFFSET);
        while (fields.hasRemaining()) {
            if (file.read(fields, position + fields.position()) < 0) {
                break;
            }
        }
        if (fields.hasRemaining()
                || fields.getLong(RecordLayout.NUMBER_OFFSET) != number
                || fields.getInt(RecordLayout.CRC_OFFSET) != checksum) {
            throw new JournalLostException("the file that the journal is written to was replaced");
        }
    }
}
