package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.journal.JournalHandler;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.Entry;
import dev.walmerge.engine.writeback.StalenessBound;
import dev.walmerge.engine.writeback.StoredDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * The single owner of its documents: merges what the journal hands it, and decides what is written when. It knows no
 * thread and no clock: the caller says what time it is.
 *
 * <p>A document that changed remembers where the commit before the first unwritten one ended, its floor. Dirty documents
 * stand in a list in the order they became dirty, so the first one's floor is the smallest, and everything up to it is
 * written once what is in flight is.
 */
final class Shard implements JournalHandler {
    /** Not a retried dead letter. */
    private static final long NO_LETTER = -1;

    private final EngineSettings settings;
    private final Outbox outbox;
    private final InFlight inFlight;
    private final ShardCounters counters;
    private final OpMerger merger;
    private final WriteBuilder builder;
    private final Residents residents;
    private final Repairs repairs;
    final Orders orders;
    private final Forgetting forgetting;
    private final Relief relief;
    private final int number;
    private final Policies policies;

    private final DueHeap timers = new DueHeap();
    private final DocumentList dirty = new DocumentList();
    /** Documents that the open transaction changed. */
    private final List<ResidentDocument> touched = new ArrayList<>();

    private final OpenEntries openEntries;

    private long nowNanos;
    private long lastEndLsn;
    private long progressLsn;
    private long urgentLsn;
    private boolean barrier;
    private String barrierDoc;
    private boolean behind;
    private ResidentDocument reprojected;

    /**
     * @param startLsn up to which everything is written already
     * @param policies in force at the start; a version that comes through the journal is put there too, for others
     * @param loader what is stored of a document, or null; called on the shard's thread
     * @param letters where dead letters are read, on that thread too
     * @param number of this shard, from 0; the first one says that commands are carried out
     */
    Shard(
            EngineSettings settings,
            Outbox outbox,
            ShardCounters counters,
            long startLsn,
            Map<String, Policy> policies,
            Function<DocumentKey, StoredDocument> loader,
            LetterCommands.Letters letters,
            int number,
            Core core) {
        this.settings = settings;
        this.outbox = outbox;
        this.inFlight = new InFlight(outbox, settings.inFlightMaxBytes());
        this.openEntries = new OpenEntries(inFlight, counters);
        this.counters = counters;
        this.lastEndLsn = startLsn;
        counters.mergedLsn.set(startLsn);
        this.progressLsn = startLsn;
        this.urgentLsn = startLsn;
        this.policies = new Policies(policies);
        this.merger = new OpMerger(settings, core);
        this.builder = new WriteBuilder(merger, core);
        this.residents = new Residents(loader, merger, settings.memoryBytes() / settings.shards(), timers);
        this.number = number;
        EarlyLetters early = new EarlyLetters(residents, merger, this.policies::get);
        this.orders = new Orders(
                new LetterCommands(letters, this::retry, openEntries::add, early), openEntries::add, number == 0);
        this.forgetting =
                new Forgetting(residents, dirty, inFlight, this.policies::has, openEntries::add, this::tombstone);
        this.relief = new Relief(residents, dirty, inFlight, document -> flush(document, false));
        this.repairs = new Repairs(merger, builder, residents, settings.patience());
    }

    // What the journal says -------------------------------------------------------------------------------------------

    @Override
    public void op(long commitLsn, int sequence, int hash, Op op) {
        ShardCounters.add(counters.ops, 1);
        Refusal refusal = merge(op, hash, commitLsn, NO_LETTER);
        if (refusal != null && !forgetting.drops(op, hash, commitLsn)) {
            openEntries.add(refusal.letter(op, sequence));
        }
    }

    /**
     * Merges an op, unless the document holds it already or is forgotten.
     *
     * @param letterId of the dead letter that it was so far, or {@link #NO_LETTER}
     */
    private Refusal merge(Op op, int hash, long commitLsn, long letterId) {
        FlushPolicy policy = policies.get(op.collection());
        Refusal refusal = merger.check(op, policy == null ? null : policy.policy());
        if (refusal != null) {
            return refusal;
        }
        ResidentDocument document = residents.get(new DocumentKey(op.collection(), op.doc()), hash);
        boolean held = letterId == NO_LETTER
                // The rows that were loaded hold it: a commit that starts before the end of another ends there too.
                ? Lsn.isBefore(commitLsn, document.loadedLsn)
                : document.isMerged(letterId);
        if (held || document.forgotten) {
            if (document.erasure != null) {
                // Refused to another process, perhaps: whatever is in memory sees to itself.
                schedule(document);
            }
            return null;
        }
        if (document.corrupt) {
            return corrupt(document);
        }
        String format = OpMerger.formatOf(op, policy.policy());
        refusal = repairs.merge(document, op, format);
        if (refusal == null || merger.changed()) {
            document.raw.add(format, op.payload());
            merged(document, letterId == NO_LETTER);
        }
        if (refusal == null && letterId != NO_LETTER) {
            document.noteMerged(letterId);
        }
        residents.resized(document);
        return refusal;
    }

    @Override
    public void command(long commitLsn, Command command) {
        if (command.isAboutTombstone()) {
            int hash = DocumentHash.of(command.collection(), command.doc());
            if (isMine(hash)) {
                forgetting.carryOut(command, hash, commitLsn, lastEndLsn);
            }
            return;
        }
        orders.take(command);
    }

    private void tombstone(ResidentDocument document) {
        markDirty(document);
        touch(document);
    }

    private Refusal retry(Op op, long letterId) {
        return merge(op, DocumentHash.of(op.collection(), op.doc()), lastEndLsn, letterId);
    }

    /** @param isOp whether it comes again if its transaction does: a dead letter is gone once it is merged */
    private void merged(ResidentDocument document, boolean isOp) {
        Failpoint.AFTER_MERGE.reach();
        ShardCounters.add(counters.merged, 1);
        document.opCount++;
        document.uncountedOps++;
        document.openOps += isOp ? 1 : 0;
        document.contentChanged |= merger.changed();
        document.lastOpNanos = nowNanos;
        markDirty(document);
        touch(document);
    }

    private void touch(ResidentDocument document) {
        if (!document.touched) {
            document.touched = true;
            touched.add(document);
            timers.remove(document);
        }
    }

    private void markDirty(ResidentDocument document) {
        if (!document.dirty) {
            document.dirty = true;
            document.firstDirtyNanos = nowNanos;
            document.floorLsn = lastEndLsn;
            residents.removeClean(document);
            dirty.append(document);
        }
    }

    /** The first op also flags the document's row. */
    private Refusal corrupt(ResidentDocument document) {
        schedule(document);
        return Refusal.of(document.corruptRule, "the document is out of order, see its row");
    }

    @Override
    public void barrier(String doc) {
        // Two of them in one transaction ask for everything.
        barrierDoc = barrier && !Objects.equals(doc, barrierDoc) ? null : doc;
        barrier = true;
    }

    @Override
    public void policy(String collection, Policy policy) {
        policies.put(collection, policy);
        scheduleDirty();
    }

    @Override
    public void commit(long endLsn, boolean hasOps, boolean hasBarrier) {
        if (Lsn.isBefore(endLsn, lastEndLsn)) {
            throw new IllegalStateException(
                    "commits went backward, from " + Lsn.format(lastEndLsn) + " to " + Lsn.format(endLsn));
        }
        openEntries.submit(endLsn);
        releaseTouched(endLsn, true);
        lastEndLsn = endLsn;
        if (hasOps || hasBarrier) {
            progressLsn = endLsn;
        }
        if (hasBarrier) {
            urgentLsn = endLsn;
        }
        if (barrier) {
            barrier = false;
            if (barrierDoc == null) {
                flushAll(StalenessBound.BARRIER);
            } else {
                flushNamed(barrierDoc);
            }
        }
    }

    @Override
    public void abandon() {
        // Ops that were merged come again and change nothing; refused ones are refused again.
        openEntries.abandon();
        barrier = false;
        releaseTouched(lastEndLsn, false);
    }

    private void releaseTouched(long endLsn, boolean isCommitted) {
        residents.owed().end(isCommitted, lastEndLsn);
        for (ResidentDocument document : touched) {
            if (document.evicted) {
                continue;
            }
            document.touched = false;
            document.endOps(isCommitted);
            document.stampParked(endLsn);
            if (document.uncountedOps > 0) {
                // It may have been written meanwhile, without them.
                markDirty(document);
            }
            schedule(document);
        }
        touched.clear();
    }

    // Flushing --------------------------------------------------------------------------------------------------------

    /**
     * Does what is due.
     *
     * @param behind whether the shard is far behind the slot
     * @param draining whether everything should be written now, because the process ends
     */
    void tick(long nowNanos, boolean behind, boolean draining) {
        this.nowNanos = nowNanos;
        if (behind != this.behind) {
            this.behind = behind;
            scheduleDirty();
        }
        if (draining && dirty.count() > 0) {
            flushAll(StalenessBound.SHUTDOWN);
        }
        relief.relieveMemory();
        relief.settleOwed();
        while (timers.nextDueNanos() <= nowNanos && inFlight.hasRoom()) {
            ResidentDocument document = timers.take();
            if (document.dirty) {
                flush(document, false);
            } else {
                tend(document);
            }
        }
        publish();
    }

    /** The time for ops merged before the next {@link #tick}. */
    void clock(long nowNanos) {
        this.nowNanos = nowNanos;
    }

    /** Takes back what is committed. */
    boolean takeWritten() {
        boolean any = false;
        for (Submission done = inFlight.takeWritten(); done != null; done = inFlight.takeWritten()) {
            any = true;
            if (done.document != null) {
                settle(done);
            }
        }
        return any;
    }

    private void settle(Submission done) {
        ResidentDocument document = done.document;
        document.inFlight = false;
        document.told = null;
        if (document.erasing != null) {
            Forgetting.settle(document, done, nowNanos, settings.patience());
        } else if (document.erasure == null) {
            // Else it was handed over before the document was forgotten.
            Settlement.settle(document, done, nowNanos, settings.patience());
        }
        if (!document.dirty) {
            residents.addClean(document);
        }
        schedule(document);
    }

    /** Looks after a document of which something was refused, unless it is in memory: those see to themselves. */
    void revisit(DocumentKey key, int hash) {
        if (residents.isResident(key) || residents.owed().isOwed(key)) {
            return;
        }
        ResidentDocument document = residents.get(key, hash);
        if (!document.corrupt && (document.rowsRetry != null || document.docsRetry != null)) {
            // At once: while memory is short, it would be evicted before its time came.
            tend(document);
        }
    }

    /** See {@link Reprojection.Documents#write}. */
    long reproject(DocumentKey key, int hash) {
        boolean spare = !behind && residents.excessBytes() <= 0 && inFlight.hasRoom();
        ResidentDocument document = spare ? residents.get(key, hash) : null;
        if (document == null || !document.isFree()) {
            return Reprojection.NOT_NOW;
        }
        if (document.corrupt || document.opCount == 0) {
            return 0;
        }
        reprojected = document;
        flush(document, false);
        return builder.walBytes();
    }

    /** Whether the documents handed over by {@link #reproject} are committed: they are in the order in which they were. */
    boolean isReprojected() {
        return reprojected == null || reprojected.evicted || !reprojected.inFlight;
    }

    void submit(Entry entry) {
        inFlight.submit(Submission.of(entry));
    }

    /** False while memory or write-back is full: the journal waits. */
    boolean canRead() {
        return !inFlight.isCrowded() && (inFlight.isEmpty() || residents.excessBytes() <= 0);
    }

    /** When the next {@link #tick} is needed if nothing else happens, or {@link DueHeap#NEVER}. */
    long nextDueNanos() {
        return inFlight.hasRoom() ? timers.nextDueNanos() : DueHeap.NEVER;
    }

    /** Whether something was submitted since the last call. */
    boolean takeSubmittedSomething() {
        return inFlight.takeSubmittedSomething();
    }

    /**
     * Writes one document, if only to say up to where its row holds everything. One that is unknown, or of which something
     * is refused, can't say so: whoever waits asks for all after a while.
     */
    private void flushNamed(String doc) {
        for (String collection : policies.names()) {
            int hash = DocumentHash.of(collection, doc);
            ResidentDocument document = isMine(hash) ? residents.get(new DocumentKey(collection, doc), hash) : null;
            if (document == null || document.opCount == 0 || !document.isWell()) {
                continue;
            }
            if (document.dirty || !document.isFree()) {
                markDirty(document);
                document.urgent = StalenessBound.BARRIER;
                schedule(document);
            } else {
                flush(document, false);
            }
        }
    }

    /** Marks every dirty document. */
    private void flushAll(StalenessBound why) {
        for (ResidentDocument document = dirty.head(); document != null; document = document.next) {
            if (document.urgent == null) {
                document.urgent = why;
                schedule(document);
            }
        }
    }

    private void scheduleDirty() {
        for (ResidentDocument document = dirty.head(); document != null; document = document.next) {
            schedule(document);
        }
    }

    private boolean isMine(int hash) {
        return Math.floorMod(hash, settings.shards()) == number;
    }

    private void schedule(ResidentDocument document) {
        if (!document.isFree() || document.evicted) {
            return;
        }
        timers.put(document, DueTime.of(document, policies.get(document.key.collection()), behind));
    }

    /** A clean document: what was refused is sent again, or its tail is folded. */
    private void tend(ResidentDocument document) {
        if (document.corrupt) {
            residents.removeClean(document);
            document.corruptFlagged = true;
            document.inFlight = true;
            inFlight.submit(Submission.of(document, builder.flagCorrupt(document)));
            return;
        }
        flush(document, true);
    }

    private void flush(ResidentDocument document, boolean foldWanted) {
        timers.remove(document);
        residents.removeClean(document);
        if (document.erasure != null) {
            forgetting.erase(document, lastEndLsn);
            return;
        }
        FlushPolicy policy = policies.get(document.key.collection());
        StalenessBound bound = document.lastBound;
        long stalenessMillis = document.lastStalenessMillis;
        if (document.dirty) {
            bound = document.urgent != null
                    ? document.urgent
                    : policy.bound(
                            document.firstDirtyNanos, document.lastOpNanos, policy.nextAllowedNanos(document), behind);
            stalenessMillis = (nowNanos - document.firstDirtyNanos) / 1_000_000;
        }
        document.stampParked(lastEndLsn);
        DocumentWrite write =
                repairs.build(document, policy.policy(), nowNanos, lastEndLsn, stalenessMillis, bound, foldWanted);
        document.flushedNanos = nowNanos;
        document.flushedWalBytes = builder.walBytes();
        document.inFlight = true;
        document.told = write;
        if (!builder.isIncomplete()) {
            residents.owed().written(document);
            if (document.dirty) {
                document.dirty = false;
                document.urgent = null;
                dirty.remove(document);
            }
        }
        residents.resized(document);
        ShardCounters.add(counters.flushes, 1);
        if (write.fold() != null) {
            ShardCounters.add(counters.folds, 1);
        }
        inFlight.submit(Submission.of(document, write));
    }

    private void publish() {
        ResidentDocument first = dirty.head();
        long safeLsn = first == null ? lastEndLsn : Lsn.min(first.floorLsn, lastEndLsn);
        // First: nobody may see more written than merged.
        counters.mergedLsn.lazySet(lastEndLsn);
        outbox.publish(residents.owed().limit(safeLsn), progressLsn, urgentLsn);
        counters.publish(dirty.count(), residents.count(), residents.bytes());
    }
}
