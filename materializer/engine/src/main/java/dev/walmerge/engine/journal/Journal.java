package dev.walmerge.engine.journal;

import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.journal.RecordEncoder.Body;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bounded spool between the reader of the slot and the shards, on Chronicle Queue. It is a cache: the op rows hold
 * all of it too.
 *
 * <p>Files are cut by size, not by time: the queue's clock is ours and moves by one cycle when a file is full. A file is
 * deleted once every shard has read it and all of it is written back; when the journal is full, also one that is merged
 * only, unless the slot was told of what it holds.
 *
 * <p>One thread appends through the {@link JournalWriter} and calls {@link #hasRoom} and {@link #point}, each
 * {@link JournalReader} has a thread of its own, the other methods of this class may be called by any.
 */
public final class Journal implements AutoCloseable {
    static final String FILE_SUFFIX = ".cq4";

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final RollCycles CYCLE = RollCycles.FAST_HOURLY;
    private static final DateTimeFormatter FILE_NAME =
            DateTimeFormatter.ofPattern(CYCLE.format()).withZone(ZoneOffset.UTC);
    private static final int BLOCK_BYTES = 16 << 20;
    private static final long LEAST_BYTES = 2 << 20;
    private static final long MIN_FILE_BYTES = 1 << 19;
    private static final long MAX_FILE_BYTES = 64 << 20;
    /** How often a disk that had no room is asked again. */
    private static final long LOOK_AGAIN_NANOS = 100_000_000;

    static {
        // They phone home, print, or start a thread that polls, at the first use, unless told not to.
        System.setProperty("chronicle.analytics.disable", "true");
        System.setProperty("chronicle.announcer.disable", "true");
        System.setProperty("chronicle.disk.monitor.disable", "true");
    }

    private final JournalHome home;
    private final Path folder;
    private final DiskSpace disk;
    private final SingleChronicleQueue queue;
    private final long maxBytes;
    private final long fileBytes;
    private final int stepBytes;
    private final AtomicLong clockMillis;
    private final AtomicLong appendedBytes = new AtomicLong();
    private final AtomicLongArray consumedBytes;
    private final AtomicLongArray readerCycles;
    private final RecordEncoder encoder = new RecordEncoder();
    private final ExcerptAppender appender;
    private final ArrayDeque<JournalFile> files = new ArrayDeque<>();
    private LongSupplier persistedLsn = () -> 0;

    /** Bodies of POLICY records by collection: a file that is gone may have said so. */
    private final Map<String, byte[]> inForce = new HashMap<>();

    private JournalFile file;
    private long bytesInFile;
    private long endLsn;
    private boolean inside;
    private long lastPosition;
    /** The newest point that was given out: what is in it must not be deleted before it is written. */
    private long pointLsn;
    /** Until this is written, something after {@code written} is no more in the journal. */
    private long releasedLsn;

    private boolean releasedInside;
    private long lookedNanos;
    private volatile int syncedCycle;
    private final AtomicLong keptBytes = new AtomicLong();
    private volatile JournalState state = JournalState.READY;

    private Journal(JournalHome home, Path folder, int readers, long maxBytes, long reserveBytes, long startLsn)
            throws IOException {
        this.home = home;
        this.folder = folder;
        this.maxBytes = Math.max(LEAST_BYTES, maxBytes);
        this.fileBytes = Math.max(MIN_FILE_BYTES, Math.min(MAX_FILE_BYTES, maxBytes / 4));
        this.stepBytes = (int) (fileBytes / 8);
        this.disk = new DiskSpace(folder, reserveBytes);
        this.endLsn = startLsn;
        this.pointLsn = startLsn;
        disk.require(JournalFile.firstBytes(stepBytes));
        long start = System.currentTimeMillis();
        this.clockMillis = new AtomicLong(start - start % CYCLE.lengthInMillis());
        int cycle = (int) (clockMillis.get() / CYCLE.lengthInMillis());
        this.queue = SingleChronicleQueueBuilder.single(folder.toFile())
                .rollCycle(CYCLE)
                .timeProvider(clockMillis::get)
                .blockSize(BLOCK_BYTES)
                .build();
        this.consumedBytes = new AtomicLongArray(readers);
        this.readerCycles = new AtomicLongArray(readers);
        for (int i = 0; i < readers; i++) {
            readerCycles.set(i, cycle);
        }
        this.syncedCycle = cycle;
        // A reader of the slot that reconnects may be a new thread; there is still only one at a time.
        this.appender = queue.createAppender();
        appender.singleThreadedCheckDisabled(true);
        // After the queue looked what there is: it would wait for whoever makes this file to put a header into it.
        this.file = newFile(cycle);
        putFileRecord();
    }

    /**
     * Opens an empty journal; what the home holds of earlier ones stays only if it is to be replayed.
     *
     * @param home claimed; closed with the journal
     * @param readers how many readers there are; a record counts as consumed when all have passed it
     * @param maxBytes on the disk, above which there is no room; 2 MiB at least, and one op more than that
     * @param reserveBytes what must be left on the disk, or there is no room
     * @param startLsn up to which everything is written already
     */
    public static Journal open(JournalHome home, int readers, long maxBytes, long reserveBytes, long startLsn)
            throws IOException {
        return new Journal(home, home.newFolder(), readers, maxBytes, reserveBytes, startLsn);
    }

    /** Where to ask up to what commit everything is written and the progress row says so. Call it before the first op. */
    public void follow(LongSupplier persistedLsn) {
        this.persistedLsn = persistedLsn;
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

    /** All that was ever appended. */
    public long appendedBytes() {
        return appendedBytes.get();
    }

    /** What it takes on the disk. */
    public long keptBytes() {
        return keptBytes.get();
    }

    public JournalState state() {
        return state;
    }

    /** Reading threads only, each for itself. */
    void consumed(int reader, long bytes, int cycle) {
        consumedBytes.lazySet(reader, consumedBytes.get(reader) + bytes);
        readerCycles.lazySet(reader, cycle);
    }

    // The appending thread --------------------------------------------------------------------------------------------

    /** Whether another op may come. Takes room on the disk for it. */
    boolean hasRoom() {
        if (state == JournalState.READY && bytesInFile < fileBytes && !file.needsMoreSoon() && keptBytes() < maxBytes) {
            return true;
        }
        long nowNanos = System.nanoTime();
        boolean wasTried = state == JournalState.DISK_FULL || state == JournalState.UNUSABLE;
        if (wasTried && nowNanos - lookedNanos < LOOK_AGAIN_NANOS) {
            return false;
        }
        lookedNanos = nowNanos;
        try {
            deleteWritten();
            if (bytesInFile >= fileBytes) {
                disk.require(JournalFile.firstBytes(stepBytes));
                cutFile();
            }
            if (keptBytes() >= maxBytes) {
                deleteMerged();
            }
            if (keptBytes() < maxBytes && file.needsMoreSoon()) {
                disk.require(stepBytes);
                takeMore();
            }
            enter(keptBytes() < maxBytes ? JournalState.READY : JournalState.FULL, null);
        } catch (JournalDiskFullException e) {
            enter(JournalState.DISK_FULL, e);
        } catch (IOException e) {
            requireFolder(e);
            enter(JournalState.UNUSABLE, e);
        }
        return state == JournalState.READY;
    }

    /** Nothing brings back a folder that is gone, or lies below another disk now. */
    private void requireFolder(IOException cause) {
        if (!Files.exists(file.path)) {
            throw new UncheckedIOException(new JournalLostException("the files of the journal are gone", cause));
        }
    }

    private void enter(JournalState next, IOException cause) {
        if (state != next) {
            if (cause == null) {
                LOG.info("journal: {}, {} bytes on the disk", next.code(), keptBytes());
            } else {
                LOG.warn("{}: reading waits: {}", next.code(), cause.toString());
            }
            state = next;
        }
    }

    /**
     * Appends one record: a slice of the body.
     *
     * @throws UncheckedIOException when its room can't be taken: the journal ends inside a transaction then
     */
    void append(byte kind, int flags, int hash, int sequence, long lsn, Body body, int offset, int bodyLength) {
        try {
            if (bytesInFile >= fileBytes) {
                cutFile();
            } else if (file.needsMore()) {
                takeMore();
            }
        } catch (IOException e) {
            requireFolder(e);
            throw new UncheckedIOException(e);
        }
        inside = true;
        put(encoder.encode(kind, flags, hash, sequence, lsn, body, offset, bodyLength));
    }

    /** The last record ended a transaction. */
    void committed(long endLsn) {
        this.endLsn = endLsn;
        file.endLsn = endLsn;
        outside();
    }

    /** The last record gave one up. */
    void abandoned() {
        outside();
    }

    private void outside() {
        inside = false;
        if (releasedInside) {
            releasedInside = false;
            releasedLsn = endLsn;
        }
    }

    private void put(int length) {
        try (var document = appender.writingDocument()) {
            Bytes<?> bytes = document.wire().bytes();
            lastPosition = bytes.writePosition();
            bytes.write(encoder.array(), 0, length);
        }
        file.filledTo(lastPosition + length);
        bytesInFile += length;
        appendedBytes.lazySet(appendedBytes.get() + length);
    }

    private void putFileRecord() {
        int flags = inside ? RecordLayout.FLAG_INSIDE_TRANSACTION : 0;
        put(encoder.encode(RecordLayout.KIND_FILE, flags, 0, 0, endLsn, Body.NONE, 0, 0));
    }

    /** A version of a policy, from here on. */
    void inForce(String collection, byte[] body) {
        inForce.put(collection, body);
    }

    /** Says what is in force. */
    void putInForce() {
        for (byte[] each : inForce.values()) {
            put(encoder.encode(
                    RecordLayout.KIND_IN_FORCE, 0, 0, 0, endLsn, new Body(each, each.length, null), 0, each.length));
        }
    }

    private void takeMore() throws IOException {
        long before = file.takenBytes();
        file.takeMore(stepBytes, disk);
        kept(file.takenBytes() - before);
    }

    private JournalFile newFile(int cycle) throws IOException {
        Path path = folder.resolve(
                FILE_NAME.format(Instant.ofEpochMilli((long) cycle * CYCLE.lengthInMillis())) + FILE_SUFFIX);
        try {
            JournalFile made = JournalFile.create(path, cycle, endLsn, stepBytes, disk);
            files.add(made);
            kept(made.takenBytes());
            return made;
        } catch (JournalDiskFullException e) {
            // Tried again under the same name.
            Files.deleteIfExists(path);
            throw e;
        }
    }

    private void cutFile() throws IOException {
        JournalFile next = newFile(file.cycle + 1);
        file.endsInside = inside;
        file = next;
        bytesInFile = 0;
        clockMillis.addAndGet(CYCLE.lengthInMillis());
        putFileRecord();
        putInForce();
    }

    private void kept(long moreBytes) {
        keptBytes.lazySet(keptBytes.get() + moreBytes);
    }

    // Deleting --------------------------------------------------------------------------------------------------------

    private long oldestReadCycle() {
        long oldest = file.cycle;
        for (int i = 0; i < readerCycles.length(); i++) {
            oldest = Math.min(oldest, readerCycles.get(i));
        }
        return oldest;
    }

    private void deleteWritten() throws IOException {
        long oldestRead = oldestReadCycle();
        long written = persistedLsn.getAsLong();
        while (files.peekFirst().cycle < oldestRead && files.peekFirst().isWritten(written)) {
            delete(files.removeFirst());
        }
    }

    /** Gives up what is merged but not written, where nobody counts on it: the slot will send it again. */
    private void deleteMerged() throws IOException {
        long oldestRead = oldestReadCycle();
        boolean toldIsWritten = !Lsn.isBefore(persistedLsn.getAsLong(), pointLsn);
        Iterator<JournalFile> each = files.iterator();
        while (keptBytes() >= maxBytes && each.hasNext()) {
            JournalFile next = each.next();
            if (next.cycle < oldestRead && (toldIsWritten || !Lsn.isBefore(next.startLsn, pointLsn))) {
                each.remove();
                delete(next);
                releasedLsn = endLsn;
                releasedInside |= inside;
            }
        }
    }

    private void delete(JournalFile old) throws IOException {
        Files.deleteIfExists(old.path);
        kept(-old.takenBytes());
    }

    // Syncing ---------------------------------------------------------------------------------------------------------

    /**
     * What must be forced before the slot may be told {@code lsn}, or null when it can't be: inside a transaction, or as
     * long as something is not written that the journal holds no more.
     *
     * @param lsn such that every commit before it was appended
     */
    public SyncPoint point(long lsn) {
        if (inside || releasedInside || Lsn.isBefore(persistedLsn.getAsLong(), releasedLsn)) {
            return null;
        }
        List<Path> unsynced = new ArrayList<>();
        for (JournalFile each : files) {
            if (each.cycle >= syncedCycle) {
                unsynced.add(each.path);
            }
        }
        pointLsn = Lsn.max(pointLsn, lsn);
        return new SyncPoint(
                lsn, encoder.lastNumber(), encoder.lastChecksum(), lastPosition, List.copyOf(unsynced), file.cycle);
    }

    /**
     * Makes it true that the slot may be told the point's LSN: forces the records, then says so in the header, which is
     * forced too. Blocks; one thread, any.
     *
     * @throws JournalLostException when the files are not the ones that were written to
     */
    public void sync(SyncPoint point) throws IOException {
        point.force();
        home.confirm(point);
        syncedCycle = point.lastCycle();
    }

    /** Call it when neither the writer nor a reader is in use any more. */
    @Override
    public void close() {
        appender.close();
        queue.close();
        home.close();
    }
}
