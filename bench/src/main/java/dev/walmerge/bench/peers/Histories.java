package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.walmerge.bench.trace.TraceLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The histories in each engine's own format, made once and kept beside the packages. */
final class Histories {
    private static final String META = "meta.json";
    private static final String STAMP = "made-from";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Packages packages;
    private final Progress progress;

    Histories(Packages packages, Progress progress) {
        this.packages = packages;
        this.progress = progress;
    }

    /**
     * An engine's history of a trace.
     *
     * @param folder as {@code prepare.mjs} leaves it
     * @param meta what it says of itself; with {@code failed} when there is none
     */
    record History(Path folder, JsonNode meta) {
        String failure() {
            return meta.has("failed") ? meta.get("failed").asText() : null;
        }

        boolean isConcurrent() {
            return meta.path("concurrent").asBoolean();
        }

        int updates() {
            return meta.path("updates").asInt();
        }
    }

    /** Makes it when its files, the engine or the recorder changed. What can't be made says why. */
    History of(TraceFiles trace, Engine engine) throws IOException {
        Path folder =
                packages.folder().resolve("histories").resolve(engine.label()).resolve(trace.name());
        String madeFrom = madeFrom(trace, engine);
        Path stamp = folder.resolve(STAMP);
        if (!Files.exists(stamp) || !Files.readString(stamp).equals(madeFrom)) {
            Files.deleteIfExists(folder.resolve(META));
            List<String> script = new ArrayList<>(List.of("prepare.mjs", engine.label(), folder.toString()));
            if (trace.raw() != null) {
                script.addAll(List.of("--trace", trace.raw().toString()));
            }
            if (engine.readsYjs() && trace.updates() != null) {
                script.addAll(List.of("--updates", trace.updates().toString()));
            }
            progress.measure(engine.label(), "making its history of " + trace.name(), () -> {
                Child made = Child.run(packages.folder(), packages.command(script));
                if (made.failure() != null) {
                    return leave(folder, "failed: its history can't be made: " + made.failure());
                }
                // Where time ran out, a quieter machine may do it the next time.
                if (read(folder).failure() == null) {
                    Files.writeString(stamp, madeFrom);
                }
                return read(folder).failure();
            });
        }
        return read(folder);
    }

    private static String leave(Path folder, String failure) throws IOException {
        Files.createDirectories(folder);
        JSON.writeValue(folder.resolve(META).toFile(), JSON.createObjectNode().put("failed", failure));
        return failure;
    }

    private static History read(Path folder) throws IOException {
        return new History(folder, JSON.readTree(folder.resolve(META).toFile()));
    }

    private String madeFrom(TraceFiles trace, Engine engine) throws IOException {
        StringBuilder out = new StringBuilder(engine.npmPackage()).append(' ').append(packages.versionOf(engine));
        for (String script :
                List.of("prepare.mjs", "files.mjs", "sampling.mjs", "engines/" + engine.label() + ".mjs")) {
            out.append('\n')
                    .append(TraceLibrary.sha256(
                            Files.readString(packages.folder().resolve(script))));
        }
        for (Path file : new Path[] {trace.raw(), trace.updates()}) {
            if (file != null) {
                out.append('\n').append(file).append(' ').append(Files.size(file));
                out.append(' ').append(Files.getLastModifiedTime(file));
            }
        }
        return out.toString();
    }
}
