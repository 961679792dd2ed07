package dev.walmerge.engine.writeback;

/** What a write-back transaction says besides documents. */
public sealed interface Entry permits DeadLetter, LetterUpdate, CommandDone, Erasure {}
