package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.doctor.Doctor;
import dev.walmerge.sidecar.doctor.Finding;
import dev.walmerge.sidecar.doctor.Severity;
import dev.walmerge.sidecar.metrics.Monitoring;
import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A right that is taken from a sidecar at work stops all writing: it must be seen wherever an operator looks. */
final class RightsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final byte[] BAD = {11};

    @TempDir
    Path folder;

    private final Database database = PostgresServer.shared().createInstalledDatabase();
    private final App app = new App(database.url());
    private final String slot = "rights_" + database.name();
    private final String role = "sidecar_of_" + database.name();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "revoke select on crdt.tail from crdt_sidecar"
                        + " | missing-right | lacks select on crdt.tail | permission denied for table tail",
                "revoke select on crdt.tail from crdt_sidecar; grant select (doc, seq) on crdt.tail to crdt_sidecar"
                        + " | missing-right | lacks select on crdt.tail | permission denied for table tail",
                "alter table crdt.tail rename to tail_old"
                        + " | schema-broken | lacks crdt.tail, which is gone | relation \"crdt.tail\" does not exist",
                "revoke insert on crdt.dead_letter from crdt_sidecar"
                        + " | missing-right | lacks insert on crdt.dead_letter | permission denied for table dead_letter",
            })
    void whatStopsAllWritingIsSeen(String breaking, String code, String lacks, String failing) throws Exception {
        app.execute("create role " + role + " login replication in role crdt_sidecar");
        SidecarSettings settings = settings();
        try (Monitoring monitoring = Monitoring.open(settings);
                Sidecar sidecar = Sidecar.start(settings)) {
            monitoring.follow(sidecar::status);
            Probe probe = new Probe(monitoring.address());
            await().atMost(PATIENCE).until(() -> probe.ask("/ready").equals("200 ready"));
            assertThat(severity("writing") + severity("rights")).isEqualTo("okok");
            app.execute(breaking);
            app.insert("new", new Typing().append(1, "one"));
            app.insert("bad", BAD);
            await().atMost(PATIENCE).until(() -> probe.ask("/ready").equals("503 " + code));
            assertThat(probe.ask("/live")).isEqualTo("200 live");
            await().atMost(PATIENCE).until(() -> severity("writing").equals("critical"));
            assertThat(finding("writing")).endsWith(failing + ")").doesNotContain("0b");
            assertThat(severity("rights")).isEqualTo("critical");
            assertThat(finding("rights")).isEqualTo("the role \"" + role + "\" " + lacks);
            assertThat(doctor()).extracting(Finding::severity).isEqualTo(Severity.CRITICAL);
            assertThat(doctor().found()).isEqualTo("it " + lacks);

            app.execute(
                    breaking.startsWith("alter")
                            ? "alter table crdt.tail_old rename to tail"
                            : doctor().cure().replace("; as the owner of the schema", ""));
            await().atMost(PATIENCE).until(() -> probe.ask("/ready").equals("200 ready"));
            app.sync();
            assertThat(app.text("new")).isEqualTo("one");
            assertThat(app.one("select count(*) from crdt.dead_letter")).isEqualTo("1");
            await().atMost(PATIENCE).until(() -> severity("writing").equals("ok"));
            assertThat(severity("rights")).isEqualTo("ok");
        }
        app.dropSlot(slot);
    }

    private SidecarSettings settings() throws Exception {
        return ConfigLoader.load(
                Map.of(
                        Setting.URL,
                        url(),
                        Setting.SLOT,
                        slot,
                        Setting.STATE_DIRECTORY,
                        folder.toString(),
                        Setting.HTTP,
                        "127.0.0.1:0"),
                Map.of(),
                null);
    }

    private String url() {
        return database.url().replace("user=postgres", "user=" + role);
    }

    private Finding doctor() throws Exception {
        List<Finding> findings = Doctor.examine(Endpoints.of(settings()), slot);
        return findings.stream()
                .filter(finding -> finding.check().equals("rights"))
                .findFirst()
                .orElseThrow();
    }

    private String severity(String check) throws SQLException {
        return app.one("select severity from crdt.health where name = '" + check + "'");
    }

    private String finding(String check) throws SQLException {
        return app.one("select finding from crdt.health where name = '" + check + "'");
    }
}
