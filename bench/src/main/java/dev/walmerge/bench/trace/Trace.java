package dev.walmerge.bench.trace;

import java.util.List;

/**
 * A recorded editing history.
 *
 * @param name short, for a document key
 * @param title what it is, for people
 * @param updates one Yjs V1 update a transaction, in causal order
 * @param textLength of the final text, UTF-16 units
 * @param textSha256 of the final text in UTF-8, hex, as yjs gives it
 */
public record Trace(String name, String title, List<byte[]> updates, int textLength, String textSha256) {}
