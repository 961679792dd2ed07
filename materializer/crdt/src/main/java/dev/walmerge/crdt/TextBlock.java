package dev.walmerge.crdt;

/**
 * One block of a document with text of its own. PROJECTIONS.md has the rules.
 *
 * @param id the one the editor gave it, or else that of the shared type or of the first character ({@code client-clock}), or else the
 *     path; unique in the document, the same as long as the block lives, and of at most 150 units
 * @param kind what the document calls it: a node's type, {@code line} in a text, a key in a map
 * @param path the root and all blocks around it, outermost first, with their index among those beside them; changes when
 *     blocks before it come and go
 * @param text as in {@link Projection#bodyText}; never empty
 */
public record TextBlock(String id, String kind, String path, String text) {}
