package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.AB_V2;
import static dev.walmerge.engine.Updates.BANG;
import static dev.walmerge.engine.Updates.HELLO;
import static dev.walmerge.engine.Updates.QUESTION;
import static dev.walmerge.engine.Updates.UNKNOWN_CONTENT;
import static dev.walmerge.engine.Updates.YOU;
import static dev.walmerge.engine.Updates.append;
import static dev.walmerge.engine.Updates.bytea;
import static dev.walmerge.engine.Updates.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the sink to the tables of a real Postgres. Updates are Yjs V1, written by hand. */
final class EngineTest {
    @TempDir
    Path journal;

    private EngineFixture fixture;

    @BeforeEach
    void open() {
        fixture = new EngineFixture(journal);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void anOpBecomesTextStateAndProgress() throws Exception {
        fixture.start();
        long end = fixture.insert("post-1", HELLO);
        fixture.eventually("written", () -> fixture.engine.writtenLsn() == end);
        assertThat(fixture.text("post-1")).isEqualTo("hello");
        assertThat(fixture.one("select version || ' ' || epoch || ' ' || complete || ' ' || staleness_bound || ' '"
                        + " || merged_lsn || ' ' || op_count || ' ' || (body_json is null) from crdt.docs"))
                .isEqualTo("1 1 true debounce " + Lsn.format(end) + " 1 true");
        assertThat(fixture.one("select state from crdt.ydoc")).isEqualTo(bytea(HELLO));
        assertThat(fixture.one("select written from crdt.progress")).isEqualTo(Lsn.format(end));
        assertThat(fixture.engine.quiet()).isTrue();
        assertThat(fixture.engine.failure()).isNull();
    }

    @Test
    void laterFlushesAppendTailRowsAndAFoldPutsThemIntoTheState() throws Exception {
        fixture.start(fixture.settings().build(), policy(2));
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.insert("d", YOU);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you");
        assertThat(fixture.one("select count(*) from crdt.tail")).isEqualTo("1");
        assertThat(fixture.one("select state from crdt.ydoc")).isEqualTo(bytea(HELLO));
        // Another engine reads state and tail, and goes on.
        fixture.restart(fixture.settings().build(), policy(2));
        fixture.insert("d", BANG);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you!");
        assertThat(fixture.one("select count(*) from crdt.tail")).isEqualTo("2");
        fixture.insert("d", QUESTION);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you!?");
        assertThat(fixture.one("select count(*) from crdt.tail")).isEqualTo("0");
        assertThat(fixture.one("select version || ' ' || op_count from crdt.docs"))
                .isEqualTo("4 4");
        assertThat(fixture.one("select state from crdt.ydoc"))
                .isEqualTo(bytea("01 01 01 00 04 01 01 74 0b 68 65 6c 6c 6f 20 79 6f 75 21 3f 00"));
    }

    @Test
    void anIdleDocumentIsFolded() throws Exception {
        fixture.start(fixture.settings().build(), policy(64, Duration.ofMillis(50)));
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.insert("d", YOU);
        fixture.sync();
        fixture.eventually(
                "folded",
                () -> fixture.one("select octet_length(state) from crdt.ydoc").equals("19"));
        assertThat(fixture.one("select count(*) from crdt.tail")).isEqualTo("0");
        assertThat(fixture.text("d")).isEqualTo("hello you");
        assertThat(fixture.one("select version from crdt.docs")).isEqualTo("2");
    }

    @Test
    void aMapBecomesJson() throws Exception {
        fixture.start();
        // bigint k in the map root m (the largest a 64-bit integer holds, less 255).
        fixture.insert("m", "01 01 01 00 28 01 01 6d 01 6b 01 7a 7f ff ff ff ff ff ff 00 00");
        fixture.sync();
        assertThat(fixture.one("select body_json from crdt.docs")).isEqualTo("{\"m\": {\"k\": 9223372036854775552}}");
    }

    @Test
    void formatsAreDeclared() throws Exception {
        fixture.start();
        fixture.insert(fixture.op("v2", "yjs-v2", hex(AB_V2), null));
        fixture.insert(fixture.op("framed", "yjs-framed", framed(HELLO, YOU), null));
        fixture.insert(fixture.op("wrong", null, hex(AB_V2), null));
        fixture.sync();
        assertThat(fixture.text("v2")).isEqualTo("ab");
        assertThat(fixture.text("framed")).isEqualTo("hello you");
        assertThat(fixture.text("wrong")).isNull();
        assertThat(fixture.one("select doc from crdt.dead_letter")).isEqualTo("wrong");
    }

    @Test
    void anEarlyUpdateIsParkedAndCompletedLater() throws Exception {
        fixture.start();
        fixture.insert("d", YOU);
        fixture.insert("d", BANG);
        fixture.sync();
        assertThat(fixture.one("select complete || ' ' || missing || ' ' || body_text from crdt.docs"))
                .isEqualTo("false {\"1\": 4} ");
        assertThat(fixture.one("select count(*) || ' ' || min(payload::text) from crdt.parked"))
                .isEqualTo("2 " + bytea(YOU));
        assertThat(fixture.one("select string_agg(row_id || ' ' || lsn, ',' order by seq) from crdt.parked"))
                .isEqualTo("1 0/1030,2 0/1060");
        fixture.restart(fixture.settings().build(), Policy.defaults());
        fixture.insert("d", HELLO);
        fixture.sync();
        assertThat(fixture.one("select complete || ' ' || (missing is null) || ' ' || body_text from crdt.docs"))
                .isEqualTo("true true hello you!");
        assertThat(fixture.one("select count(*) from crdt.parked")).isEqualTo("0");
        // What the parked updates said is in state and tail now, not only in memory.
        fixture.restart(fixture.settings().build(), Policy.defaults());
        fixture.insert("d", QUESTION);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you!?");
    }

    @Test
    void whatCannotBeMergedIsADeadLetterAndTheRestGoesOn() throws Exception {
        fixture.start(
                fixture.settings().maxPayloadBytes(1000).parkedMax(1, 100_000).build(), Policy.defaults());
        byte[] base64 = Base64.getEncoder().encode(hex(HELLO));
        fixture.insert(
                fixture.op("bad", null, hex(UNKNOWN_CONTENT), null),
                fixture.op("bad", null, hex("01 01 01 00 04 01 01 74 05 61 62"), null),
                fixture.op("bad", null, base64, null),
                fixture.op("bad", "automerge", hex(HELLO), null),
                fixture.op("bad", null, null, "{\"at\": 0, \"insert\": \"x\"}"),
                fixture.op("bad", null, new byte[1001], null),
                fixture.op("k".repeat(2049), null, hex(HELLO), null),
                fixture.op("early", null, hex(YOU), null),
                fixture.op("early", null, hex(BANG), null),
                fixture.op("bad", "yjs-framed", hex("05 01 01"), null),
                fixture.op("bad", null, hex(HELLO + "00 00"), null),
                new Op("elsewhere", "bad", null, hex(HELLO), null, "app", 12),
                fixture.op("good", null, hex(HELLO), null));
        fixture.sync();
        assertThat(fixture.text("good")).isEqualTo("hello");
        assertThat(fixture.one("select string_agg(rule, ' ' order by seq) from crdt.dead_letter where seq > 2"))
                .isEqualTo("unknown-format json-op-not-supported-yet update-too-large key-too-long parked-overflow"
                        + " bad-frame trailing-bytes unknown-collection");
        assertThat(fixture.one("select string_agg(seq::text, ' ' order by seq) from crdt.dead_letter"))
                .isEqualTo("0 1 2 3 4 5 6 8 9 10 11");
        assertThat(fixture.one("select payload::text || ' ' || row_id || ' ' || role || ' ' || byte_offset"
                        + " from crdt.dead_letter where seq = 1"))
                .startsWith(bytea("01 01 01 00 04 01 01 74 05 61 62") + " 2 app ");
        assertThat(fixture.one("select reason from crdt.dead_letter where seq = 2"))
                .contains("base64");
        assertThat(fixture.one("select op->>'insert' from crdt.dead_letter where seq = 4"))
                .isEqualTo("x");
        assertThat(fixture.one("select count(distinct lsn) from crdt.dead_letter"))
                .isEqualTo("1");
        assertThat(fixture.engine.stats().deadLetters()).isEqualTo(11);
    }

    @Test
    void whatWaitedForAMomentOnlyNeverCountsAsWaiting() throws Exception {
        EngineSettings settings = fixture.settings().parkedMax(3, 100_000).build();
        fixture.start(settings, Policy.defaults());
        Op[] backwards = new Op[40];
        for (int i = 0; i < backwards.length; i += 2) {
            backwards[i] = fixture.op("d", null, append(i + 1, "b"), null);
            backwards[i + 1] = fixture.op("d", null, append(i, "a"), null);
        }
        fixture.insert(backwards);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("ab".repeat(20));
        // One that waits for good, so that something always does; and two that are stored before they are merged.
        fixture.insert("d", "01 01 02 05 84 01 04 04 20 79 6f 75 00");
        fixture.insert("d", append(42, "c"));
        fixture.insert("d", append(41, "b"));
        fixture.sync();
        assertThat(fixture.one("select count(*) from crdt.parked")).isEqualTo("3");
        fixture.restart(settings, Policy.defaults());
        Op[] rest = new Op[41];
        rest[0] = fixture.op("d", null, append(40, "a"), null);
        for (int i = 1; i < rest.length; i += 2) {
            rest[i] = fixture.op("d", null, append(43 + i, "b"), null);
            rest[i + 1] = fixture.op("d", null, append(42 + i, "a"), null);
        }
        fixture.insert(rest);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("ab".repeat(20) + "abc" + "ab".repeat(20));
        assertThat(fixture.one("select count(*) from crdt.dead_letter")).isEqualTo("0");
        assertThat(fixture.one("select count(*) from crdt.parked")).isEqualTo("1");
    }

    @Test
    void opsThatComeAgainAfterARestartChangeNothing() throws Exception {
        fixture.start();
        long first = fixture.nextLsn();
        feed();
        fixture.sync();
        String rows = everything();
        // The progress row is older than what was written: everything comes again.
        fixture.engine.close();
        fixture.database.execute("update crdt.progress set written = '0/1000'");
        fixture.start();
        fixture.rewind(first);
        feed();
        fixture.sync();
        assertThat(everything()).isEqualTo(rows);
        assertThat(fixture.engine.stats().merged())
                .as("what the rows hold is not merged again")
                .isZero();
    }

    private void feed() {
        fixture.insert("a", HELLO);
        fixture.insert("b", YOU);
        fixture.insert("a", YOU);
        fixture.insert("c", UNKNOWN_CONTENT);
        fixture.insert("a", BANG);
    }

    private String everything() throws Exception {
        return fixture.one("""
                select (select json_agg(to_jsonb(d) - 'updated_at' - 'epoch' - 'token' order by doc) from crdt.docs d)
                  || ' ' || (select json_agg(to_jsonb(y) - 'compacted_at' order by doc) from crdt.ydoc y)
                  || ' ' || coalesce((select json_agg(t order by doc, seq) from crdt.tail t)::text, '')
                  || ' ' || (select json_agg(p order by doc, seq) from crdt.parked p)
                  || ' ' || (select json_agg(to_jsonb(l) - 'at' order by id) from crdt.dead_letter l)""");
    }

    @Test
    void theSameUpdateAgainCountsAndChangesNothing() throws Exception {
        fixture.start();
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.insert("d", HELLO);
        fixture.insert("d", HELLO);
        fixture.sync();
        assertThat(fixture.one("select version || ' ' || op_count || ' ' || body_text from crdt.docs"))
                .isEqualTo("1 3 hello");
        assertThat(fixture.one("select count(*) from crdt.tail")).isEqualTo("0");
    }

    @Test
    void whatPostgresCannotHoldIsReplaced() throws Exception {
        fixture.start();
        fixture.insert("nul-text", "01 01 01 00 04 01 01 74 01 00 00");
        fixture.insert("nul-value", "01 01 01 00 28 01 01 6d 01 6b 01 77 01 00 00");
        fixture.insert("nul-key", "01 01 01 00 28 01 01 6d 01 00 01 77 01 61 00");
        fixture.insert("nan", "01 01 01 00 28 01 01 6d 01 6b 01 7b 7f f8 00 00 00 00 00 00 00");
        fixture.sync();
        assertThat(fixture.text("nul-text")).isEqualTo("\uFFFD");
        assertThat(fixture.one("select state from crdt.ydoc where doc = 'nul-text'"))
                .as("the state keeps the bytes")
                .isEqualTo(bytea("01 01 01 00 04 01 01 74 01 00 00"));
        assertThat(fixture.one("select body_json from crdt.docs where doc = 'nul-value'"))
                .isEqualTo("{\"m\": {\"k\": \"\uFFFD\"}}");
        assertThat(fixture.one("select body_json from crdt.docs where doc = 'nul-key'"))
                .isEqualTo("{\"m\": {\"\uFFFD\": \"a\"}}");
        assertThat(fixture.one("select body_json from crdt.docs where doc = 'nan'"))
                .isEqualTo("{\"m\": {\"k\": null}}");
    }

    @Test
    void twoContentsOfOneIdAreFlagged() throws Exception {
        fixture.start();
        fixture.insert("d", "01 01 01 00 04 01 01 74 01 61 00");
        fixture.insert("d", "01 01 01 00 04 01 01 74 01 62 00");
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("a");
        assertThat(fixture.one("select warning from crdt.docs")).startsWith("same-id-different-content");
    }

    @Test
    void aPolicyNamesTheRootAndAsksForJson() throws Exception {
        Policy p = Policy.defaults();
        Policy other = new Policy(
                "yjs-v2",
                "elsewhere",
                true,
                p.flushDebounce(),
                p.flushInterval(),
                p.walBudgetBytesPerSecond(),
                p.stalenessMax(),
                p.foldBytes(),
                p.foldRatio(),
                p.foldRows(),
                p.foldIdle(),
                p.rotateAfter());
        fixture.start(fixture.settings().build(), other);
        fixture.insert("d", AB_V2);
        fixture.sync();
        assertThat(fixture.text("d")).as("the declared root is empty").isEmpty();
        assertThat(fixture.one("select body_json from crdt.docs")).isEqualTo("{\"t\": \"ab\"}");
    }

    @Test
    void aLargeUpdateGoesThroughTheJournal() throws Exception {
        fixture.start();
        String text = "word ".repeat(600_000);
        fixture.insert("d", Updates.append(0, text));
        fixture.sync();
        assertThat(fixture.one("select md5(body_text) = md5(repeat('word ', 600000)) from crdt.docs"))
                .isEqualTo("t");
    }

    @Test
    void aBarrierIsWrittenThoughNothingChanged() throws Exception {
        fixture.start();
        long end = fixture.barrier();
        String written = Lsn.format(end);
        fixture.eventually(
                "persisted",
                () -> fixture.one("select written from crdt.progress").equals(written));
    }

    @Test
    void aPolicyTakesEffectInStreamOrder() throws Exception {
        fixture.start(fixture.settings().build(), withFlush(Duration.ofHours(1)));
        fixture.insert("d", HELLO);
        fixture.sync();
        long end = fixture.insert("d", YOU);
        fixture.policy(withFlush(Duration.ZERO));
        fixture.eventually("flushed under the new policy", () -> !Lsn.isBefore(fixture.engine.writtenLsn(), end));
        assertThat(fixture.text("d")).isEqualTo("hello you");
    }

    @Test
    void drainWritesWhatNoPolicyWouldYet() throws Exception {
        fixture.start(fixture.settings().build(), withFlush(Duration.ofHours(1)));
        fixture.insert("d", HELLO);
        fixture.engine.sink().begin(fixture.nextLsn(), 0);
        fixture.engine.sink().op(fixture.op("open", null, hex(HELLO), null));
        assertThat(fixture.engine.drain(Duration.ofSeconds(10))).isTrue();
        assertThat(fixture.text("d")).isEqualTo("hello");
        assertThat(fixture.one("select staleness_bound from crdt.docs where doc = 'd'"))
                .isEqualTo("shutdown");
        assertThat(fixture.one("select written from crdt.progress")).isEqualTo(Lsn.format(fixture.nextLsn()));
    }

    private static Policy policy(int foldRows) {
        return policy(foldRows, Duration.ofMinutes(1));
    }

    private static Policy policy(int foldRows, Duration foldIdle) {
        Policy p = Policy.defaults();
        return new Policy(
                p.format(),
                p.root(),
                p.jsonForText(),
                p.flushDebounce(),
                p.flushInterval(),
                p.walBudgetBytesPerSecond(),
                p.stalenessMax(),
                p.foldBytes(),
                p.foldRatio(),
                foldRows,
                foldIdle,
                p.rotateAfter());
    }

    private static Policy withFlush(Duration every) {
        Policy p = Policy.defaults();
        return new Policy(
                p.format(),
                p.root(),
                p.jsonForText(),
                every,
                every,
                p.walBudgetBytesPerSecond(),
                every,
                p.foldBytes(),
                p.foldRatio(),
                p.foldRows(),
                p.foldIdle(),
                p.rotateAfter());
    }

    private static byte[] framed(String... updates) {
        StringBuilder hex = new StringBuilder();
        for (String update : updates) {
            hex.append(HexFormat.of().toHexDigits((byte) hex(update).length)).append(update.replace(" ", ""));
        }
        return hex(hex.toString());
    }
}
