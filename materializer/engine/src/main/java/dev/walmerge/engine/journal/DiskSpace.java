package dev.walmerge.engine.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Takes room on the disk before the queue maps it. The queue's files are sparse, and a store into a mapped hole that the
 * disk has no block for ends the JVM (SIGBUS); a write of zeros is an error that can be caught.
 *
 * <p>One thread.
 */
final class DiskSpace {
    private static final int ZEROS = 1 << 20;

    private final Path directory;
    private final long reserveBytes;
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);

    /** @param reserveBytes what {@link #require} leaves to others */
    DiskSpace(Path directory, long reserveBytes) {
        this.directory = directory;
        this.reserveBytes = reserveBytes;
    }

    /**
     * Looks whether so much can be taken and the reserve left.
     *
     * @throws JournalDiskFullException if not
     */
    void require(long bytes) throws IOException {
        FileStore store = Files.getFileStore(directory);
        long usable = store.getUsableSpace();
        if (usable - bytes < reserveBytes) {
            throw new JournalDiskFullException(
                    usable + " bytes are left on the disk of " + directory + ", " + reserveBytes + " are the reserve",
                    null);
        }
    }

    /**
     * Writes zeros.
     *
     * @throws JournalDiskFullException if the disk has no room for them; what is missing can be asked for again
     */
    void take(FileChannel file, long from, long to) throws IOException {
        long at = from;
        try {
            while (at < to) {
                zeros.clear().limit((int) Math.min(ZEROS, to - at));
                at += file.write(zeros, at);
            }
        } catch (IOException e) {
            throw isFull() ? new JournalDiskFullException("no room is left on the disk of " + directory, e) : e;
        }
    }

    /** The JDK has no type for it, and its message is the system's, in the system's language. */
    private boolean isFull() throws IOException {
        try {
            return Files.getFileStore(directory).getUsableSpace() < ZEROS;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
