package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.HELLO;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Texts and JSON that Postgres does not take: the error stands in the row, nobody else notices, and the row is right by
 * itself once the cause is gone.
 */
final class ProjectionRefusalTest {
    private static final String BAD = "d";

    @TempDir
    Path journal;

    private EngineFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new EngineFixture(journal);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private EngineSettings settings() {
        return fixture.settings().patience(new Patience(200, 50, 400)).build();
    }

    @Test
    void aStatementTimeout() throws Exception {
        fixture.start(settings(), Policy.defaults(), () -> {
            Connection connection = fixture.database.connect();
            try (Statement statement = connection.createStatement()) {
                statement.execute("set statement_timeout = '300ms'");
            }
            return connection;
        });
        fixture.database.execute("""
                create function crdt.slow() returns trigger language plpgsql as $$
                begin
                  if new.doc = 'd' and new.body_text <> '' then perform pg_sleep(10); end if;
                  return new;
                end $$;
                create trigger slow before insert or update of body_text on crdt.docs
                for each row execute function crdt.slow()""");
        refused("a word", "57014");
        // Within its pause it is not tried: new content costs the others nothing.
        long start = System.nanoTime();
        fixture.insert("quick", HELLO);
        fixture.sync();
        assertThat((System.nanoTime() - start) / 1_000_000).isLessThan(5_000);
        fixture.database.execute("drop trigger slow on crdt.docs");
        recovered("a word");
    }

    @Test
    void moreWordsThanATsvectorHolds() throws Exception {
        fixture.start(settings(), Policy.defaults());
        String words = words(90_000);
        fixture.insert(BAD, Updates.append(0, words));
        fixture.sync();
        recovered(words);
        assertThat(fixture.one("select crdt.tsv_cut(body_text) from crdt.docs")).isEqualTo("t");
        fixture.database.execute("truncate crdt.docs, crdt.ydoc;"
                + " create index mine on crdt.docs using gin (to_tsvector('simple', body_text))");
        fixture.restart(settings(), Policy.defaults());
        refused(words, "54000");
        fixture.database.execute("drop index crdt.mine");
        recovered(words);
    }

    @Test
    void anIndexEntryThatIsTooLong() throws Exception {
        fixture.start(settings(), Policy.defaults());
        fixture.database.execute("create index mine on crdt.docs (body_text)");
        String words = words(3_000);
        refused(words, "54000");
        // While the cause is there, a shorter text goes through at once.
        fixture.insert(BAD, deleteFrom(10, words.length() - 10));
        fixture.sync();
        recovered(words.substring(0, 10));
        fixture.database.execute("drop index crdt.mine");
    }

    @Test
    void theErrorOutlivesTheProcessAndSoDoesTheCure() throws Exception {
        fixture.start(settings(), Policy.defaults());
        fixture.database.execute("create index mine on crdt.docs (body_text)");
        String words = words(3_000);
        refused(words, "54000");
        fixture.engine.close();
        fixture.database.execute("drop index crdt.mine");
        fixture.start(settings(), Policy.defaults());
        recovered(words);
    }

    @Test
    void nulAndHalfACharacterAreWritten() throws Exception {
        fixture.start(settings(), Policy.defaults());
        fixture.insert("nul", "01 01 01 00 04 01 01 74 01 00 00");
        // A map whose key and value hold NUL.
        fixture.insert("map", "01 01 01 00 28 01 01 6d 03 61 00 62 01 77 02 00 63 00");
        // A chart symbol, of which the second half is deleted.
        fixture.insert("half", "01 01 01 00 04 01 01 74 06 41 f0 9f 93 8a 42 00");
        fixture.insert("half", "00 01 01 01 02 01");
        fixture.sync();
        assertThat(fixture.one("select string_agg(doc || coalesce(error, ''), ' ' order by doc) from crdt.docs"))
                .isEqualTo("half map nul");
        assertThat(fixture.text("nul")).isEqualTo("\uFFFD");
        assertThat(fixture.text("half")).isEqualTo("A\uFFFDB");
        assertThat(fixture.one("select body_json from crdt.docs where doc = 'map'"))
                .isEqualTo("{\"m\": {\"a\uFFFDb\": \"\uFFFDc\"}}");
        assertThat(fixture.one("select state from crdt.ydoc where doc = 'nul'"))
                .as("the bytes are kept")
                .isEqualTo("\\x0101010004010174010000");
    }

    /** Inserts the text into the document, with healthy ones around it. */
    private void refused(String text, String sqlState) throws Exception {
        for (int i = 0; i < 10; i++) {
            fixture.insert("before-" + i, HELLO);
        }
        fixture.insert(BAD, Updates.append(0, text));
        for (int i = 0; i < 10; i++) {
            fixture.insert("after-" + i, HELLO);
        }
        fixture.sync();
        assertThat(fixture.one("select error from crdt.docs where doc = 'd'"))
                .startsWith("projection-failed " + sqlState);
        assertThat(fixture.text(BAD)).isNull();
        assertThat(fixture.one("select count(*) from crdt.docs where body_text = 'hello' and error is null"))
                .isEqualTo("20");
        assertThat(LoadedText.of(fixture.database, BAD)).isEqualTo(text);
        assertThat(fixture.one("select count(*) from crdt.held")).isEqualTo("0");
    }

    private void recovered(String text) throws SQLException {
        fixture.eventually("recovered", () -> text.equals(fixture.text(BAD)));
        assertThat(fixture.one("select error from crdt.docs where doc = 'd'")).isNull();
        assertThat(fixture.one("select merged_lsn > '0/0' from crdt.docs where doc = 'd'"))
                .isEqualTo("t");
    }

    /** Distinct words that do not compress well. */
    private static String words(int count) {
        Random random = new Random(3);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(Integer.toString(random.nextInt(1 << 30), 36)).append(i).append(' ');
        }
        return text.toString();
    }

    /** An update that deletes what client 1 wrote, from a clock on. */
    private static byte[] deleteFrom(int clock, int count) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0, 1, 1, 1});
        Updates.varint(out, clock);
        Updates.varint(out, count);
        return out.toByteArray();
    }
}
