package dev.walmerge.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TraceFilesTest {
    @TempDir
    Path folder;

    @Test
    void putsTheFilesOfAHistoryTogether() throws Exception {
        Path raw = file("raw/sequential_traces/rustcode.json.gz");
        Path updates = file("yjs/rustcode.updates32-v1.bin.gz");
        file("later/rustcode.updates-v1.bin.gz");
        file("yjs/rustcode.state-gc.v1.bin.gz");
        file("yjs/rustcode.txt.gz");

        assertThat(TraceFiles.find(
                        List.of(), List.of(folder.resolve("raw"), folder.resolve("yjs"), folder.resolve("later"))))
                .containsExactly(new TraceFiles("rustcode", raw, updates));
    }

    @Test
    void takesWhatIsNamedAndTheKnownOnesOfAFolder() throws Exception {
        Path mine = file("mine.json.gz");
        Path known = file("git-makefile.updates32-v1.bin.gz");

        assertThat(TraceFiles.find(List.of(), List.of(folder)))
                .containsExactly(new TraceFiles("git-makefile", null, known));
        assertThat(TraceFiles.find(List.of(mine), List.of())).containsExactly(new TraceFiles("mine", mine, null));
    }

    @Test
    void onlyReadersOfYjsBytesAreServedByThem() {
        TraceFiles recorded = new TraceFiles("a", null, Path.of("a.updates-v1.bin.gz"));
        assertThat(List.of(Engine.values()))
                .filteredOn(recorded::serves)
                .containsExactly(Engine.YJS, Engine.YWASM, Engine.WALMERGE);
        assertThat(List.of(Engine.values())).allMatch(new TraceFiles("a", Path.of("a.json.gz"), null)::serves);
    }

    @Test
    void saysWhatIsMissing() {
        assertThatThrownBy(() -> TraceFiles.find(List.of(), List.of(folder.resolve("none"))))
                .isInstanceOf(PeersException.class)
                .hasMessageContaining("no such folder");
    }

    private Path file(String name) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }
}
