package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SearchTest {
    private static final Database DATABASE = PostgresServer.shared().createInstalledDatabase();
    private static Session session;

    @BeforeAll
    static void connect() throws SQLException {
        session = new Session(DATABASE);
    }

    @AfterAll
    static void disconnect() throws SQLException {
        session.close();
    }

    @Test
    void equalsToTsvectorWhereThatWorks() throws SQLException {
        assertThat(session.value("select crdt.tsv('The quick brown foxes')::text"))
                .isEqualTo("'brown':3 'fox':4 'quick':2");
        assertThat(session.value("select crdt.tsv(null) is null and crdt.tsv_cut(null) is null"))
                .isEqualTo("t");
        // 40,000 words in 430 kB are taken in pieces, and split nowhere.
        assertThat(session.rows("select crdt.tsv(t) = to_tsvector('english', t), crdt.tsv_cut(t) from"
                        + " (select string_agg('word' || n, ' ') t from generate_series(1, 40000) n) x"))
                .containsExactly("t|f");
    }

    @Test
    void aHundredAndFiftyThousandDistinctWordsAreCutAndFlagged() throws SQLException {
        assertThat(session.rows("select length(crdt.tsv(t)) between 60000 and 149999, crdt.tsv_cut(t),"
                        + " crdt.tsv(t) @@ 'word60000' from"
                        + " (select string_agg('word' || n, ' ') t from generate_series(1, 150000) n) x"))
                .containsExactly("t|t|t");
    }

    @Test
    void oneWordRepeatedIsNotCut() throws SQLException {
        assertThat(session.rows("select crdt.tsv(t)::text like '''word'':1,2,3%', length(crdt.tsv(t)), crdt.tsv_cut(t)"
                        + " from repeat('word ', 300000) t"))
                .containsExactly("t|1|f");
    }

    /** Texts of just under 128 kB, where no piece is made: what a tsvector needs for them must stay below its limit. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "to_hex(n)",
                "'x' || to_hex(n) || '-y' || to_hex(n)",
                "'a.' || to_hex(n) || '.co/' || to_hex(n)",
                "'a' || to_hex(n) || '@b' || to_hex(n) || '.org'",
                "chr(19968 + n % 20000) || chr(19968 + n * 7 % 20000)",
                "chr(570) || to_hex(n)",
                "chr(97 + n % 26) || '-' || chr(97 + n / 26 % 26) || '-' || chr(97 + n / 676 % 26) || '-' || to_hex(n)"
            })
    void theDensestTextsOf128KilobytesFit(String word) throws SQLException {
        assertThat(session.rows(
                        "select octet_length(t), pg_column_size(crdt.tsv(t)) < 800000 from (select left(t, 131072"
                                + " - (octet_length(left(t, 131072)) - 131072)) t from (select string_agg(" + word
                                + ", ' ') t from generate_series(1, 60000) n) y) x"))
                .allMatch(row -> row.endsWith("|t"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "repeat('w', 500000)",
                "repeat('日本', 100000)",
                "repeat(E'\\n', 300000)",
                "repeat('a/', 90000)",
                "''"
            })
    void oddTextsDoNotFail(String text) throws SQLException {
        assertThat(session.value("select crdt.tsv(" + text + ") is not null")).isEqualTo("t");
    }

    @Test
    void theIndexIsUsedAndFindsWhatWasWritten() throws SQLException {
        session.run("insert into crdt.docs (doc, version, epoch, body_text, complete, merged_lsn, op_count, staleness,"
                + " staleness_bound, updated_at) select 'doc-' || n, 1, 1, 'number ' || md5(n::text)"
                + " || case when n = 77 then ' needles' else '' end, true, '0/1', 1, '0 s', 'debounce', now()"
                + " from generate_series(1, 500) n");
        session.run("analyze crdt.docs");
        String search =
                "select doc from crdt.docs where crdt.tsv(body_text) @@ websearch_to_tsquery('english', 'needle')";
        assertThat(session.rows(search)).containsExactly("doc-77");
        List<String> plan = session.rows("explain (costs off) " + search);
        assertThat(plan).anyMatch(line -> line.contains("Bitmap Index Scan on docs_search"));
    }

    @Test
    void parallelWorkersMayRunIt() throws SQLException {
        session.run("create table crdt.long_text as select repeat('hello world ', 12000) || n as t"
                + " from generate_series(1, 4) n");
        session.run("set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; set parallel_tuple_cost = 0");
        String count = "select count(*) from crdt.long_text where crdt.tsv(t) @@ 'hello'";
        assertThat(session.rows("explain " + count)).anyMatch(line -> line.contains("Parallel"));
        assertThat(session.value(count)).isEqualTo("4");
    }
}
