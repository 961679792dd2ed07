package dev.walmerge.engine.writeback;

import java.util.Objects;

/**
 * Names one document.
 *
 * @param collection the name of the collection
 * @param doc the document key inside it
 */
public record DocumentKey(String collection, String doc) {
    public DocumentKey {
        Objects.requireNonNull(collection, "collection");
        Objects.requireNonNull(doc, "doc");
    }
}
