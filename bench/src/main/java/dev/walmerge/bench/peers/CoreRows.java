package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.core.LocalTrace;
import dev.walmerge.bench.trace.TraceLibrary;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Our side of {@code bench/peers/measure.mjs}: the same rows on the bytes that yjs wrote, in a process of its own.
 *
 * <p>Arguments: HISTORY GROUP TRACE ROW,ROW,... [RAW.json.gz]. It fails when a result isn't what the trace ends with.
 */
final class CoreRows {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ROOT = "text";
    private static final int WARM_COPIES = 5;
    private static final int MIN_COPIES = 20;
    private static final int MAX_COPIES = 200;
    private static final long COPIED_BYTES = 4_000_000;
    private static final double BYTES_PER_KB = 1000;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Path history;
    private final String trace;
    private final Set<String> rows;
    private String textSha256;

    private CoreRows(Path history, String trace, Set<String> rows) {
        this.history = history;
        this.trace = trace;
        this.rows = rows;
    }

    public static void main(String[] arguments) throws IOException, MalformedUpdateException {
        CoreRows measured = new CoreRows(Path.of(arguments[0]), arguments[2], Set.of(arguments[3].split(",")));
        String group = arguments[1];
        switch (group) {
            case "single" -> measured.applyAll("apply-single", "single.bin");
            case "batches" -> measured.applyAll("apply-batches", "batches.bin");
            case "local" -> measured.replay(LocalTrace.read(Path.of(arguments[4])));
            case "load-v1" -> measured.load(UpdateFormat.V1);
            case "load-v2" -> measured.load(UpdateFormat.V2);
            default -> throw new IllegalArgumentException(group);
        }
    }

    private void replay(LocalTrace edits) {
        ObjectNode line = line("replay-local");
        Sampling.hot(
                () -> {
                    long begun = System.nanoTime();
                    Doc doc = edits.replay();
                    long nanos = System.nanoTime() - begun;
                    edits.check(doc);
                    return nanos;
                },
                line);
        System.out.println(line);
    }

    private void applyAll(String row, String file) throws IOException {
        List<byte[]> updates = readList(history.resolve(file));
        ObjectNode line = line(row);
        Sampling.hot(
                () -> {
                    Doc doc = Doc.create(true);
                    long begun = System.nanoTime();
                    for (byte[] update : updates) {
                        receive(doc, UpdateFormat.V1, update);
                    }
                    long nanos = System.nanoTime() - begun;
                    demandText(Projection.text(doc, ROOT));
                    return nanos;
                },
                line);
        System.out.println(line);
    }

    /** The first call of the process comes first: nothing of the core is loaded before it. */
    private void load(UpdateFormat format) throws IOException, MalformedUpdateException {
        String name = format.name().toLowerCase(Locale.ROOT);
        byte[] state = Files.readAllBytes(history.resolve("state-" + name + ".bin"));
        long begun = System.nanoTime();
        Doc doc = Doc.create(true);
        doc.apply(format, state, 0, state.length);
        String text = Projection.text(doc, ROOT);
        long nanos = System.nanoTime() - begun;
        demandText(text);
        if (rows.contains("load-first")) {
            System.out.println(line("load-first")
                    .put("format", name)
                    .put("ms", nanos / NANOS_PER_MILLI)
                    .put("warmups", 0)
                    .put("samples", 1));
        }
        if (rows.contains("load-hot")) {
            loadHot(format, name, state, text);
        }
        if (rows.contains("state-bytes")) {
            byte[] written = doc.encodeState(format);
            demandText(Projection.text(loaded(format, written), ROOT));
            System.out.println(line("state-bytes").put("format", name).put("bytes", written.length));
        }
        if (rows.contains("encode")) {
            encode(format, name, doc);
        }
        if (rows.contains("memory")) {
            System.out.println(
                    line("memory").put("format", name).put("kB", residentBytes(format, state) / BYTES_PER_KB));
        }
    }

    private void loadHot(UpdateFormat format, String name, byte[] state, String expected) {
        ObjectNode line = line("load-hot").put("format", name);
        Sampling.hot(
                () -> {
                    long begun = System.nanoTime();
                    String text = Projection.text(loaded(format, state), ROOT);
                    long nanos = System.nanoTime() - begun;
                    if (!text.equals(expected)) {
                        throw new IllegalStateException("not the text of the trace");
                    }
                    return nanos;
                },
                line);
        System.out.println(line);
    }

    /** The full state of a loaded document that just took one more edit. */
    private void encode(UpdateFormat format, String name, Doc doc) throws IOException {
        List<byte[]> edits = readList(history.resolve("edits.bin"));
        int[] next = {0};
        byte[][] state = {null};
        ObjectNode line = line("encode").put("format", name);
        Sampling.hot(
                () -> {
                    receive(doc, UpdateFormat.V1, edits.get(next[0]++));
                    long begun = System.nanoTime();
                    state[0] = doc.encodeState(format);
                    return System.nanoTime() - begun;
                },
                line);
        if (!Projection.text(loaded(format, state[0]), ROOT).equals(Projection.text(doc, ROOT))) {
            throw new IllegalStateException("the state does not load to the text");
        }
        System.out.println(line);
    }

    /** Heap of one of many loaded copies whose text was taken once. */
    private double residentBytes(UpdateFormat format, byte[] state) {
        int count = (int) Math.max(MIN_COPIES, Math.min(MAX_COPIES, COPIED_BYTES / state.length));
        List<Doc> copies = new ArrayList<>(WARM_COPIES + count);
        for (int i = 0; i < WARM_COPIES; i++) {
            copies.add(loadedOnce(format, state));
        }
        long before = usedBytes();
        for (int i = 0; i < count; i++) {
            copies.add(loadedOnce(format, state));
        }
        long after = usedBytes();
        if (copies.size() != WARM_COPIES + count) {
            throw new IllegalStateException();
        }
        return (after - before) / (double) count;
    }

    private Doc loadedOnce(UpdateFormat format, byte[] state) {
        Doc doc = loaded(format, state);
        demandText(Projection.text(doc, ROOT));
        return doc;
    }

    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }

    private static Doc loaded(UpdateFormat format, byte[] state) {
        Doc doc = Doc.create(true);
        receive(doc, format, state);
        return doc;
    }

    private static void receive(Doc doc, UpdateFormat format, byte[] update) {
        try {
            doc.apply(format, update, 0, update.length);
        } catch (MalformedUpdateException e) {
            throw new IllegalStateException(e);
        }
    }

    private void demandText(String text) {
        try {
            if (textSha256 == null) {
                JsonNode meta = JSON.readTree(history.resolve("meta.json").toFile());
                textSha256 = meta.get("textSha256").asText();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (!TraceLibrary.sha256(text).equals(textSha256)) {
            throw new IllegalStateException("not the text of the trace");
        }
    }

    private ObjectNode line(String row) {
        return JSON.createObjectNode().put("engine", "walmerge").put("row", row).put("trace", trace);
    }

    /** A list of updates as {@code bench/peers/files.mjs} writes it. */
    private static List<byte[]> readList(Path file) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
        int count = in.getInt();
        List<byte[]> updates = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] update = new byte[in.getInt()];
            in.get(update);
            updates.add(update);
        }
        return updates;
    }
}
