package dev.walmerge.sidecar;

import dev.walmerge.engine.Lsn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.postgresql.replication.LogSequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small file that says how far the slot was told to go while nothing was left to write. The progress row can't say it:
 * to write it there would make WAL, and so on for ever. A slot that is past what is written, and past what is here, was
 * moved or made anew by somebody else, and skips ops.
 *
 * <p>What it says holds as long as the progress row keeps its nonce. Losing it costs a resync, never an op; so it is not
 * forced to the disk. The reader's thread offers, another one keeps.
 */
final class IdleMark {
    private static final Logger LOG = LoggerFactory.getLogger(IdleMark.class);

    private final Path file;
    private volatile long offeredLsn;
    private volatile long keptLsn;
    private UUID keptNonce;
    private boolean failed;

    IdleMark(Path file) {
        this.file = file;
    }

    /** Everything up to here was read and is written, or held nothing for us. Any thread, one at a time. */
    void offer(long lsn) {
        offeredLsn = lsn;
    }

    long offeredLsn() {
        return offeredLsn;
    }

    /** What the slot may be told. Any thread. */
    long keptLsn() {
        return keptLsn;
    }

    /** @param nonce of the progress row, read after {@code lsn} was offered */
    void keep(long lsn, UUID nonce) {
        if (!Lsn.isBefore(keptLsn, lsn) && nonce.equals(keptNonce)) {
            return;
        }
        try {
            Files.createDirectories(file.getParent());
            Path next = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(next, nonce + " " + LogSequenceNumber.valueOf(lsn).asString() + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            keptNonce = nonce;
            keptLsn = Lsn.max(keptLsn, lsn);
            failed = false;
        } catch (IOException e) {
            if (!failed) {
                // The slot then is told only what is written.
                LOG.warn(
                        "{} can't be written ({}): an idle slot holds back WAL",
                        file,
                        e.getClass().getSimpleName());
            }
            failed = true;
        }
    }

    /** How far the slot may be without having skipped anything, by an earlier session's word; 0 if there is none. */
    static long read(Path file, UUID nonce) {
        try {
            String[] words = new String(Files.readAllBytes(file), StandardCharsets.US_ASCII)
                    .strip()
                    .split(" ", -1);
            return words.length == 2 && words[0].equals(String.valueOf(nonce))
                    ? LogSequenceNumber.valueOf(words[1]).asLong()
                    : 0;
        } catch (IOException e) {
            return 0;
        }
    }
}
