package dev.walmerge.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * A real editing history that yjs recorded (bench/traces).
 *
 * @param updates one Yjs V1 update an edit, in causal order
 * @param textSha256 of the final text as yjs gives it, UTF-8
 */
record Trace(String name, List<byte[]> updates, String textSha256) {
    private static final Path FOLDER = Path.of("..", "bench", "traces");

    static Trace read(String name) throws IOException {
        JsonNode manifest =
                new ObjectMapper().readTree(FOLDER.resolve("manifest.json").toFile());
        for (JsonNode entry : manifest.path("traces")) {
            if (entry.path("name").asText().equals(name)) {
                return new Trace(name, updates(entry), entry.path("textSha256").asText());
            }
        }
        throw new IOException("no trace " + name);
    }

    private static List<byte[]> updates(JsonNode entry) throws IOException {
        boolean longLengths = entry.path("lengthBytes").asInt() == Integer.BYTES;
        List<byte[]> updates = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new GZIPInputStream(
                Files.newInputStream(FOLDER.resolve(entry.path("file").asText())), 1 << 16))) {
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                updates.add(in.readNBytes(longLengths ? in.readInt() : in.readUnsignedShort()));
            }
        }
        return updates;
    }

    static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
