package dev.walmerge.decoder.pgoutput;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Messages a server sent in one session, in order: one a line, the bytes in hex, a tab, what they mean. Lines that start
 * with {@code #} say where they come from.
 */
record GoldenFile(String name, List<Entry> entries) {
    private static final List<String> NAMES =
            List.of("15-binary", "15-text", "16-binary", "16-text", "17-binary", "17-text", "18-binary", "18-text");
    private static final String FOLDER = "golden/";

    record Entry(byte[] message, String meaning) {}

    /** The files that are recorded. */
    static Stream<GoldenFile> all() {
        return NAMES.stream().map(GoldenFile::load);
    }

    static GoldenFile load(String name) {
        List<Entry> entries = new ArrayList<>();
        try (InputStream in = GoldenFile.class.getResourceAsStream(FOLDER + name + ".txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                int tab = line.indexOf('\t');
                entries.add(new Entry(HexFormat.of().parseHex(line, 0, tab), line.substring(tab + 1)));
            });
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
        return new GoldenFile(name, entries);
    }

    void write(Path resources, String comment) throws IOException {
        StringBuilder text = new StringBuilder("# ").append(comment).append('\n');
        for (Entry entry : entries) {
            text.append(HexFormat.of().formatHex(entry.message()));
            text.append('\t').append(entry.meaning()).append('\n');
        }
        Path file = resources.resolve("dev/walmerge/decoder/pgoutput").resolve(FOLDER + name + ".txt");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Override
    public String toString() {
        return name;
    }
}
