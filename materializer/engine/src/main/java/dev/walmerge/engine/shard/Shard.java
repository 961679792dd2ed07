package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.journal.JournalHandler;
import dev.walmerge.engine.writeback.CommandDone;
import dev.walmerge.engine.writeback.DeadLetter;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.Entry;
import dev.walmerge.engine.writeback.StalenessBound;
import dev.walmerge.engine.writeback.StoredDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single owner of its documents: merges what the journal hands it, and decides what is written when. It knows no
 * thread and no clock: the caller says what time it is.
 *
 * <p>A document that changed remembers where the commit before the first unwritten one ended, its floor. Dirty documents
 * stand in a list in the order they became dirty, so the first one's floor is the smallest, and everything up to it is
 * written once what is in flight is.
 */
final class Shard implements JournalHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Shard.class);
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
    private final LetterCommands commands;
    private final int number;
    private final Map<String, FlushPolicy> policies = new HashMap<>();
    /** What other threads may read of them. */
    private final Map<String, Policy> published;

    private final DueHeap timers = new DueHeap();
    private final DocumentList dirty = new DocumentList();
    /** Documents that the open transaction changed. */
    private final List<ResidentDocument> touched = new ArrayList<>();
    /** Dead letters of the open transaction, whose LSN is its end, and what its commands change of older ones. */
    private final List<Entry> openEntries = new ArrayList<>();

    private long nowNanos;
    private long lastEndLsn;
    private long progressLsn;
    private long urgentLsn;
    private boolean barrier;
    private String barrierDoc;
    private boolean behind;

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
        this.counters = counters;
        this.lastEndLsn = startLsn;
        counters.mergedLsn.set(startLsn);
        this.progressLsn = startLsn;
        this.urgentLsn = startLsn;
        this.published = policies;
        policies.forEach((name, policy) -> this.policies.put(name, new FlushPolicy(policy)));
        this.merger = new OpMerger(settings, core);
        this.builder = new WriteBuilder(merger, core);
        this.residents = new Residents(loader, merger, settings.memoryBytes() / settings.shards(), timers);
        this.number = number;
        EarlyLetters early = new EarlyLetters(residents, merger, this.policies::get);
        this.commands = new LetterCommands(letters, this::retry, openEntries::add, early);
        this.repairs = new Repairs(merger, builder, residents, settings.patience());
    }

    // What the journal says -------------------------------------------------------------------------------------------

    @Override
    public void op(long commitLsn, int sequence, int hash, Op op) {
        ShardCounters.add(counters.ops, 1);
        Refusal refusal = merge(op, hash, commitLsn, NO_LETTER);
        if (refusal != null) {
            openEntries.add(refusal.letter(op, sequence));
        }
    }

    /**
     * Merges an op, unless the document holds it already.
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
        if (held) {
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
        boolean known = commands.carryOut(command);
        if (!known) {
            LOG.warn("command {}: this version does not know {}", command.id(), command.name());
        } else if (number == 0) {
            openEntries.add(new CommandDone(command.id()));
        }
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
            if (residents.isClean(document)) {
                residents.removeClean(document);
            }
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
        policies.put(collection, new FlushPolicy(policy));
        published.put(collection, policy);
        scheduleDirty();
    }

    @Override
    public void commit(long endLsn, boolean hasOps, boolean hasBarrier) {
        if (Lsn.isBefore(endLsn, lastEndLsn)) {
            throw new IllegalStateException(
                    "commits went backward, from " + Lsn.format(lastEndLsn) + " to " + Lsn.format(endLsn));
        }
        for (Entry entry : openEntries) {
            if (entry instanceof DeadLetter letter) {
                inFlight.submit(Submission.of(letter.at(endLsn)));
                ShardCounters.add(counters.deadLetters, 1);
            } else {
                inFlight.submit(Submission.of(entry));
            }
        }
        openEntries.clear();
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
        openEntries.clear();
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
        relieveMemory();
        settleOwed();
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
        Settlement.settle(document, done, nowNanos, settings.patience());
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
        for (String collection : policies.keySet()) {
            int hash = DocumentHash.of(collection, doc);
            boolean mine = Math.floorMod(hash, settings.shards()) == number;
            ResidentDocument document = mine ? residents.get(new DocumentKey(collection, doc), hash) : null;
            if (document == null || document.opCount == 0 || !document.isWell()) {
                continue;
            }
            if (document.dirty || !document.isFree()) {
                markDirty(document);
                document.urgent = StalenessBound.BARRIER;
                schedule(document);
            } else {
                residents.removeClean(document);
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

    private void schedule(ResidentDocument document) {
        if (!document.isFree() || document.evicted) {
            return;
        }
        timers.put(document, DueTime.of(document, policyOf(document), behind));
    }

    private FlushPolicy policyOf(ResidentDocument document) {
        return policies.get(document.key.collection());
    }

    /** A clean document: what was refused is sent again, or its tail is folded. */
    private void tend(ResidentDocument document) {
        residents.removeClean(document);
        if (document.corrupt) {
            document.corruptFlagged = true;
            document.inFlight = true;
            inFlight.submit(Submission.of(document, builder.flagCorrupt(document)));
            return;
        }
        flush(document, true);
    }

    private void flush(ResidentDocument document, boolean foldWanted) {
        timers.remove(document);
        FlushPolicy policy = policyOf(document);
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

    /** Rests and evicts; if what is left is too much still, writes dirty documents early, even inside a transaction. */
    private void relieveMemory() {
        residents.relieve();
        if (!inFlight.isEmpty()) {
            // What is in flight can be evicted soon.
            return;
        }
        long excessBytes = residents.excessBytes();
        ResidentDocument document = dirty.head();
        while (document != null && excessBytes > 0 && inFlight.hasRoom()) {
            ResidentDocument next = document.next;
            if (!document.inFlight) {
                excessBytes -= document.residentBytes;
                document.urgent = StalenessBound.MEMORY;
                flush(document, false);
            }
            document = next;
        }
    }

    private void settleOwed() {
        while (residents.owed().isOwed() && residents.excessBytes() <= 0 && inFlight.hasRoom()) {
            DocumentKey key = residents.owed().next();
            ResidentDocument document = residents.get(key, DocumentHash.of(key.collection(), key.doc()));
            if (!document.isFree()) {
                return;
            }
            if (!document.dirty) {
                residents.removeClean(document);
            }
            flush(document, false);
        }
    }

    private void publish() {
        ResidentDocument first = dirty.head();
        long safeLsn = first == null ? lastEndLsn : Lsn.min(first.floorLsn, lastEndLsn);
        // First: nobody may see more written than merged.
        counters.mergedLsn.lazySet(lastEndLsn);
        outbox.publish(residents.owed().limit(safeLsn), progressLsn, urgentLsn);
        counters.dirtyDocuments.lazySet(dirty.count());
        counters.residentDocuments.lazySet(residents.count());
        counters.residentBytes.lazySet(residents.bytes());
    }
}
