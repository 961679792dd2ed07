package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Missing;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.crdt.Updates;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.writeback.ParkedUpdate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Merges one op into one document, or says why not. Single thread. */
final class OpMerger {
    /** The rule of those that come before too many others. */
    static final String OVERFLOW = "parked-overflow";

    private static final String FRAMED = "yjs-framed";
    /** A primary key can't hold much more: an index row fits a third of a page. */
    private static final int MAX_KEY_BYTES = 2048;

    private final EngineSettings settings;
    private final Core core;
    private final Frames frames = new Frames();
    private int flags;

    OpMerger(EngineSettings settings, Core core) {
        this.settings = settings;
        this.core = core;
    }

    /** What can be refused without the document. */
    Refusal check(Op op, Policy policy) {
        if (policy == null) {
            return Refusal.of("unknown-collection", "no collection of that name is declared");
        }
        if (isTooLong(op.doc())) {
            return Refusal.of("key-too-long", "the document key is longer than " + MAX_KEY_BYTES + " bytes");
        }
        if (op.payload() == null) {
            return Refusal.of("json-op-not-supported-yet", "JSON ops are not merged by this version");
        }
        if (op.payload().length > settings.maxPayloadBytes()) {
            return Refusal.of(
                    "update-too-large",
                    "the update has " + op.payload().length + " bytes, the limit is " + settings.maxPayloadBytes());
        }
        String format = formatOf(op, policy);
        return format.equals(FRAMED) || coreFormat(format) != null
                ? null
                : Refusal.of("unknown-format", "the declared format is none of yjs-v1, yjs-v2, yjs-framed");
    }

    static boolean isTooLong(String doc) {
        return doc.length() > MAX_KEY_BYTES / 4 && doc.getBytes(StandardCharsets.UTF_8).length > MAX_KEY_BYTES;
    }

    static String formatOf(Op op, Policy policy) {
        return op.format() == null ? policy.format() : op.format();
    }

    /**
     * Merges an op that passed {@link #check}. A refused op leaves the document as it was; an error of the core leaves one
     * that can't be trusted.
     *
     * @return null if it is merged or parked; see {@link #changed}
     */
    Refusal merge(ResidentDocument document, Op op, String format) {
        byte[] payload = op.payload();
        flags = 0;
        try {
            if (isFull(document, payload.length)
                    && waits(document.doc, format, payload)
                    && !makeRoom(document, payload.length)) {
                return overflow(document);
            }
            Refusal refusal = apply(document.doc, format, payload);
            if (refusal != null) {
                return refusal;
            }
        } catch (MalformedUpdateException e) {
            return malformed(e.rule(), e.getMessage(), payload, e.offset());
        }
        if ((flags & Doc.CONFLICT) != 0) {
            document.warning = "same-id-different-content: two updates define the same client and clock differently;"
                    + " the first one stands";
        }
        if ((flags & Doc.PARKED) != 0) {
            return park(document, format, payload, op.rowId());
        }
        if (document.parkedNew > 0 && !document.doc.hasPending()) {
            document.forgetNewParked();
        }
        return null;
    }

    /** Whether the last op merged changed the document. */
    boolean changed() {
        return (flags & Doc.CHANGED) != 0;
    }

    /** The last op was not merged after all. */
    void forget() {
        flags = 0;
    }

    /** Applies stored bytes to a document that is being loaded. */
    void restore(Doc doc, String format, byte[] payload) throws MalformedUpdateException {
        apply(doc, format, payload);
    }

    /** Whether nothing of a parked update waits any more. */
    boolean contains(Doc doc, ParkedUpdate parked) {
        try {
            return contains(doc, parked.format(), parked.payload());
        } catch (MalformedUpdateException e) {
            // It was decoded when it was parked.
            throw new IllegalStateException(e);
        }
    }

    /** Whether all of an op is merged; false for a format that there isn't. */
    boolean contains(Doc doc, String format, byte[] payload) throws MalformedUpdateException {
        if (!format.equals(FRAMED)) {
            UpdateFormat coreFormat = coreFormat(format);
            return coreFormat != null && doc.contains(coreFormat, payload, 0, payload.length);
        }
        boolean all = frames.cut(payload);
        for (int i = 0; all && i < frames.count(); i++) {
            all = doc.contains(UpdateFormat.V1, payload, frames.start(i), frames.length(i));
        }
        return all;
    }

    private Refusal apply(Doc doc, String format, byte[] payload) throws MalformedUpdateException {
        if (!format.equals(FRAMED)) {
            flags |= core.apply(doc, coreFormat(format), payload, 0, payload.length);
            return null;
        }
        if (!frames.cut(payload)) {
            return malformed("bad-frame", "a frame does not fit the payload", payload, frames.errorOffset());
        }
        int at = 0;
        try {
            // All or nothing: each frame is decoded once before the first one is merged.
            for (int i = 0; frames.count() > 1 && i < frames.count(); i++) {
                at = frames.start(i);
                doc.contains(UpdateFormat.V1, payload, at, frames.length(i));
            }
            for (int i = 0; i < frames.count(); i++) {
                at = frames.start(i);
                flags |= core.apply(doc, UpdateFormat.V1, payload, at, frames.length(i));
            }
            return null;
        } catch (MalformedUpdateException e) {
            return malformed(e.rule(), e.getMessage() + " of a frame", payload, at + e.offset());
        }
    }

    /**
     * Whether it would have to be parked: found out before it is merged only when there is no room, because the document
     * would go on holding what it waits with. Frames may need each other, so of those nobody can tell.
     */
    private static boolean waits(Doc doc, String format, byte[] payload) throws MalformedUpdateException {
        return !format.equals(FRAMED)
                && !Updates.missing(coreFormat(format), payload, doc.stateVector())
                        .isEmpty();
    }

    /** What a document lacks to merge an op; null where nobody can tell. */
    Missing missing(Doc doc, String format, byte[] payload) {
        try {
            return format.equals(FRAMED) ? null : Updates.missing(coreFormat(format), payload, doc.stateVector());
        } catch (MalformedUpdateException e) {
            // It was decoded when it was refused.
            throw new IllegalStateException(e);
        }
    }

    private static Refusal overflow(ResidentDocument document) {
        return Refusal.of(
                OVERFLOW,
                "too many updates of the document wait for earlier ones: " + document.waitingCount() + " of "
                        + document.waitingBytes() + " bytes");
    }

    private Refusal park(ResidentDocument document, String format, byte[] payload, long rowId) {
        if (!makeRoom(document, payload.length)) {
            return overflow(document);
        }
        document.parked.add(new ParkedUpdate(document.nextParkedSeq++, format, payload, rowId, 0));
        document.parkedBytes += payload.length;
        document.parkedNew++;
        document.parkedOpen++;
        return null;
    }

    /** For one more that waits; looks for what waits no more when there is none. */
    private boolean makeRoom(ResidentDocument document, int moreBytes) {
        document.parkedSinceReview++;
        if (isFull(document, moreBytes) && isReviewDue(document)) {
            review(document);
        }
        return !isFull(document, moreBytes);
    }

    private boolean isFull(ResidentDocument document, int moreBytes) {
        return document.waitingCount() >= settings.parkedMaxCount()
                || document.waitingBytes() + moreBytes > settings.parkedMaxBytes();
    }

    /** A review looks into every parked update: not more than eight looks for each one that came since the last. */
    private static boolean isReviewDue(ResidentDocument document) {
        return document.parkedSinceReview * 8L >= document.parked.size();
    }

    /**
     * Sorts out what was merged since it was parked. What is not stored is forgotten; what is stored goes with the next
     * write and counts no more. A flush does that too, but ops that come in any order may park thousands before it.
     */
    private void review(ResidentDocument document) {
        document.parkedSinceReview = 0;
        int firstNew = document.parked.size() - document.parkedNew;
        int firstOpen = document.parked.size() - document.parkedOpen;
        List<ParkedUpdate> kept = new ArrayList<>();
        document.parkedOpen = 0;
        document.mergedStored = 0;
        document.mergedStoredBytes = 0;
        for (int i = 0; i < document.parked.size(); i++) {
            ParkedUpdate update = document.parked.get(i);
            boolean merged = contains(document.doc, update);
            if (i < firstNew || !merged) {
                kept.add(update);
                document.parkedOpen += i >= firstOpen ? 1 : 0;
            } else {
                document.parkedBytes -= update.payload().length;
            }
            if (i < firstNew && merged) {
                document.mergedStored++;
                document.mergedStoredBytes += update.payload().length;
            }
        }
        document.parked = kept;
        document.parkedNew = kept.size() - firstNew;
    }

    private static Refusal malformed(String rule, String message, byte[] payload, int offset) {
        String guess = PayloadGuess.describe(payload);
        return new Refusal(rule, guess == null ? message : message + "; " + guess, offset);
    }

    private static UpdateFormat coreFormat(String format) {
        return switch (format) {
            case "yjs-v1" -> UpdateFormat.V1;
            case "yjs-v2" -> UpdateFormat.V2;
            default -> null;
        };
    }
}
