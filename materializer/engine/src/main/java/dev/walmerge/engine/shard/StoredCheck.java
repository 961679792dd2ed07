package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.TextBlock;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.writeback.ParkedUpdate;
import dev.walmerge.engine.writeback.StoredDocument;
import java.nio.file.Path;
import java.util.List;

/**
 * What is stored of one document, decoded again as for merging, so that it can be compared with what it should hold. Single
 * thread.
 */
public final class StoredCheck {
    private final OpMerger merger = new OpMerger(EngineSettings.defaults(Path.of("")), new Core());
    private final StoredDocument stored;
    private final Doc doc = Doc.create(true);

    /** @throws MalformedUpdateException if what is stored can't be decoded */
    public StoredCheck(StoredDocument stored) throws MalformedUpdateException {
        this.stored = stored;
        if (stored.state() != null) {
            merger.restore(doc, stored.stateFormat(), stored.state());
        }
        for (byte[] change : stored.changes()) {
            merger.restore(doc, "yjs-v1", change);
        }
        for (ParkedUpdate parked : stored.parked()) {
            merger.restore(doc, parked.format(), parked.payload());
        }
    }

    /**
     * Whether an op is in it: merged, or waiting verbatim.
     *
     * @throws MalformedUpdateException if it is no op that could be merged
     */
    public boolean holds(long rowId, String format, byte[] payload) throws MalformedUpdateException {
        return stored.parked().stream().anyMatch(parked -> parked.rowId() == rowId)
                || merger.contains(doc, format, payload);
    }

    /** Whether nothing of it waits for earlier updates. */
    public boolean isComplete() {
        return !doc.hasPending();
    }

    /** The text that a row of docs should show. */
    public String text(Policy policy) {
        return Projection.bodyText(doc, policy.projection(), policy.root());
    }

    /** The rows of blocks that there should be. */
    public List<TextBlock> blocks(Policy policy) {
        return policy.blocks() ? Projection.blocks(doc, policy.projection(), policy.root()) : List.of();
    }

    /** The JSON that a row of docs should show, or null. */
    public String json(Policy policy) {
        return WriteBuilder.json(doc, policy);
    }
}
