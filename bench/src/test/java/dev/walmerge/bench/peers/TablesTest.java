package dev.walmerge.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TablesTest {
    private final Figures figures = new Figures();
    private final Tables tables = new Tables(figures);

    @TempDir
    Path folder;

    @Test
    void showsMediansAndTheRatioToTheBestPeer() throws IOException {
        for (int ms : new int[] {900, 100, 200}) {
            apply("yjs", ms, 5);
        }
        apply("ywasm", 40, 5);
        apply("walmerge", 30, 5);
        apply("walmerge", 10, 5);

        String table = tables.ofTrace("t", 1234, EnumSet.of(Row.APPLY_SINGLE, Row.MEMORY));
        assertThat(table.lines()).hasSize(3);
        assertThat(cells(table, 2))
                .containsExactly("apply 1,234 single updates, ms", "200", "40.0", "-", "-", "-", "-", "20.0", "0.50");
    }

    @Test
    void anEngineWithOneFormatStandsInTheRowsOfBoth() throws IOException {
        add("{'engine':'loro','row':'load-hot','trace':'t','format':'own','ms':2,'warmups':9,'samples':3}");
        add("{'engine':'walmerge','row':'load-hot','trace':'t','format':'v1','ms':1,'warmups':9,'samples':3}");

        String table = tables.ofTrace("t", 1, EnumSet.of(Row.LOAD_HOT_V1, Row.LOAD_HOT_V2));
        assertThat(cells(table, 2)).contains("2.00", "1.00", "0.50");
        assertThat(cells(table, 3)).contains("2.00").doesNotContain("1.00");
    }

    @Test
    void saysWhyThereIsNoFigureAndWhichWereNotRepeated() throws IOException {
        apply("loro", 5000, 0);
        add("{'engine':'automerge','row':'apply-single','trace':'t','reason':'given up'}");

        assertThat(cells(tables.ofTrace("t", 1, EnumSet.of(Row.APPLY_SINGLE)), 2))
                .contains("5,000 *");
        assertThat(tables.notes()).contains("one pass of one process").contains("given up: automerge t apply-single");
        assertThat(figures.isSettled(Row.APPLY_SINGLE.keyOf(Engine.LORO, "t"))).isTrue();
        assertThat(figures.isSettled(Row.APPLY_SINGLE.keyOf(Engine.AUTOMERGE, "t")))
                .isTrue();
        assertThat(figures.isSettled(Row.APPLY_SINGLE.keyOf(Engine.YJS, "t"))).isFalse();
    }

    @Test
    void theFirstPassStandsBesideTheWarmOnes() throws IOException {
        for (int first : new int[] {900, 300, 500}) {
            add("{'engine':'yjs','row':'apply-single','trace':'t','ms':100,'firstMs':%d,'warmups':5,'samples':3}"
                    .formatted(first));
        }

        String table = tables.ofTrace("t", 1, EnumSet.of(Row.APPLY_SINGLE, Row.APPLY_SINGLE_FIRST));
        assertThat(cells(table, 2)).contains("100");
        assertThat(cells(table, 3)).contains("500").doesNotContain("100");
    }

    @Test
    void aFirstCallIsRepeatedInOtherProcesses() throws IOException {
        add("{'engine':'yjs','row':'load-first','trace':'t','format':'v1','ms':79,'warmups':0,'samples':1}");

        assertThat(figures.isSettled(Row.LOAD_FIRST_V1.keyOf(Engine.YJS, "t"))).isFalse();
        assertThat(cells(tables.ofTrace("t", 1, EnumSet.of(Row.LOAD_FIRST_V1)), 2))
                .contains("79.0");
    }

    @Test
    void scenariosAreComparedWithYjsAndWithTheBest() throws IOException {
        add("{'engine':'yjs-v2','scenario':'create','items':10,'micros':100,'bytes':null}");
        add("{'engine':'json-joy','scenario':'create','items':10,'micros':50,'bytes':7}");
        add("{'engine':'walmerge-v2','scenario':'create','items':10,'micros':20,'bytes':1234}");

        assertThat(cells(tables.ofScenarios(10), 2))
                .containsExactly("create", "-", "100", "50.0 (7)", "-", "-", "20.0 (1,234)", "0.20", "0.40");
    }

    @Test
    void theReportHasFiguresAndReasons() throws IOException {
        apply("yjs", 100, 5);
        apply("yjs", 300, 5);
        add("{'engine':'loro','row':'memory','trace':'t','format':'own','reason':'given up'}");
        Path file = folder.resolve("peers.json");
        new Report(Map.of("node", "v20")).write(figures, file);

        assertThat(new ObjectMapper().readTree(Files.readString(file)))
                .isEqualTo(json("{'scenario':'peers','node':'v20',"
                        + "'figures':[{'engine':'yjs','subject':'t','row':'apply-single','ms':200.0,'low':100.0,"
                        + "'high':300.0,'processes':2,'warmups':5,'samples':3}],"
                        + "'missing':[{'engine':'loro','subject':'t','row':'memory','format':'own',"
                        + "'reason':'given up'}]}"));
    }

    private void apply(String engine, int ms, int warmups) throws IOException {
        add("{'engine':'%s','row':'apply-single','trace':'t','ms':%d,'warmups':%d,'samples':3}"
                .formatted(engine, ms, warmups));
    }

    private void add(String line) throws IOException {
        figures.add(json(line));
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    private static String[] cells(String table, int line) {
        String row = table.lines().toList().get(line);
        return row.substring(2, row.length() - 2).strip().split(" *\\| *");
    }
}
