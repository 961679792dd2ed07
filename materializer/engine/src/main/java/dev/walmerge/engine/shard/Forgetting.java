package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Patience;
import dev.walmerge.engine.writeback.CommandDone;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.Entry;
import dev.walmerge.engine.writeback.Erasure;
import dev.walmerge.engine.writeback.StoredDocument;
import dev.walmerge.engine.writeback.Tombstone;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What becomes of a document that is forgotten, and revived. In memory that happens where the command stands among the ops;
 * in the tables by an {@link Erasure}, which is handed over before anything else of the document, and alone.
 *
 * <p>Positions make a repetition harmless. A tombstone that is in force stands at least at the end of the commit that
 * forgot; one that is lifted, at the end of the commit before the one that revived. So ops of what was forgotten, sent once
 * more, are skipped; ops after the revival are not. Single thread.
 */
final class Forgetting {
    private final Residents residents;
    private final DocumentList dirty;
    private final InFlight inFlight;
    private final Predicate<String> isCollection;
    private final Consumer<Entry> entries;
    private final Consumer<ResidentDocument> changed;

    /**
     * @param isCollection whether there is one of that name
     * @param entries where it is said that a command was carried out that leaves nothing to write
     * @param changed told of a document that has something to write
     */
    Forgetting(
            Residents residents,
            DocumentList dirty,
            InFlight inFlight,
            Predicate<String> isCollection,
            Consumer<Entry> entries,
            Consumer<ResidentDocument> changed) {
        this.residents = residents;
        this.dirty = dirty;
        this.inFlight = inFlight;
        this.isCollection = isCollection;
        this.entries = entries;
        this.changed = changed;
    }

    /** Whether not even the bytes of a bad op are kept, because it is of a forgotten document. */
    boolean drops(Op op, int hash, long commitLsn) {
        return canBe(op.collection(), op.doc())
                && residents
                        .get(new DocumentKey(op.collection(), op.doc()), hash)
                        .drops(commitLsn);
    }

    private boolean canBe(String collection, String doc) {
        return isCollection.test(collection) && !OpMerger.isTooLong(doc);
    }

    /**
     * Carries a command about a document of this shard out.
     *
     * @param commitLsn where its commit starts
     * @param lastEndLsn where the commit before it ended
     */
    void carryOut(Command command, int hash, long commitLsn, long lastEndLsn) {
        ResidentDocument document = canBe(command.collection(), command.doc())
                ? residents.get(new DocumentKey(command.collection(), command.doc()), hash)
                : null;
        if (document == null || !carryOut(document, command, commitLsn, lastEndLsn)) {
            entries.accept(new CommandDone(command.id()));
            return;
        }
        if (document.forgotten) {
            residents.owed().written(document);
        }
        changed.accept(document);
        residents.resized(document);
    }

    /** Returns whether there is something to write; otherwise it was carried out before. */
    private static boolean carryOut(ResidentDocument document, Command command, long commitLsn, long lastEndLsn) {
        if (Lsn.isBefore(commitLsn, document.loadedLsn)) {
            return false;
        }
        if (command.name().equals(Command.FORGET)) {
            document.forgetContent();
            document.forgotten = true;
            document.erasure = new Erasure(document.key, true, true, 0, commands(document, command), false);
            return true;
        }
        if (!document.forgotten) {
            return false;
        }
        document.forgotten = false;
        boolean isDeleting = document.erasure != null && document.erasure.isDeleting();
        document.erasure = new Erasure(document.key, isDeleting, false, lastEndLsn, commands(document, command), false);
        document.rowsRetry = null;
        return true;
    }

    private static List<Long> commands(ResidentDocument document, Command command) {
        List<Long> commands = new ArrayList<>(document.erasure == null ? List.of() : document.erasure.commands());
        commands.add(command.id());
        return commands;
    }

    /** Hands over what is to be written of the document, whose earlier writes are committed. */
    void erase(ResidentDocument document, long lastEndLsn) {
        Erasure erasure = document.erasure;
        document.erasing = erasure.isInForce() ? erasure.at(lastEndLsn) : erasure;
        document.erasure = null;
        document.inFlight = true;
        inFlight.submit(Submission.of(document, document.erasing));
        // Who waits for ops of after a revival waits on.
        if (document.dirty && document.uncountedOps == 0) {
            document.dirty = false;
            document.urgent = null;
            dirty.remove(document);
        }
    }

    /** It is committed. */
    static void settle(ResidentDocument document, Submission done, long nowNanos, Patience patience) {
        Erasure erasing = document.erasing;
        document.erasing = null;
        if (done.rows == null) {
            document.rowsRetry = null;
            return;
        }
        // The tombstone stands, the rows are still there.
        if (document.erasure == null) {
            document.erasure = erasing.again();
            document.rowsRetry = document.rowsRetry == null ? new Retry() : document.rowsRetry;
            document.rowsRetry.refused(nowNanos, patience, true);
        } else if (!document.erasure.isDeleting()) {
            Erasure next = document.erasure;
            document.erasure =
                    new Erasure(next.key(), true, next.isInForce(), next.mergedLsn(), next.commands(), false);
        }
    }

    /** Takes over what is stored of it; false if that is a document that is to be read. */
    static boolean restore(ResidentDocument document, StoredDocument stored) {
        Tombstone tombstone = stored.tombstone();
        if (tombstone == null) {
            return false;
        }
        document.forgotten = tombstone.isInForce();
        document.forgottenLsn = tombstone.mergedLsn();
        document.loadedLsn = stored.mergedLsn();
        if (document.forgotten && !tombstone.isErased()) {
            document.erasure = new Erasure(document.key, true, true, 0, List.of(), true);
            document.rowsRetry = new Retry();
        }
        return document.forgotten || stored.isEmpty();
    }
}
