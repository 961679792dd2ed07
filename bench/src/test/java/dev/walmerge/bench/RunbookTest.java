package dev.walmerge.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.replication.ReplicationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An operating error sends its reader to the runbook: the section must be there. */
final class RunbookTest {
    private static final Path RUNBOOK = Path.of("..", "ops", "RUNBOOK.md");
    private static final Path SIDECAR = Path.of("..", "sidecar", "src", "main", "java");
    private static final Pattern THROWN =
            Pattern.compile("(?:operator|retryable|EmbeddedServerException)\\(\\s*\"([a-z-]+)\"");
    private static final Pattern CONSTRUCTED = Pattern.compile("Kind\\.[A-Z]+,\\s*\"([a-z-]+)\"");

    @Test
    void everyCodeHasItsSection() throws IOException {
        Set<String> codes = new TreeSet<>();
        Arrays.stream(ReplicationException.Code.values()).forEach(code -> codes.add(code.label()));
        Arrays.stream(MigrationException.Code.values()).forEach(code -> codes.add(code.label()));
        for (Path file : javaFiles()) {
            String source = Files.readString(file);
            for (Pattern pattern : List.of(THROWN, CONSTRUCTED)) {
                pattern.matcher(source).results().map(match -> match.group(1)).forEach(codes::add);
            }
        }
        assertThat(codes).contains("embedded-busy", "slot-lost", "schema-newer", "server-unreachable", "fenced");
        assertThat(sections()).containsAll(codes);
    }

    @Test
    void everyLinkWithinItLeadsSomewhere() throws IOException {
        List<String> links = Pattern.compile("\\]\\(#([^)]+)\\)")
                .matcher(Files.readString(RUNBOOK))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(sections()).containsAll(links);
    }

    private static Set<String> sections() throws IOException {
        return Pattern.compile("(?m)^##+ (.*)$")
                .matcher(Files.readString(RUNBOOK))
                .results()
                .map(RunbookTest::anchor)
                .collect(Collectors.toSet());
    }

    /** As GitHub makes anchors of headings. */
    private static String anchor(MatchResult heading) {
        return heading.group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }

    private static List<Path> javaFiles() throws IOException {
        try (Stream<Path> files = Files.walk(SIDECAR)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
