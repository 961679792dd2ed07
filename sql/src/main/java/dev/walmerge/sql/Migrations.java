package dev.walmerge.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The migrations that this build carries, read from the resource {@code migrations/index}. Thread-safe. */
public final class Migrations {
    private static final Pattern FILE = Pattern.compile("(\\d{4})_([a-z0-9_]+)\\.sql");
    private static final List<Migration> ALL = read();

    private Migrations() {}

    /** All of them in order: the one at index {@code i} has version {@code i + 1}. */
    public static List<Migration> all() {
        return ALL;
    }

    private static List<Migration> read() {
        List<Migration> migrations = new ArrayList<>();
        for (String file : text("index").lines().toList()) {
            Matcher name = FILE.matcher(file);
            if (!name.matches() || Integer.parseInt(name.group(1)) != migrations.size() + 1) {
                throw new IllegalStateException(
                        "migrations/index: expected number " + (migrations.size() + 1) + ", found " + file);
            }
            String sql = text(file);
            migrations.add(new Migration(migrations.size() + 1, name.group(2), sql, sha256(sql)));
        }
        return List.copyOf(migrations);
    }

    private static String text(String file) {
        try (InputStream in = Migrations.class.getResourceAsStream("migrations/" + file)) {
            if (in == null) {
                throw new IllegalStateException("no resource migrations/" + file);
            }
            // A checkout that converts line ends must not make another migration of it.
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
