package dev.walmerge.engine.journal;

import dev.walmerge.engine.Lsn;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one slot's journal: a lock, a header, and a numbered folder for each journal. A new one begins at
 * every start; the one before it stays until what the slot was told of it is written, or in the new one.
 *
 * <pre>
 *  journal.lock     held by the engine that uses the directory
 *  journal.header   {@link Header}: whose it is, which folder counts, and up to where
 *  1/ 2/ ...        files of Chronicle Queue
 * </pre>
 *
 * <p>Thread-safe. The order at the start is {@link #open}, {@link #replay}, take-over, {@link #claim}, and the journal.
 */
public final class JournalHome implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JournalHome.class);
    private static final String LOCK_FILE = "journal.lock";

    private final Path directory;
    private final String owner;
    private final FileChannel lock;
    private final HeaderFile file;
    private Header header;
    private JournalReplay replay;
    private long newFolder;
    private boolean nonceUnknown;

    private JournalHome(Path directory, String owner, FileChannel lock, HeaderFile file, Header header) {
        this.directory = directory;
        this.owner = owner;
        this.lock = lock;
        this.file = file;
        this.header = header;
    }

    /**
     * Takes the directory and looks what an earlier process left there.
     *
     * @param directory its own; made if it is not there
     * @param systemIdentifier with {@code timeline} and {@code slot} what the positions in the journal belong to
     * @throws JournalInUseException when another engine uses it
     */
    public static JournalHome open(Path directory, String systemIdentifier, int timeline, String slot)
            throws IOException {
        Files.createDirectories(directory);
        FileChannel lock = lock(directory);
        HeaderFile file = null;
        try {
            file = HeaderFile.open(directory);
            String owner = systemIdentifier + '/' + timeline + '/' + slot;
            return new JournalHome(directory, owner, lock, file, file.read());
        } catch (IOException e) {
            lock.close();
            if (file != null) {
                file.close();
            }
            throw e;
        }
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

    /**
     * What must be read from here, because the slot was told of it before it was written.
     *
     * @param nonce of the progress row
     * @param writtenLsn of the progress row
     * @param confirmedLsn what the slot was told last; more than {@code writtenLsn}
     * @return null when all that was promised from here is written
     * @throws JournalLostException when something is missing or damaged, or the journal is not the one that the progress
     *     row knows: then only the op rows hold everything
     */
    public synchronized JournalReplay replay(UUID nonce, long writtenLsn, long confirmedLsn)
            throws JournalLostException {
        if (header == null) {
            throw new JournalLostException("there is no journal in " + directory);
        }
        if (!header.owner().equals(owner)) {
            throw new JournalLostException("the journal is of " + header.owner() + ", not of " + owner);
        }
        if (!header.nonces().contains(nonce)) {
            throw new JournalLostException("the progress row is not the one that this journal knows");
        }
        if (!Lsn.isBefore(writtenLsn, header.confirmedLsn())) {
            return null;
        }
        JournalReplay found =
                new JournalReplay(folder(header.folder()), header.confirmedLsn(), header.confirmedNumber());
        found.requireUpTo(confirmedLsn);
        found.verify(writtenLsn);
        replay = found;
        return found;
    }

    /**
     * Makes it the journal of this session. What an earlier one left goes, but for what is to be replayed.
     *
     * @param nonce what the progress row holds since the take-over
     */
    public synchronized void claim(UUID nonce) throws IOException {
        List<Long> folders = folders();
        newFolder = header == null ? 1 : header.folder() + 1;
        for (long number : folders) {
            newFolder = Math.max(newFolder, number + 1);
        }
        header = replay == null
                ? new Header(newFolder, 0, 0, owner, List.of(nonce))
                : new Header(header.folder(), header.confirmedLsn(), header.confirmedNumber(), owner, List.of(nonce));
        write(true);
        for (long number : folders) {
            if (number != header.folder()) {
                delete(number);
            }
        }
        Files.createDirectories(folder(newFolder));
    }

    /** That of the journal that begins; claimed before. */
    Path newFolder() {
        return folder(newFolder);
    }

    /**
     * Before a write-back commits: from now on the progress row holds one of these. A header that can't be written is
     * not an error of write-back: the next start does without the journal.
     */
    public synchronized void expect(List<UUID> nonces) {
        header = header.withNonces(nonces);
        try {
            // While nothing is only here, nobody will ask after a crash of the machine.
            write(header.confirmedLsn() != 0);
            nonceUnknown = false;
        } catch (IOException e) {
            if (!nonceUnknown) {
                LOG.warn(
                        "the journal's header can't be written, a restart may have to read the tables: {}",
                        e.toString());
            }
            nonceUnknown = true;
        }
    }

    /** All up to the point is in the new journal and on the disk; what was before it may go. */
    void confirm(SyncPoint point) throws IOException {
        forceFolder(folder(newFolder));
        forceFolder(directory);
        settle(point.lsn(), point.number());
    }

    /** Nothing that the slot was told of is only here any more. */
    public void forget() throws IOException {
        settle(0, 0);
    }

    private synchronized void settle(long lsn, long number) throws IOException {
        long before = header.folder();
        header = header.confirmed(newFolder, lsn, number);
        write(true);
        if (before != newFolder) {
            replay = null;
            delete(before);
        }
    }

    /**
     * That nobody deleted what is in use. Open files live on without their names, so nothing else would tell, and the
     * next start would find no journal.
     *
     * @throws JournalLostException if the folder of the journal, or the header, is gone
     */
    public synchronized void requireThere() throws JournalLostException {
        if (Files.notExists(folder(newFolder)) || Files.notExists(directory.resolve(HeaderFile.NAME))) {
            throw new JournalLostException("its folder was deleted");
        }
    }

    /** Up to where the slot may have been told what is only here, 0 if nothing. */
    public synchronized long confirmedLsn() {
        return header.confirmedLsn();
    }

    /** Whether an earlier journal is kept, for what is to be replayed. */
    public synchronized boolean keepsEarlier() {
        return header.folder() != newFolder;
    }

    private void write(boolean forced) throws IOException {
        file.write(header);
        if (forced) {
            file.force();
        }
    }

    private static void forceFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private Path folder(long number) {
        return directory.resolve(Long.toString(number));
    }

    private List<Long> folders() throws IOException {
        List<Long> numbers = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            for (Path each : all) {
                String name = each.getFileName().toString();
                if (name.matches("[1-9][0-9]{0,17}")) {
                    numbers.add(Long.parseLong(name));
                }
            }
        }
        return numbers;
    }

    private void delete(long number) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder(number))) {
            for (Path each : files) {
                Files.delete(each);
            }
            Files.delete(folder(number));
        } catch (NotDirectoryException | java.nio.file.NoSuchFileException e) {
            // Gone already.
        }
    }

    @Override
    public synchronized void close() {
        try {
            file.close();
            lock.close();
        } catch (IOException e) {
            LOG.warn("the journal's lock can't be released: {}", e.toString());
        }
    }
}
