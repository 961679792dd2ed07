package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.Protocol.Streaming;
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
record GoldenFile(Session session, List<Entry> entries) {
    private static final int LAST_MAJOR = 18;
    private static final int FIRST_MAJOR = 15;

    /** What was asked of which server: all that the version of the protocol has. */
    record Session(int major, int version, boolean binary) {
        /** Those that a server of this major version speaks. */
        static List<Session> of(int major) {
            List<Session> sessions = new ArrayList<>();
            for (int version = 1; version <= (major == FIRST_MAJOR ? 3 : 4); version++) {
                sessions.add(new Session(major, version, false));
                sessions.add(new Session(major, version, true));
            }
            return sessions;
        }

        Protocol protocol() {
            Streaming streaming = version == 1 ? Streaming.OFF : version < 4 ? Streaming.ON : Streaming.PARALLEL;
            return Protocol.of(version, streaming, version >= 3);
        }

        private String path() {
            return "golden/%d-v%d-%s.txt".formatted(major, version, binary ? "binary" : "text");
        }
    }

    record Entry(byte[] message, String meaning) {}

    /** Bytes that were just received, with what this decoder says they mean. */
    static GoldenFile decode(Session session, List<byte[]> messages) throws MalformedMessageException {
        List<String> meanings = new ArrayList<>();
        PgoutputDecoder decoder = new PgoutputDecoder(session.protocol());
        List<Entry> entries = new ArrayList<>();
        for (byte[] message : messages) {
            decoder.decode(message, 0, message.length, new EventText(meanings));
            entries.add(new Entry(message, meanings.get(meanings.size() - 1)));
        }
        return new GoldenFile(session, entries);
    }

    /** The files that are recorded. */
    static Stream<GoldenFile> all() {
        return Stream.iterate(FIRST_MAJOR, major -> major <= LAST_MAJOR, major -> major + 1)
                .flatMap(major -> Session.of(major).stream())
                .map(GoldenFile::load);
    }

    static GoldenFile load(Session session) {
        List<Entry> entries = new ArrayList<>();
        try (InputStream in = GoldenFile.class.getResourceAsStream(session.path())) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                int tab = line.indexOf('\t');
                entries.add(new Entry(HexFormat.of().parseHex(line, 0, tab), line.substring(tab + 1)));
            });
        } catch (IOException e) {
            throw new IllegalStateException(session.path(), e);
        }
        return new GoldenFile(session, entries);
    }

    void write(Path resources, String comment) throws IOException {
        StringBuilder text = new StringBuilder("# ").append(comment).append('\n');
        for (Entry entry : entries) {
            text.append(HexFormat.of().formatHex(entry.message()));
            text.append('\t').append(entry.meaning()).append('\n');
        }
        Path file = resources.resolve("dev/walmerge/decoder/pgoutput").resolve(session.path());
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** What a consumer would make of it. */
    List<List<String>> committed() throws MalformedMessageException {
        PgoutputDecoder decoder = new PgoutputDecoder(session.protocol());
        CommittedChanges changes = new CommittedChanges();
        for (Entry entry : entries) {
            decoder.decode(entry.message(), 0, entry.message().length, changes);
        }
        return changes.committed();
    }

    @Override
    public String toString() {
        return session.path();
    }
}
