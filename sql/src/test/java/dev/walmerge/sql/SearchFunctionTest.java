package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code crdt.search} and what makes it quick: indexes that follow the settings. */
final class SearchFunctionTest {
    private final Database database = PostgresServer.shared().createInstalledDatabase();
    private Session session;

    @BeforeEach
    void connect() throws SQLException {
        session = new Session(database);
    }

    @AfterEach
    void disconnect() throws SQLException {
        session.close();
    }

    private void write(String doc, String text) throws SQLException {
        session.run("insert into crdt.docs (doc, version, epoch, body_text, complete, merged_lsn, op_count, staleness,"
                + " staleness_bound, updated_at) values ('" + doc + "', 1, 1, " + text + ", true, '0/1', 1, '0 s',"
                + " 'debounce', now())");
    }

    private String found(String query) throws SQLException {
        return session.value("select string_agg(doc, ' ' order by rank desc, doc) from crdt.search('" + query + "')");
    }

    @Test
    void ranksAndShowsWhere() throws SQLException {
        write("far", "'foxes in a story about many other animals that live somewhere in the wide wide woods'");
        write("near", "'the quick brown fox meets a fox <b>'");
        write("none", "'nothing to be seen'");
        assertThat(session.rows("select doc, rank > 0, headline from crdt.search('fox')"))
                .containsExactly(
                        "near|t|quick brown «fox» meets a «fox»",
                        "far|t|«foxes» in a story about many other animals that live somewhere in the wide wide woods");
        assertThat(session.rows("select doc from crdt.search('fox', max_rows => 1)"))
                .containsExactly("near");
        assertThat(session.rows("select doc from crdt.search('')")).isEmpty();
        assertThat(session.rows("select doc from crdt.search('the')")).isEmpty();
        assertThatThrownBy(() -> session.run("select * from crdt.search('fox', 'posts')"))
                .hasMessageContaining("there is no collection \"posts\"");
        assertThatThrownBy(() -> session.run("select * from crdt.search('fox', max_rows => 201)"))
                .hasMessageContaining("at most 200");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            quick fox             | a
            "quick brown"         | a
            "brown quick"         | b
            quick -fox            | b
            fox or bird           | a c
            qui* bro*             | a b
            qui* -fox             | b
            -qui*                 | c
            bir* or fo*           | a c
            "quick brown" fo*     | a
            th*                   | b
            b* s*                 | c
            wal*                  | ''
            *                     | ''
            """)
    void takesASearchAsPeopleTypeIt(String query, String docs) throws SQLException {
        write("a", "'the quick brown fox'");
        write("b", "'their brown quick thing'");
        write("c", "'a bird sings'");
        assertThat(session.value("select string_agg(doc, ' ' order by doc) from crdt.search('"
                        + query.replace("'", "''") + "')"))
                .isEqualTo(docs);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "one two",
                "\"one two\" -three",
                "a or b c or \"d e\"",
                "-x y",
                "it''s \\ a & | ! test:*",
                "\"open end",
                "",
                "5 * 3"
            })
    void withoutAStarItIsWebsearchToTsquery(String query) throws SQLException {
        assertThat(session.value("select crdt.query('simple', '" + query + "') = websearch_to_tsquery('simple', '"
                        + query + "')"))
                .isEqualTo("t");
    }

    @Test
    void aStarBesideTheRestIsTheRestAndTheStar() throws SQLException {
        assertThat(session.value("select crdt.query('english', '\"one two\" or cats -dogs wal*')::text"))
                .isEqualTo("'one' <-> 'two' | 'cat' & !'dog' & 'wal':*");
        assertThat(session.value("select crdt.query('english', 'it''s\\x* o''neil* -a:b*') is not null"))
                .isEqualTo("t");
    }

    @Test
    void eachConfigurationHasItsIndexAndUsesIt() throws SQLException {
        session.run("insert into crdt.docs (doc, version, epoch, body_text, complete, merged_lsn, op_count, staleness,"
                + " staleness_bound, updated_at) select 'doc-' || n, 1, 1, 'number ' || md5(n::text)"
                + " || case when n = 77 then ' Häuser needles' else '' end, true, '0/1', 1, '0 s', 'debounce', now()"
                + " from generate_series(1, 2000) n; analyze crdt.docs");
        assertThat(plan("needle")).anyMatch(line -> line.contains("Bitmap Index Scan on docs_search"));
        assertThat(found("Haus")).isEmpty();
        session.run("select crdt.alter_collection(search_config => 'german'); analyze crdt.docs");
        assertThat(found("Haus")).isEqualTo("doc-77");
        assertThat(plan("Haus")).anyMatch(line -> line.contains("Bitmap Index Scan on docs_search"));
        session.run("select crdt.alter_collection(search_language => true); analyze crdt.docs");
        assertThat(found("Haus")).isEqualTo("doc-77");
        session.run("update crdt.docs set language = 'english' where doc = 'doc-77'");
        assertThat(found("Haus")).isEmpty();
        assertThat(found("needle")).isEqualTo("doc-77");
        assertThat(plan("needle"))
                .filteredOn(line -> line.contains("Bitmap Index Scan on docs_search"))
                .hasSize(2);
        session.run("select crdt.alter_collection(search_config => 'english', search_language => false)");
        assertThat(session.value("select pg_get_indexdef('crdt.docs_search'::regclass)"))
                .endsWith("USING gin (crdt.tsv(body_text))");
        assertThat(session.value("select count(*) from crdt.command")).isEqualTo("0");
    }

    /** The plans of what runs inside the function. */
    private List<String> plan(String query) throws SQLException {
        session.run("load 'auto_explain'; set auto_explain.log_min_duration = 0; set client_min_messages = log;"
                + " set auto_explain.log_nested_statements = on");
        StringBuilder plans = new StringBuilder();
        try (Statement statement = session.connection().createStatement();
                ResultSet rows = statement.executeQuery("select * from crdt.search('" + query + "')")) {
            while (rows.next()) {
                // The plans come behind the last row.
            }
            for (SQLWarning plan = statement.getWarnings(); plan != null; plan = plan.getNextWarning()) {
                plans.append(plan.getMessage()).append('\n');
            }
        }
        session.run("set auto_explain.log_min_duration = -1; reset client_min_messages");
        return plans.toString().lines().toList();
    }

    @Test
    void anIndexMadeBeforehandIsTaken() throws SQLException {
        session.run("create index concurrently mine on crdt.docs using gin (crdt.tsv('simple', body_text))");
        String oid = session.value("select 'crdt.mine'::regclass::oid");
        session.run("select crdt.alter_collection(search_config => 'simple')");
        assertThat(session.value("select 'crdt.docs_search'::regclass::oid")).isEqualTo(oid);
        assertThat(session.value("select pg_get_indexdef('crdt.blocks_search'::regclass)"))
                .endsWith("USING gin (crdt.tsv('simple'::text, text))");
    }

    @Test
    void aTrigramIndexFindsPartsOfWordsInAnyScript() throws SQLException {
        assertThatThrownBy(() -> session.run("select crdt.alter_collection(search_trigram => true)"))
                .hasMessageContaining("needs the extension pg_trgm");
        session.run("create extension pg_trgm");
        session.run("select crdt.alter_collection(search_trigram => true)");
        write("ja", "'全文検索は難しい'");
        write("ar", "'مرحبا بالعالم'");
        session.run("set enable_seqscan = off");
        String like = "select doc from crdt.docs where body_text ilike '%文検索%'";
        assertThat(session.rows(like)).containsExactly("ja");
        assertThat(session.rows("explain (costs off) " + like)).anyMatch(line -> line.contains("docs_trigram"));
        // What the parser takes for one word is found as a whole, or by its beginning.
        assertThat(found("検索")).isEmpty();
        assertThat(found("全文*")).isEqualTo("ja");
        assertThat(found("بالعالم")).isEqualTo("ar");
        session.run("select crdt.alter_collection(search_trigram => false)");
        assertThat(session.value("select to_regclass('crdt.docs_trigram') is null"))
                .isEqualTo("t");
    }

    @Test
    void whatIsCutIsFlaggedInItsRow() throws SQLException {
        write("words", "(select string_agg('word' || n, ' ') from generate_series(1, 150000) n)");
        write("repeated", "repeat('word ', 300000)");
        write("short", "'word'");
        String cut = "select string_agg(doc, ' ' order by doc) from crdt.docs where search_cut";
        assertThat(session.value(cut)).isEqualTo("words");
        session.run("update crdt.docs set body_text = 'short' where doc = 'words'");
        assertThat(session.value(cut)).isEmpty();
    }

    @Test
    void aLanguageMustExist() throws SQLException {
        write("a", "'Häuser'");
        assertThatThrownBy(() -> session.run("update crdt.docs set language = 'klingon'"))
                .hasMessageContaining("there is no text-search configuration \"klingon\"");
        assertThatThrownBy(() -> session.run("select crdt.alter_collection(search_config => 'klingon')"))
                .hasMessageContaining("there is no text-search configuration \"klingon\"");
        session.run("create schema app; create text search configuration app.mine (copy = german)");
        session.run("select crdt.alter_collection(search_language => true)");
        try (Session writer = Session.as(database, "crdt_writer")) {
            writer.run("update crdt.docs set language = 'app.mine' where doc = 'a'");
        }
        assertThat(found("Haus")).isEqualTo("a");
        // One that goes away stops nothing.
        session.run("drop text search configuration app.mine");
        session.run("update crdt.docs set body_text = 'Haus'");
        assertThat(found("Haus")).isEqualTo("a");
    }

    @Test
    void onlyTheOwnerMakesIndexes() throws SQLException {
        try (Session operator = Session.as(database, "crdt_operator")) {
            assertThatThrownBy(() -> operator.run("select crdt.alter_collection(search_config => 'german')"))
                    .hasMessageContaining("only the owner of crdt.docs");
        }
        try (Session reader = Session.as(database, "crdt_reader")) {
            assertThat(reader.rows("select * from crdt.search('wor*')")).isEmpty();
        }
    }
}
