package dev.walmerge.crdt;

/**
 * A root of a document.
 *
 * @param name as given by the application
 * @param type inferred from what it holds
 */
public record Root(String name, RootType type) {}
