package dev.walmerge.bench.core;

import dev.walmerge.bench.trace.TraceLibrary;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.UpdateFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Recorded Yjs V1 updates, read from a path: not every history may be shipped. */
final class History {
    private History() {}

    /** @param file in the format of bench/traces; with {@code updates32} in its name, lengths take four bytes */
    static List<byte[]> read(Path file) {
        try {
            boolean wide = file.getFileName().toString().contains("updates32");
            return TraceLibrary.readUpdates(Files.newInputStream(file), wide);
        } catch (IOException e) {
            throw new UncheckedIOException("not a history of updates: " + file, e);
        }
    }

    static Doc replay(List<byte[]> updates) {
        Doc doc = Doc.create(true);
        try {
            for (byte[] update : updates) {
                doc.apply(UpdateFormat.V1, update, 0, update.length);
            }
        } catch (MalformedUpdateException e) {
            throw new IllegalStateException(e);
        }
        return doc;
    }

    /** The document of a full state, which is no news. */
    static Doc load(UpdateFormat format, byte[] state) throws MalformedUpdateException {
        Doc loaded = Doc.create(true);
        loaded.apply(format, state, 0, state.length);
        loaded.discardChanges();
        return loaded;
    }
}
