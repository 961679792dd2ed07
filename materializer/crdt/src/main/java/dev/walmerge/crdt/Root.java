package dev.walmerge.crdt;

import java.util.Comparator;

/**
 * A root of a document.
 *
 * @param name as given by the application
 * @param type inferred from what it holds
 */
public record Root(String name, RootType type) {
    /** No lambda: the first one of a process costs milliseconds. */
    static final Comparator<Root> BY_NAME = new Comparator<>() {
        @Override
        public int compare(Root a, Root b) {
            return a.name.compareTo(b.name);
        }
    };
}
