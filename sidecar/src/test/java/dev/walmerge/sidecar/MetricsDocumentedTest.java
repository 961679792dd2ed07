package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.walmerge.engine.journal.JournalState;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.metrics.Monitoring;
import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables, alerts and dashboard speak of what a sidecar serves, and alerts of sections that the runbook has. */
final class MetricsDocumentedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Path MONITORING = Path.of("..", "ops", "monitoring");
    private static final Path RUNBOOK = Path.of("..", "ops", "RUNBOOK.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z_]+)` \\| (\\w+) \\| (?:`(\\w+)` )?\\| .+ \\|$");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\S+) (\\w+)$");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-z_]+)(?:\\{(\\w+)=\"([^\"]*)\"})? \\S+$");
    /** Names of metrics, where PromQL has no such words of its own. */
    private static final Pattern USED = Pattern.compile("\\b((?:walmerge|jvm|process)_[a-z_]+)(?:\\{([^}]*)})?");

    private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!=|=)\"([^\"]*)\"");
    /** Of the scrape, not of the metric. */
    private static final Set<String> SCRAPE_LABELS = Set.of("job", "instance");

    @TempDir
    static Path folder;

    private static String page;

    @BeforeAll
    static void serve() throws Exception {
        PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
        SidecarSettings settings = ConfigLoader.load(
                Map.of(
                        Setting.URL,
                        database.url(),
                        Setting.SLOT,
                        "slot_" + database.name(),
                        Setting.STATE_DIRECTORY,
                        folder.resolve("state").toString(),
                        Setting.HTTP,
                        "127.0.0.1:0"),
                Map.of(),
                null);
        try (Monitoring monitoring = Monitoring.open(settings);
                Sidecar sidecar = Sidecar.start(settings)) {
            monitoring.follow(sidecar::status);
            Probe probe = new Probe(monitoring.address());
            await().atMost(PATIENCE).until(() -> probe.ask("/ready").equals("200 ready"));
            page = probe.get("/metrics", "text/plain").body();
        }
        SlotFixture.drop(database, settings.slot());
    }

    @Test
    void theTablesListWhatIsServed() throws Exception {
        Map<String, String> listed = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("METRICS.md")));
        while (row.find()) {
            listed.put(row.group(1), row.group(2) + " by " + row.group(3));
        }
        Map<String, String> served = new TreeMap<>();
        Matcher type = TYPE.matcher(page);
        while (type.find()) {
            served.put(type.group(1), type.group(2) + " by " + labelOf(type.group(1)));
        }
        assertThat(served).hasSizeGreaterThan(30);
        assertThat(listed).isEqualTo(served);
    }

    /** Also those of a summary, {@code _count} and {@code _sum}. */
    private static String labelOf(String metric) {
        Set<String> labels = new TreeSet<>();
        Matcher sample = SAMPLE.matcher(page);
        while (sample.find()) {
            if (sample.group(1).replaceAll("_(count|sum)$", "").equals(metric.replaceAll("_(count|sum)$", ""))) {
                labels.add(String.valueOf(sample.group(2)));
            }
        }
        assertThat(labels).as(metric).hasSize(1);
        return labels.iterator().next();
    }

    @Test
    void noLineIsAnythingElse() {
        assertThat(page.lines().filter(line -> !line.startsWith("# HELP ") && !line.startsWith("# TYPE ")))
                .allMatch(line -> SAMPLE.matcher(line).matches());
    }

    @Test
    void theDashboardShowsWhatIsServed() throws Exception {
        JsonNode dashboard =
                new ObjectMapper().readTree(MONITORING.resolve("dashboard.json").toFile());
        List<String> expressions = new ArrayList<>();
        Set<Integer> ids = new TreeSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(ids.add(panel.get("id").asInt())).isTrue();
            panel.get("targets")
                    .forEach(target -> expressions.add(target.get("expr").asText()));
        }
        assertThat(expressions).hasSizeGreaterThan(20).allSatisfy(MetricsDocumentedTest::assertServed);
    }

    @Test
    void alertsAskForWhatIsServedAndNameASection() throws Exception {
        JsonNode alerts =
                new YAMLMapper().readTree(MONITORING.resolve("alerts.yaml").toFile());
        Set<String> sections = sections();
        int count = 0;
        for (JsonNode rule : alerts.get("groups").get(0).get("rules")) {
            String expression = rule.get("expr").asText();
            if (!expression.startsWith("up{")) {
                assertServed(expression);
            }
            assertThat(rule.get("labels").get("severity").asText()).isIn("warning", "critical");
            assertThat(rule.get("annotations").get("summary").asText()).isNotEmpty();
            String runbook = rule.get("annotations").get("runbook").asText();
            assertThat(runbook).startsWith("ops/RUNBOOK.md#");
            assertThat(sections).contains(runbook.substring(runbook.indexOf('#') + 1));
            count++;
        }
        assertThat(count).isGreaterThan(8);
    }

    @Test
    void theRunbookHasASectionForWhatReadySays() throws Exception {
        Set<String> codes = new TreeSet<>(Set.of(Status.STARTING, Status.RESYNC, Status.REPLAY, Status.STOPPING));
        for (JournalState state : JournalState.values()) {
            if (state != JournalState.READY) {
                codes.add(state.code());
            }
        }
        assertThat(JournalState.READY.code()).isEqualTo(Status.READY);
        assertThat(sections()).containsAll(codes);
    }

    /** Each metric of an expression, with the labels it is asked for; and of ours that have few values, with these. */
    private static void assertServed(String expression) {
        Matcher used = USED.matcher(expression);
        boolean any = false;
        while (used.find()) {
            any = true;
            String metric = used.group(1);
            Map<String, Set<String>> served = valuesByLabel(metric);
            assertThat(served).as("%s of %s", metric, expression).isNotEmpty();
            Matcher matcher = MATCHER.matcher(String.valueOf(used.group(2)));
            while (matcher.find()) {
                if (!SCRAPE_LABELS.contains(matcher.group(1))) {
                    assertThat(served).as(expression).containsKey(matcher.group(1));
                    if (!matcher.group(1).equals("code")) {
                        assertThat(served.get(matcher.group(1))).as(expression).contains(matcher.group(3));
                    }
                }
            }
        }
        assertThat(any).as(expression).isTrue();
    }

    private static Map<String, Set<String>> valuesByLabel(String metric) {
        Map<String, Set<String>> values = new TreeMap<>();
        Matcher sample = SAMPLE.matcher(page);
        while (sample.find()) {
            if (sample.group(1).equals(metric)) {
                values.computeIfAbsent(String.valueOf(sample.group(2)), label -> new TreeSet<>())
                        .add(String.valueOf(sample.group(3)));
            }
        }
        return values;
    }

    /** As GitHub makes anchors of headings. */
    private static Set<String> sections() throws Exception {
        Set<String> sections = new TreeSet<>();
        Matcher heading = Pattern.compile("(?m)^##+ (.*)$").matcher(Files.readString(RUNBOOK));
        while (heading.find()) {
            sections.add(heading.group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^a-z0-9 -]", "")
                    .replace(' ', '-'));
        }
        return sections;
    }
}
