package dev.walmerge.engine;

import dev.walmerge.engine.journal.JournalState;

/**
 * Counts since the engine started, and what it holds now. The numbers are read one after the other.
 *
 * @param ops taken from the journal
 * @param merged of these, into a document or parked
 * @param flushes documents handed to write-back
 * @param folds of these, with a new state
 * @param deadLetters ops that were refused
 * @param dirtyDocuments changed and not yet handed to write-back
 * @param residentDocuments in memory
 * @param residentBytes what they take, estimated
 * @param journalBacklogBytes appended and not yet merged by every shard
 * @param journalBytes what the journal takes on the disk
 * @param journalState whether the journal takes more; while it does not, reading waits
 * @param journaledLsn up to where the slot may have been told what is in the journal and not written yet; 0 if it never
 *     was
 * @param watermarks how far ops have come
 * @param trouble what stops reading or writing in the database now, or null
 */
public record EngineStats(
        long ops,
        long merged,
        long flushes,
        long folds,
        long deadLetters,
        long dirtyDocuments,
        long residentDocuments,
        long residentBytes,
        long journalBacklogBytes,
        long journalBytes,
        JournalState journalState,
        long journaledLsn,
        Watermarks watermarks,
        Trouble trouble) {}
