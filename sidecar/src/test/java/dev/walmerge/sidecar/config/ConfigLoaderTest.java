package dev.walmerge.sidecar.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigLoaderTest {
    @TempDir
    Path folder;

    @Test
    void boundsFitIntoTheHeap() {
        assertThat(ConfigLoader.memoryFor(256L << 20)).isEqualTo(64L << 20);
        assertThat(ConfigLoader.payloadMaxFor(256L << 20)).isEqualTo(16L << 20);
        assertThat(ConfigLoader.memoryFor(8L << 30)).isEqualTo(256L << 20);
        assertThat(ConfigLoader.payloadMaxFor(8L << 30)).isEqualTo(64L << 20);
    }

    @Test
    void nothingGivenIsTheEmbeddedServerWithDefaults() throws Exception {
        SidecarSettings settings = ConfigLoader.load(Map.of(), Map.of("XDG_STATE_HOME", "/state"), null);

        assertThat(settings.url()).isNull();
        assertThat(settings.slot()).isEqualTo("walmerge");
        assertThat(settings.stateDirectory()).isEqualTo(Path.of("/state/walmerge"));
        assertThat(settings.shards()).isEqualTo(1);
        assertThat(settings.memoryBytes()).isEqualTo(256L << 20);
    }

    @Test
    void flagsWinOverEnvironmentOverYaml() throws Exception {
        Path yaml = yaml("slot: from_yaml\nshards: 2\nmemory: 1GiB\njournal_max: 64 MiB\n");

        SidecarSettings settings = ConfigLoader.load(
                Map.of(Setting.SLOT, "from_flag"),
                Map.of("WALMERGE_SLOT", "from_environment", "WALMERGE_SHARDS", "3"),
                yaml);

        assertThat(settings.slot()).isEqualTo("from_flag");
        assertThat(settings.shards()).isEqualTo(3);
        assertThat(settings.memoryBytes()).isEqualTo(1L << 30);
        assertThat(settings.journalMaxBytes()).isEqualTo(64L << 20);
    }

    @Test
    void everyFaultIsNamedAtOnceWithItsKeyAndOrigin() throws Exception {
        Path yaml = yaml("slots: x\nshards: many\nmemory: [1]\npayload-max: 3GiB\n");

        assertThatThrownBy(() -> ConfigLoader.load(
                        Map.of(Setting.URL, "postgres://secret@host/db"), Map.of("WALMERGE_SLOT", "No Such"), yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(yaml + ": slots: no such key; the keys are url, user")
                .hasMessageContaining(yaml + ": shards: must be a number from 1 to 64")
                .hasMessageContaining(yaml + ": memory: expected one value")
                .hasMessageContaining(yaml + ": payload-max: must be at least 1024 and at most 1073741824 bytes")
                .hasMessageContaining("--url: must start with jdbc:postgresql:")
                .hasMessageContaining("WALMERGE_SLOT: must be 1 to 63 of a-z, 0-9 and _")
                .hasMessageNotContaining("secret");
    }

    @Test
    void aKeyThatIsThereTwiceIsAFault() throws Exception {
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(), Map.of(), yaml("slot: a\nshards: 2\nslot: b\n")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("a key is there twice (line 3)");
        Path spellings = yaml("journal-max: 64MiB\njournal_max: 32MiB\n");
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(), Map.of(), spellings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("journal_max: is there as " + spellings + ": journal-max already");
    }

    @Test
    void whatIsNotYamlSaysTheLine() throws Exception {
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(), Map.of(), yaml("slot: a\n  b: {\n")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("not YAML (line 2)");
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(), Map.of(), folder.resolve("absent.yaml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("absent.yaml: can't be read");
    }

    @Test
    void theEnvironmentNamesTheFileAndNothingUnknown() throws Exception {
        Path yaml = yaml("slot: from_yaml\n");
        assertThat(ConfigLoader.load(Map.of(), Map.of("WALMERGE_CONFIG", yaml.toString()), null)
                        .slot())
                .isEqualTo("from_yaml");
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(), Map.of("WALMERGE_ULR", "x"), null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("WALMERGE_ULR: no such variable; there are WALMERGE_CONFIG, ")
                .hasMessageContaining("WALMERGE_URL");
    }

    @Test
    void settingsNeverShowASecret() throws Exception {
        SidecarSettings settings = ConfigLoader.load(
                Map.of(Setting.URL, "jdbc:postgresql://h/d?password=hidden", Setting.PASSWORD, "hidden"),
                Map.of(),
                null);

        assertThat(settings.toString()).doesNotContain("hidden");
    }

    @Test
    void thePortIsClosedUnlessItIsAskedFor() throws Exception {
        assertThat(ConfigLoader.load(Map.of(), Map.of(), null).http()).isNull();
        assertThat(ConfigLoader.load(Map.of(), Map.of("WALMERGE_HTTP", "[::1]:9187"), null)
                        .http())
                .isEqualTo(InetSocketAddress.createUnresolved("::1", 9187));
        assertThat(ConfigLoader.load(Map.of(), Map.of(), yaml("http: metrics.internal:0"))
                        .withUrl("jdbc:postgresql:x")
                        .http())
                .isEqualTo(InetSocketAddress.createUnresolved("metrics.internal", 0));
        for (String wrong :
                List.of("9187", ":9187", "::1:9187", "host:65536", "host:-1", "http://host:1", "host:1/x")) {
            assertThatThrownBy(() -> ConfigLoader.load(Map.of(Setting.HTTP, wrong), Map.of(), null))
                    .as(wrong)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("--http: must be HOST:PORT");
        }
    }

    private Path yaml(String text) throws Exception {
        return Files.writeString(folder.resolve("walmerge.yaml"), text);
    }

    @Test
    void aFailpointThatIsNoneIsAFaultThatNamesThem() throws Exception {
        ConfigLoader.load(Map.of(), Map.of("WALMERGE_FAILPOINT", "before-commit:3"), null);
        ConfigLoader.load(Map.of(), Map.of("WALMERGE_FAILPOINT", ""), null);
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(), Map.of("WALMERGE_FAILPOINT", "at-lunch"), null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("WALMERGE_FAILPOINT: must be NAME[:COUNT")
                .hasMessageContaining("after-journal, after-sync");
    }
}
