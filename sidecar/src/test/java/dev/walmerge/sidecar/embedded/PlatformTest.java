package dev.walmerge.sidecar.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PlatformTest {
    @Test
    void namesTheArchiveOfEachPlatform() {
        assertThat(PostgresBinaries.archiveName("Linux", "amd64")).isEqualTo("postgres-linux-x86_64.txz");
        assertThat(PostgresBinaries.archiveName("Linux", "aarch64")).isEqualTo("postgres-linux-arm_64.txz");
        assertThat(PostgresBinaries.archiveName("Mac OS X", "x86_64")).isEqualTo("postgres-darwin-x86_64.txz");
        assertThat(PostgresBinaries.archiveName("Mac OS X", "aarch64")).isEqualTo("postgres-darwin-arm_64.txz");
    }

    @Test
    void keepsItsStateWhereTheUserSays() {
        assertThat(StateFolder.path(Map.of("XDG_STATE_HOME", "/elsewhere"), "/home/ada"))
                .isEqualTo(Path.of("/elsewhere/walmerge"));
        assertThat(StateFolder.path(Map.of("XDG_STATE_HOME", "relative"), "/home/ada"))
                .isEqualTo(Path.of("/home/ada/.local/state/walmerge"));
        assertThat(StateFolder.path(Map.of(), "/home/ada")).isEqualTo(Path.of("/home/ada/.local/state/walmerge"));
    }
}
