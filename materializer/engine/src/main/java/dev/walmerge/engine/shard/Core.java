package dev.walmerge.engine.shard;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.engine.compaction.Folder;
import dev.walmerge.engine.writeback.Fold;

/** What a shard asks of the CRDT core: where a poisonous document would do harm. */
class Core {
    /** See {@link Doc#apply}. */
    int apply(Doc doc, UpdateFormat format, byte[] buf, int off, int len) throws MalformedUpdateException {
        return doc.apply(format, buf, off, len);
    }

    /** See {@link Doc#drainChanges}; in version 1. */
    byte[] drain(Doc doc) {
        return doc.drainChanges(UpdateFormat.V1);
    }

    /** See {@link Folder#fold}. */
    Fold fold(Doc doc) {
        return Folder.fold(doc);
    }
}
