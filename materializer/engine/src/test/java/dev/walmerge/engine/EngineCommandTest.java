package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.AB_V2;
import static dev.walmerge.engine.Updates.BANG;
import static dev.walmerge.engine.Updates.HELLO;
import static dev.walmerge.engine.Updates.QUESTION;
import static dev.walmerge.engine.Updates.UNKNOWN_CONTENT;
import static dev.walmerge.engine.Updates.YOU;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator orders about dead letters, from the sink to the tables. */
final class EngineCommandTest {
    @TempDir
    Path journal;

    private EngineFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new EngineFixture(journal);
        fixture.start(fixture.settings().shards(2).parkedMax(1, 1_000).build(), Policy.defaults());
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aLetterThatMergesNowIsGone() throws Exception {
        overflow("a", "b", "c");
        fixture.insert("a", UNKNOWN_CONTENT);
        fixture.sync();
        assertThat(letters()).isEqualTo("a parked-overflow, a unknown-content, b parked-overflow, c parked-overflow");
        long id = order("retry-dead-letter", "doc, rule", "'b', 'parked-overflow'");
        fixture.sync();
        assertThat(letters()).isEqualTo("a parked-overflow, a unknown-content, c parked-overflow");
        assertThat(fixture.text("b")).isEqualTo("hello you!?");
        assertThat(fixture.one("select op_count from crdt.docs where doc = 'b'"))
                .isEqualTo("4");
        fixture.eventually(
                "done", () -> fixture.one("select done_at <= now() from crdt.command where id = " + id) != null);
        order("retry-dead-letter", "rule", "'parked-overflow'");
        fixture.sync();
        assertThat(letters()).isEqualTo("a unknown-content");
        assertThat(fixture.one("select string_agg(distinct body_text, ' ') from crdt.docs"))
                .isEqualTo("hello you!?");
        assertThat(LoadedText.of(fixture.database, "a")).isEqualTo("hello you!?");
    }

    /** Two who type in turn; what was first comes last, and the rest in an order that a seed makes. */
    @Test
    void oneRetryFreesAllThatLiesInAnyOrder() throws Exception {
        fixture.engine.close();
        fixture.start(fixture.settings().parkedMax(20, 1 << 20).build(), Policy.defaults());
        List<byte[]> updates = new ArrayList<>();
        int[] clocks = {0, 0};
        for (int i = 0; i < 400; i++) {
            int me = i % 2;
            int other = 1 - me;
            String at = i == 0 ? "04 01 01 74" : "84 %02x %s".formatted(other + 1, varint(clocks[other] - 1));
            updates.add(
                    Updates.hex("01 01 %02x %s %s 01 %02x 00".formatted(me + 1, varint(clocks[me]), at, 'a' + i % 26)));
            clocks[me]++;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            text.append((char) ('a' + i % 26));
        }
        byte[] first = updates.remove(0);
        Collections.shuffle(updates, new Random(7));
        updates.add(first);
        for (byte[] update : updates) {
            fixture.insert("d", update);
        }
        fixture.sync();
        assertThat(fixture.one("select count(*) > 300 from crdt.dead_letter where rule = 'parked-overflow'"))
                .isEqualTo("t");
        order("retry-dead-letter", "doc, rule", "'d', 'parked-overflow'");
        fixture.sync();
        assertThat(letters()).isNull();
        assertThat(fixture.text("d")).isEqualTo(text.toString());
        assertThat(fixture.one("select op_count from crdt.docs")).isEqualTo("400");
        assertThat(fixture.one("select count(*) from crdt.parked")).isEqualTo("0");
        assertThat(LoadedText.of(fixture.database, "d")).isEqualTo(text.toString());
    }

    private static String varint(int value) {
        return value < 0x80 ? "%02x".formatted(value) : "%02x %02x".formatted((value & 0x7f) | 0x80, value >> 7);
    }

    @Test
    void oneThatIsRefusedAgainStaysWithItsNewReason() throws Exception {
        fixture.insert("a", AB_V2);
        fixture.insert("b", AB_V2);
        fixture.sync();
        fixture.database.execute("update crdt.dead_letter set rule = 'x', reason = 'x', byte_offset = 99");
        order("retry-dead-letter", "rule", "'x'");
        fixture.sync();
        assertThat(letters()).isEqualTo("a trailing-bytes, b trailing-bytes");
        assertThat(fixture.one("select count(*) from crdt.dead_letter where reason <> 'x' and byte_offset < 99"))
                .isEqualTo("2");
        // What was declared wrongly is retried as what it is.
        order("retry-dead-letter", "doc, format", "'a', 'yjs-v2'");
        fixture.sync();
        assertThat(letters()).isEqualTo("b trailing-bytes");
        assertThat(fixture.text("a")).isEqualTo("ab");
    }

    @Test
    void aDiscardedLetterIsGoneAndNothingElse() throws Exception {
        for (String doc : new String[] {"a", "b", "c", "d"}) {
            fixture.insert(doc, HELLO);
            fixture.insert(doc, UNKNOWN_CONTENT);
        }
        fixture.sync();
        order("discard-dead-letter", "dead_letter", "(select id from crdt.dead_letter where doc = 'c')");
        fixture.sync();
        assertThat(letters()).isEqualTo("a unknown-content, b unknown-content, d unknown-content");
        order("discard-dead-letter", "doc", "'a'");
        fixture.sync();
        assertThat(letters()).isEqualTo("b unknown-content, d unknown-content");
        order("discard-dead-letter", "rule", "'unknown-content'");
        fixture.sync();
        assertThat(letters()).isNull();
        assertThat(fixture.one("select count(*) from crdt.docs where body_text = 'hello'"))
                .isEqualTo("4");
    }

    @Test
    void aRetriedLetterStaysUntilItsDocumentIsWritten() throws Exception {
        overflow("a");
        fixture.engine.close();
        fixture.start(
                fixture.settings().patience(new Patience(200, 60_000, 60_000)).build(), Policy.defaults());
        // Neither its own rows nor held can be written: nothing is committed.
        fixture.database.execute("""
                create function crdt.refuse() returns trigger language plpgsql as $$
                begin raise exception 'no'; end $$;
                create trigger refuse before insert on crdt.tail for each row execute function crdt.refuse();
                create trigger refuse before insert on crdt.held for each row execute function crdt.refuse()""");
        order("retry-dead-letter", "doc", "'a'");
        fixture.barrier();
        fixture.eventually("merged", () -> fixture.engine.stats().merged() == 1);
        assertThat(letters()).isEqualTo("a parked-overflow");
        fixture.engine.close();
        assertThat(letters()).isEqualTo("a parked-overflow");
        fixture.database.execute("drop trigger refuse on crdt.held");
        fixture.start();
        order("retry-dead-letter", "doc", "'a'");
        fixture.sync();
        assertThat(letters()).as("held is written, too").isNull();
        assertThat(LoadedText.of(fixture.database, "a")).isEqualTo("hello you!?");
    }

    /** Documents that lack an update, which is a dead letter: it is not merged behind its back. */
    private void overflow(String... docs) throws Exception {
        for (String doc : docs) {
            fixture.insert(doc, HELLO);
            fixture.insert(doc, BANG);
            fixture.insert(doc, QUESTION);
        }
        for (String doc : docs) {
            fixture.insert(doc, YOU);
        }
        fixture.sync();
        assertThat(fixture.one("select string_agg(distinct body_text, ' ') from crdt.docs"))
                .isEqualTo("hello you!");
    }

    /** Inserts the row, and hands it on as the slot would. */
    private long order(String name, String columns, String values) throws SQLException {
        fixture.database.execute(
                "insert into crdt.command (name, " + columns + ") values ('" + name + "', " + values + ")");
        String last = " from crdt.command order by id desc limit 1";
        long id = Long.parseLong(fixture.one("select id" + last));
        String letter = fixture.one("select dead_letter" + last);
        fixture.command(new Command(
                id,
                name,
                "default",
                fixture.one("select doc" + last),
                letter == null ? Command.NONE : Long.parseLong(letter),
                fixture.one("select rule" + last),
                fixture.one("select format" + last)));
        return id;
    }

    private String letters() throws SQLException {
        return fixture.one("select string_agg(doc || ' ' || rule, ', ' order by doc, rule) from crdt.dead_letter");
    }
}
