package dev.walmerge.sidecar.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PlatformTest {
    @Test
    void namesTheArchiveOfEachPlatform() {
        assertThat(PostgresBinaries.archiveName("Linux", "amd64")).isEqualTo("postgres-linux-x86_64.txz");
        assertThat(PostgresBinaries.archiveName("Linux", "aarch64")).isEqualTo("postgres-linux-arm_64.txz");
        assertThat(PostgresBinaries.archiveName("Mac OS X", "x86_64")).isEqualTo("postgres-darwin-x86_64.txz");
        assertThat(PostgresBinaries.archiveName("Mac OS X", "aarch64")).isEqualTo("postgres-darwin-arm_64.txz");
    }
}
