package dev.walmerge.engine.journal;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.Policy;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives what an earlier journal holds to a new one, as the slot would have. First everything is verified, and nothing is
 * used of a journal that has one fault. Single thread.
 */
public final class JournalReplay implements AutoCloseable {
    private final Path folder;
    private final long confirmedLsn;
    private final long confirmedNumber;
    private List<Path> files;
    private long writtenLsn;
    private long endLsn;
    private Feed feed;

    JournalReplay(Path folder, long confirmedLsn, long confirmedNumber) {
        this.folder = folder;
        this.confirmedLsn = confirmedLsn;
        this.confirmedNumber = confirmedNumber;
        this.endLsn = confirmedLsn;
    }

    /** The slot need not send again what committed before. */
    public long confirmedLsn() {
        return confirmedLsn;
    }

    /**
     * Ends before the transactions that the slot sends all the same, because what it was told last got lost: the server's
     * word needs no trust in our files. Before the first {@link #step}.
     *
     * @param lsn where the slot stands now that nobody else can move it
     * @throws JournalLostException when it was told of more than is here
     */
    public void endAt(long lsn) throws JournalLostException {
        requireUpTo(lsn);
        endLsn = lsn;
    }

    void requireUpTo(long slotLsn) throws JournalLostException {
        if (Lsn.isBefore(confirmedLsn, slotLsn)) {
            throw new JournalLostException(
                    "the slot is at " + Lsn.format(slotLsn) + ", the journal ends at " + Lsn.format(confirmedLsn));
        }
    }

    /** That every record after {@code writtenLsn} is there and whole. */
    void verify(long writtenLsn) throws JournalLostException {
        this.writtenLsn = writtenLsn;
        try {
            files = files();
            verifyRecords(writtenLsn);
        } catch (CorruptJournalException e) {
            throw new JournalLostException(e.getMessage(), e);
        } catch (JournalLostException e) {
            throw e;
        } catch (IOException e) {
            throw new JournalLostException("the journal can't be read: " + e, e);
        }
    }

    private List<Path> files() throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> each = Files.newDirectoryStream(folder, "*" + Journal.FILE_SUFFIX)) {
            each.forEach(found::add);
        }
        // Their names are hours, so that their order is that of time.
        Collections.sort(found);
        return found;
    }

    private void verifyRecords(long writtenLsn) throws IOException {
        RecordDecoder decoder = new RecordDecoder(null);
        long expected = RecordFile.END;
        boolean beginsInside = false;
        for (Path path : files) {
            try (RecordFile file = new RecordFile(path)) {
                boolean first = true;
                for (int length = file.next(); length != RecordFile.END; length = file.next()) {
                    decoder.check(file.array(), length);
                    if (first && decoder.kind() != RecordLayout.KIND_FILE) {
                        throw new JournalLostException("a file of the journal does not begin as one");
                    }
                    if (expected == RecordFile.END) {
                        requireStart(decoder, writtenLsn);
                        beginsInside = decoder.has(RecordLayout.FLAG_INSIDE_TRANSACTION);
                    } else if (decoder.number() != expected) {
                        throw new JournalLostException(
                                "the journal has no record " + expected + ", but " + decoder.number());
                    }
                    if (beginsInside && endsTransaction(decoder)) {
                        beginsInside = false;
                        requireWritten(decoder, writtenLsn);
                    }
                    if (decoder.number() == confirmedNumber) {
                        return;
                    }
                    expected = decoder.number() + 1;
                    first = false;
                }
            }
        }
        throw new JournalLostException("the journal ends before record " + confirmedNumber);
    }

    private static void requireStart(RecordDecoder decoder, long writtenLsn) throws JournalLostException {
        if (Lsn.isBefore(writtenLsn, decoder.lsn())) {
            throw new JournalLostException("the journal begins at " + Lsn.format(decoder.lsn())
                    + ", after what is written, " + Lsn.format(writtenLsn));
        }
    }

    private static boolean endsTransaction(RecordDecoder decoder) {
        return decoder.kind() == RecordLayout.KIND_COMMIT || decoder.kind() == RecordLayout.KIND_ABANDON;
    }

    /** A transaction whose beginning is in no file. An abandoned one comes again, whole. */
    private static void requireWritten(RecordDecoder decoder, long writtenLsn) throws JournalLostException {
        if (decoder.kind() == RecordLayout.KIND_COMMIT && Lsn.isBefore(writtenLsn, decoder.lsn())) {
            throw new JournalLostException("the journal begins inside a transaction that is not written");
        }
    }

    /**
     * Gives the next record to the sink, which ignores what is written.
     *
     * @return false when there was none any more
     */
    public boolean step(OpSink sink) throws IOException {
        if (feed == null) {
            feed = new Feed(sink);
        }
        return feed.step();
    }

    @Override
    public void close() throws IOException {
        if (feed != null) {
            feed.close();
        }
    }

    private final class Feed implements JournalHandler {
        private final OpSink sink;
        private final RecordDecoder decoder = new RecordDecoder(this);
        /** The policies of the first transaction that is not written; null after it began. */
        private Map<String, Policy> inForce = new HashMap<>();

        private int next;
        private RecordFile file;
        /** Inside a transaction that began in a file that is gone: it is written, or was abandoned. */
        private boolean skipping;

        private boolean started;
        private boolean ended;
        private boolean open;

        Feed(OpSink sink) {
            this.sink = sink;
        }

        boolean step() throws IOException {
            if (ended) {
                return false;
            }
            if (file == null) {
                file = new RecordFile(files.get(next++));
            }
            int length = file.next();
            if (length == RecordFile.END) {
                close();
                return true;
            }
            decoder.check(file.array(), length);
            if (belongsToATransaction() && !Lsn.isBefore(decoder.lsn(), endLsn)) {
                ended = true;
                return false;
            }
            if (!started) {
                started = true;
                skipping = decoder.has(RecordLayout.FLAG_INSIDE_TRANSACTION);
            }
            if (skipping) {
                skipping = !endsTransaction(decoder);
                if (decoder.kind() == RecordLayout.KIND_POLICY || decoder.kind() == RecordLayout.KIND_IN_FORCE) {
                    decoder.decode(file.array(), length);
                }
            } else {
                decoder.decode(file.array(), length);
            }
            ended = decoder.number() == confirmedNumber;
            return true;
        }

        /** Its LSN is then where the commit starts, as that by which the server knows what to send. */
        private boolean belongsToATransaction() {
            return switch (decoder.kind()) {
                case RecordLayout.KIND_FILE,
                        RecordLayout.KIND_IN_FORCE,
                        RecordLayout.KIND_COMMIT,
                        RecordLayout.KIND_ABANDON -> false;
                default -> true;
            };
        }

        private void begin() {
            if (!open) {
                open = true;
                sink.begin(decoder.lsn(), 0);
                if (inForce != null && !Lsn.isBefore(decoder.lsn(), writtenLsn)) {
                    inForce.forEach(sink::policy);
                    inForce = null;
                }
            }
        }

        @Override
        public void inForce(String collection, Policy policy) {
            if (inForce != null) {
                inForce.put(collection, policy);
            }
        }

        @Override
        public void op(long commitLsn, int sequence, int hash, Op op) {
            begin();
            sink.op(op);
        }

        @Override
        public void barrier(String doc) {
            begin();
            sink.barrier(doc);
        }

        @Override
        public void command(long commitLsn, Command command) {
            begin();
            sink.command(command);
        }

        @Override
        public void policy(String collection, Policy policy) {
            inForce(collection, policy);
            if (!skipping) {
                begin();
                sink.policy(collection, policy);
            }
        }

        @Override
        public void commit(long endLsn, boolean hasOps, boolean hasBarrier) {
            if (open) {
                sink.commit(endLsn);
            }
            open = false;
        }

        @Override
        public void abandon() {
            // The sink gives up what is open when the next one begins.
            open = false;
        }

        void close() throws IOException {
            if (file != null) {
                file.close();
                file = null;
            }
        }
    }
}
