package dev.walmerge.bench.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The histories of {@code bench/traces}, whose README gives format, provenance and licence. */
public final class TraceLibrary {
    private static final int BUFFER_BYTES = 1 << 16;

    private final JsonNode manifest;

    private TraceLibrary(JsonNode manifest) {
        this.manifest = manifest;
    }

    public static TraceLibrary open() {
        try {
            return new TraceLibrary(new ObjectMapper().readTree(resource("manifest.json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every history, its bytes checked against the manifest. */
    public List<Trace> traces() {
        List<Trace> traces = new ArrayList<>();
        for (JsonNode entry : manifest.get("traces")) {
            try {
                traces.add(read(entry));
            } catch (IOException e) {
                throw new UncheckedIOException(entry.get("file").asText(), e);
            }
        }
        return traces;
    }

    /** One Yjs V1 update that makes a to-do list in the root map {@code todo}, hex. */
    public String todoHex() {
        return manifest.get("todo").get("hex").asText();
    }

    /** The sha256 of a text in UTF-8, hex. */
    public static String sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Trace read(JsonNode entry) throws IOException {
        byte[] file = resource(entry.get("file").asText());
        if (!sha256(file).equals(entry.get("fileSha256").asText())) {
            throw new IOException("not the file that the manifest describes");
        }
        boolean wide = entry.get("lengthBytes").asInt() == Integer.BYTES;
        List<byte[]> updates = readUpdates(new ByteArrayInputStream(file), wide);
        return new Trace(
                entry.get("name").asText(),
                entry.get("title").asText(),
                List.copyOf(updates),
                entry.get("textLength").asInt(),
                entry.get("textSha256").asText());
    }

    /**
     * Reads gzipped updates in the file format of {@code bench/traces}.
     *
     * @param wide whether lengths take four bytes, not two
     */
    public static List<byte[]> readUpdates(InputStream file, boolean wide) throws IOException {
        List<byte[]> updates = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new GZIPInputStream(file, BUFFER_BYTES))) {
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                byte[] update = new byte[wide ? in.readInt() : in.readUnsignedShort()];
                in.readFully(update);
                updates.add(update);
            }
        }
        return updates;
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = TraceLibrary.class.getResourceAsStream("/dev/walmerge/bench/traces/" + name)) {
            if (in == null) {
                throw new IOException("no resource " + name);
            }
            return in.readAllBytes();
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
