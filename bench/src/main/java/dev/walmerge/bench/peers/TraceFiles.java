package dev.walmerge.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The files of one editing history.
 *
 * @param name the file name up to its first point
 * @param raw its patches, as in github.com/josephg/editing-traces; null when there is none
 * @param updates what yjs wrote, in the format of bench/traces; null when there is none
 */
record TraceFiles(String name, Path raw, Path updates) {
    private static final String RAW = ".json.gz";
    private static final String UPDATES = ".updates-v1.bin.gz";
    private static final String WIDE_UPDATES = ".updates32-v1.bin.gz";

    /** What a folder is looked through for: one has many more, and each takes minutes. */
    private static final Set<String> KNOWN = Set.of(
            "automerge-paper",
            "rustcode",
            "sveltecomponent",
            "seph-blog1",
            "friendsforever",
            "clownschool",
            "node_nodecc",
            "git-makefile");

    /**
     * Gathers them by name; of two files that say the same the first counts.
     *
     * @param files any history
     * @param folders looked through with the folders in them, for the known ones
     */
    static List<TraceFiles> find(List<Path> files, List<Path> folders) throws IOException, PeersException {
        Map<String, TraceFiles> found = new LinkedHashMap<>();
        for (Path file : files) {
            if (!Files.isRegularFile(file)) {
                throw new PeersException("no such file: " + file);
            }
            note(file, found);
        }
        for (Path folder : folders) {
            if (!Files.isDirectory(folder)) {
                throw new PeersException("no such folder: " + folder);
            }
            try (Stream<Path> listed = Files.walk(folder, 2)) {
                for (Path file : listed.filter(Files::isRegularFile).sorted().toList()) {
                    if (KNOWN.contains(nameOf(file))) {
                        note(file, found);
                    }
                }
            }
        }
        return new ArrayList<>(found.values());
    }

    private static String nameOf(Path file) {
        return file.getFileName().toString().replaceFirst("\\..*", "");
    }

    private static void note(Path given, Map<String, TraceFiles> found) {
        Path file = given.toAbsolutePath().normalize();
        String fileName = file.getFileName().toString();
        String name = nameOf(file);
        boolean isRaw = fileName.equals(name + RAW);
        if (!isRaw && !fileName.equals(name + UPDATES) && !fileName.equals(name + WIDE_UPDATES)) {
            return;
        }
        TraceFiles known = found.getOrDefault(name, new TraceFiles(name, null, null));
        found.put(
                name,
                new TraceFiles(
                        name,
                        isRaw && known.raw == null ? file : known.raw,
                        !isRaw && known.updates == null ? file : known.updates));
    }

    /** Whether an engine's history of it can be made. */
    boolean serves(Engine engine) {
        return raw != null || (engine.readsYjs() && updates != null);
    }
}
