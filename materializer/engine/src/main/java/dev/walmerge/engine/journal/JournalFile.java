package dev.walmerge.engine.journal;

import dev.walmerge.engine.Lsn;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One file of the journal, as its appending thread knows it. */
final class JournalFile {
    /** Room that is taken ahead of the last record: for one more, an array of the queue's index and the mark of its end. */
    static final long AHEAD_BYTES = 1 << 18;

    final Path path;
    final int cycle;
    /** Where the last commit before it ended. */
    final long startLsn;
    /** Where the last commit in it, or before it, ended. */
    long endLsn;
    /** Whether its last records belong to a transaction that ends in a later file. */
    boolean endsInside;

    private long takenBytes;
    private long position;

    /** Makes the file, with room for the first records. */
    static JournalFile create(Path path, int cycle, long startLsn, int stepBytes, DiskSpace disk) throws IOException {
        JournalFile file = new JournalFile(path, cycle, startLsn);
        try (FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            disk.take(channel, 0, firstBytes(stepBytes));
        }
        file.takenBytes = firstBytes(stepBytes);
        return file;
    }

    private JournalFile(Path path, int cycle, long startLsn) {
        this.path = path;
        this.cycle = cycle;
        this.startLsn = startLsn;
        this.endLsn = startLsn;
    }

    /** What a new file takes. */
    static long firstBytes(int stepBytes) {
        return 2 * AHEAD_BYTES + stepBytes;
    }

    /** Whether the next record may reach what is not taken yet. */
    boolean needsMore() {
        return position + AHEAD_BYTES > takenBytes;
    }

    /** Whether it should get more before the next op comes, while that can still be refused. */
    boolean needsMoreSoon() {
        return position + 2 * AHEAD_BYTES > takenBytes;
    }

    void takeMore(int stepBytes, DiskSpace disk) throws IOException {
        long wanted = Math.max(takenBytes, position + 2 * AHEAD_BYTES) + stepBytes;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            disk.take(channel, takenBytes, wanted);
        }
        takenBytes = wanted;
    }

    /** The last record ends there. */
    void filledTo(long position) {
        this.position = position;
    }

    long takenBytes() {
        return takenBytes;
    }

    /** Whether all of it is written once everything up to {@code writtenLsn} is. */
    boolean isWritten(long writtenLsn) {
        return endsInside ? Lsn.isBefore(endLsn, writtenLsn) : !Lsn.isBefore(writtenLsn, endLsn);
    }
}
