package dev.walmerge.engine.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bounded spool between the reader of the slot and the shards, on Chronicle Queue. It is a cache: opening it wipes
 * what an earlier process left, because the slot sends everything after {@code written} again.
 *
 * <p>Files are cut by size, not by time: the queue's clock is ours and moves by one cycle when a file is full. A file
 * that every reader has left is deleted when the next one is cut.
 *
 * <p>One thread appends through the {@link JournalWriter}, each {@link JournalReader} has a thread of its own, the
 * methods of this class may be called by any.
 */
public final class Journal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final RollCycles CYCLE = RollCycles.FAST_HOURLY;
    private static final DateTimeFormatter FILE_NAME =
            DateTimeFormatter.ofPattern(CYCLE.format()).withZone(ZoneOffset.UTC);
    private static final String FILE_SUFFIX = ".cq4";
    private static final String LOCK_FILE = "journal.lock";
    private static final int BLOCK_BYTES = 16 << 20;
    private static final long MIN_FILE_BYTES = 1 << 20;
    private static final long MAX_FILE_BYTES = 64 << 20;

    static {
        // They phone home, print, or start a thread that polls, at the first use, unless told not to.
        System.setProperty("chronicle.analytics.disable", "true");
        System.setProperty("chronicle.announcer.disable", "true");
        System.setProperty("chronicle.disk.monitor.disable", "true");
    }

    private final Path directory;
    private final FileChannel lock;
    private final SingleChronicleQueue queue;
    private final long maxBytes;
    private final long fileBytes;
    private final AtomicLong clockMillis;
    private final AtomicLong appendedBytes = new AtomicLong();
    private final AtomicLongArray consumedBytes;
    private final AtomicLongArray readerCycles;
    private final ExcerptAppender appender;
    private int firstCycle;
    private int lastCycle;
    private long bytesInFile;

    private Journal(Path directory, FileChannel lock, int readers, long maxBytes) {
        this.directory = directory;
        this.lock = lock;
        this.maxBytes = maxBytes;
        this.fileBytes = Math.max(MIN_FILE_BYTES, Math.min(MAX_FILE_BYTES, maxBytes / 4));
        long start = System.currentTimeMillis();
        this.clockMillis = new AtomicLong(start - start % CYCLE.lengthInMillis());
        this.queue = SingleChronicleQueueBuilder.single(directory.toFile())
                .rollCycle(CYCLE)
                .timeProvider(clockMillis::get)
                .blockSize(BLOCK_BYTES)
                .build();
        this.firstCycle = queue.cycle();
        this.lastCycle = firstCycle;
        this.consumedBytes = new AtomicLongArray(readers);
        this.readerCycles = new AtomicLongArray(readers);
        for (int i = 0; i < readers; i++) {
            readerCycles.set(i, firstCycle);
        }
        // A reader of the slot that reconnects may be a new thread; there is still only one at a time.
        this.appender = queue.createAppender();
        appender.singleThreadedCheckDisabled(true);
    }

    /**
     * Opens an empty journal.
     *
     * @param directory its own; everything in it that a journal wrote is deleted
     * @param readers how many readers there are; a record counts as consumed when all have passed it
     * @param maxBytes unconsumed bytes above which there is no room
     * @throws JournalInUseException when another engine uses the directory
     */
    public static Journal open(Path directory, int readers, long maxBytes) throws IOException {
        Files.createDirectories(directory);
        FileChannel lock = lock(directory);
        wipe(directory);
        return new Journal(directory, lock, readers, maxBytes);
    }

    /** The lock ends with the process, whatever ends it; its file stays. */
    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(directory.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // This process has it: the same answer.
        }
        channel.close();
        throw new JournalInUseException("the journal directory " + directory + " is in use by another engine");
    }

    private static void wipe(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.{cq4,cq4t}")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    /**
     * The only writer.
     *
     * @param startLsn transactions that ended at or before it are ignored
     * @param wake called after a commit, and now and then inside a large transaction: there is something to read
     */
    public JournalWriter writer(long startLsn, Runnable wake) {
        return new JournalWriter(this, startLsn, wake);
    }

    /** The reader number {@code reader}; sees ops whose hash modulo {@code shards} is {@code reader}. */
    public JournalReader reader(int reader, int shards, JournalHandler handler) {
        ExcerptTailer tailer = queue.createTailer();
        tailer.singleThreadedCheckDisabled(true);
        return new JournalReader(this, tailer, reader, shards, handler);
    }

    /** Bytes appended that not every reader has passed. */
    public long backlogBytes() {
        long consumed = Long.MAX_VALUE;
        for (int i = 0; i < consumedBytes.length(); i++) {
            consumed = Math.min(consumed, consumedBytes.get(i));
        }
        return Math.max(0, appendedBytes.get() - consumed);
    }

    public boolean hasRoom() {
        return backlogBytes() < maxBytes;
    }

    ChronicleQueue queue() {
        return queue;
    }

    /** Appending thread only. */
    void append(byte[] record, int length) {
        if (bytesInFile >= fileBytes) {
            cutFile();
        }
        try (var document = appender.writingDocument()) {
            document.wire().bytes().write(record, 0, length);
        }
        bytesInFile += length;
        appendedBytes.lazySet(appendedBytes.get() + length);
    }

    private void cutFile() {
        clockMillis.addAndGet(CYCLE.lengthInMillis());
        lastCycle++;
        bytesInFile = 0;
        long oldestRead = lastCycle;
        for (int i = 0; i < readerCycles.length(); i++) {
            oldestRead = Math.min(oldestRead, readerCycles.get(i));
        }
        while (firstCycle < oldestRead) {
            delete(firstCycle);
            firstCycle++;
        }
    }

    private void delete(int cycle) {
        Path file = directory.resolve(
                FILE_NAME.format(Instant.ofEpochMilli((long) cycle * CYCLE.lengthInMillis())) + FILE_SUFFIX);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("journal file {} can't be deleted: {}", file.getFileName(), e.toString());
        }
    }

    /** Reading threads only, each for itself. */
    void consumed(int reader, long bytes, int cycle) {
        consumedBytes.lazySet(reader, consumedBytes.get(reader) + bytes);
        readerCycles.lazySet(reader, cycle);
    }

    /** Call it when neither the writer nor a reader is in use any more. */
    @Override
    public void close() {
        appender.close();
        queue.close();
        try {
            lock.close();
        } catch (IOException e) {
            LOG.warn("the journal's lock can't be released: {}", e.toString());
        }
    }
}
