package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The program {@link FirstCallCommand} starts again and again: loads a state, takes the text, and tells how long that took. */
final class FirstCall {
    private FirstCall() {}

    /** @param arguments the format and a file that holds a state */
    public static void main(String[] arguments) throws IOException, MalformedUpdateException {
        UpdateFormat format = UpdateFormat.valueOf(arguments[0]);
        byte[] state = Files.readAllBytes(Path.of(arguments[1]));
        long start = System.nanoTime();
        Doc doc = Doc.create(true);
        doc.apply(format, state, 0, state.length);
        String text = Projection.bodyText(doc, null);
        long nanos = System.nanoTime() - start;
        System.out.println(nanos / 1000 + " " + text.length());
    }
}
