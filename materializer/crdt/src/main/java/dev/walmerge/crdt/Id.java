package dev.walmerge.crdt;

/** Names one unit of a document: the writing client and how many units it wrote before. */
public record Id(long client, int clock) {}
