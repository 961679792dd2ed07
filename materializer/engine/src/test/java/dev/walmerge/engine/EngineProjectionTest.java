package dev.walmerge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.BodyProjection;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents of an editor, written by yjs itself, as the settings have them shown: text, JSON, blocks. */
final class EngineProjectionTest {
    /** A heading with an id, paragraphs "one" and "two" in the root {@code default}; a text {@code notes}; a map {@code meta}. */
    private static final String PAGE =
            "010c010007010764656661756c74030768656164696e67070001000604000101055469746c6528000100026964017701"
                    + "688701000309706172616772617068070001080604000109036f6e6587010803097061726167726170680700010d0604"
                    + "00010e0374776f0401056e6f7465730561736964652801046d657461026279017703616e6e00";
    /** "one" becomes "one more". */
    private static final String MORE = "0101011884010c05206d6f726500";
    /** A paragraph "new" behind the heading. */
    private static final String BETWEEN = "0103011dc70100010803097061726167726170680700011d060400011e036e657700";
    /** The paragraph "two" goes. */
    private static final String WITHOUT_TWO = "000101010d05";

    private static final String BLOCKS = "select string_agg(concat_ws(' ', seq, block_id, kind, path, text), '; '"
            + " order by seq) from crdt.blocks where doc = '%s'";

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
        return fixture.settings().shards(2).build();
    }

    private static Policy with(BodyProjection projection, String root, boolean blocks) {
        return Policy.defaults().showing(projection, root, blocks);
    }

    @Test
    void textAndJsonFollowTheSettingFromTheNextFlushOn() throws Exception {
        fixture.start(settings(), Policy.defaults());
        fixture.insert("page", PAGE);
        fixture.sync();
        assertThat(fixture.text("page")).isEqualTo("Title\none\ntwo\naside");
        assertThat(fixture.one("select body_json #>> '{default,content,0,attrs,id}' from crdt.docs"))
                .isEqualTo("h");
        fixture.policy(with(BodyProjection.PROSEMIRROR, null, false));
        fixture.insert("page", MORE);
        fixture.sync();
        assertThat(fixture.text("page")).isEqualTo("Title\none more\ntwo");
        fixture.policy(with(BodyProjection.VALUES, "meta", false));
        fixture.insert("page", BETWEEN);
        fixture.sync();
        assertThat(fixture.text("page")).isEqualTo("ann");
        fixture.policy(with(BodyProjection.QUILL, "notes", false));
        fixture.insert("page", WITHOUT_TWO);
        fixture.sync();
        assertThat(fixture.text("page")).isEqualTo("aside");
        assertThat(fixture.one("select body_json -> 'notes' from crdt.docs")).isEqualTo("[{\"insert\": \"aside\"}]");
    }

    @Test
    void blocksAreRowsAndOnlyThoseThatChangedAreWritten() throws Exception {
        fixture.start(settings(), with(BodyProjection.AUTO, "default", true));
        fixture.insert("page", PAGE);
        fixture.sync();
        assertThat(blocks("page"))
                .isEqualTo("1 h heading default/heading[0] Title; 2 1-8 paragraph default/paragraph[1] one;"
                        + " 3 1-13 paragraph default/paragraph[2] two");
        String before = versions();
        fixture.insert("page", MORE);
        fixture.sync();
        assertThat(blocks("page")).contains("2 1-8 paragraph default/paragraph[1] one more;");
        assertThat(changedSince(before)).isEqualTo("1-8");
        before = versions();
        fixture.insert("page", BETWEEN);
        fixture.sync();
        assertThat(blocks("page"))
                .isEqualTo("1 h heading default/heading[0] Title; 2 1-29 paragraph default/paragraph[1] new;"
                        + " 3 1-8 paragraph default/paragraph[2] one more; 4 1-13 paragraph default/paragraph[3] two");
        assertThat(changedSince(before)).isEqualTo("1-13 1-29 1-8");
        before = versions();
        fixture.insert("page", WITHOUT_TWO);
        fixture.sync();
        assertThat(blocks("page")).endsWith("3 1-8 paragraph default/paragraph[2] one more");
        assertThat(changedSince(before)).isNull();
    }

    @Test
    void blocksOfADocumentThatWasNotInMemoryAreComparedWithTheTable() throws Exception {
        fixture.start(settings(), with(BodyProjection.AUTO, "default", true));
        fixture.insert("page", PAGE);
        fixture.sync();
        fixture.engine.close();
        // Someone's hand: one too many, one that is wrong, one that is missing.
        fixture.database.execute("insert into crdt.blocks values ('page', 'x', 9, 'x', 'x', 'x');"
                + " update crdt.blocks set text = 'wrong' where block_id = 'h';"
                + " delete from crdt.blocks where block_id = '1-13'");
        fixture.start(settings(), with(BodyProjection.AUTO, "default", true));
        fixture.insert("page", MORE);
        fixture.sync();
        assertThat(blocks("page"))
                .isEqualTo("1 h heading default/heading[0] Title; 2 1-8 paragraph default/paragraph[1] one more;"
                        + " 3 1-13 paragraph default/paragraph[2] two");
    }

    @Test
    void refusedBlocksStandInTheErrorAndStopNothing() throws Exception {
        EngineSettings settings =
                fixture.settings().patience(new Patience(200, 50, 400)).build();
        fixture.start(settings, with(BodyProjection.AUTO, null, true));
        fixture.database.execute("alter table crdt.blocks add constraint mine check (text <> 'two')");
        fixture.insert("page", PAGE);
        fixture.insert("other", Updates.HELLO);
        fixture.sync();
        assertThat(fixture.one("select error from crdt.docs where doc = 'page'"))
                .startsWith("projection-failed 23514");
        assertThat(blocks("other")).isEqualTo("1 1-0 line t/line[0] hello");
        assertThat(blocks("page")).isNull();
        fixture.database.execute("alter table crdt.blocks drop constraint mine");
        fixture.eventually("recovered", () -> fixture.text("page") != null);
        assertThat(blocks("page")).contains("3 1-13 paragraph default/paragraph[2] two");
        assertThat(fixture.one("select error from crdt.docs where doc = 'page'"))
                .isNull();
    }

    @Test
    void switchedOnAndOffForAllDocumentsByAnOrder() throws Exception {
        fixture.start(settings(), Policy.defaults());
        for (int i = 0; i < 40; i++) {
            fixture.insert("page-" + i, PAGE);
        }
        fixture.sync();
        assertThat(fixture.one("select count(*) from crdt.blocks")).isEqualTo("0");
        fixture.restart(settings(), Policy.defaults());
        fixture.insert("page-7", MORE);
        order(with(BodyProjection.PROSEMIRROR, null, true), null);
        assertThat(fixture.one("select count(*) from crdt.blocks")).isEqualTo("120");
        assertThat(fixture.one("select string_agg(distinct body_text, '|') from crdt.docs where doc <> 'page-7'"))
                .isEqualTo("Title\none\ntwo");
        assertThat(fixture.text("page-7")).isEqualTo("Title\none more\ntwo");
        order(Policy.defaults(), "page-3");
        assertThat(blocks("page-3")).isNull();
        assertThat(fixture.text("page-3")).endsWith("aside");
        assertThat(fixture.one("select count(*) from crdt.blocks")).isEqualTo("117");
        order(Policy.defaults(), null);
        assertThat(fixture.one("select count(*) from crdt.blocks")).isEqualTo("0");
        assertThat(fixture.one("select count(*) from crdt.docs where body_text like '%aside' and error is null"))
                .isEqualTo("40");
        assertThat(LoadedText.of(fixture.database, "page-7")).contains("one more");
    }

    @Test
    void anOrderThatAnEarlierProcessDidNotFinishIsCarriedOut() throws Exception {
        fixture.start(settings(), Policy.defaults());
        fixture.insert("page", PAGE);
        fixture.sync();
        fixture.engine.close();
        fixture.database.execute("insert into crdt.command (name) values ('reproject')");
        fixture.start(settings(), with(BodyProjection.PROSEMIRROR, null, false));
        fixture.eventually("done", () -> fixture.one("select done_at from crdt.command") != null);
        assertThat(fixture.text("page")).isEqualTo("Title\none\ntwo");
    }

    @Test
    void editsGoOnWhileDocumentsAreMadeAnew() throws Exception {
        Policy quick = quick().showing(BodyProjection.AUTO, null, true);
        fixture.start(settings(), quick);
        for (int i = 0; i < 200; i++) {
            fixture.insert("page-" + i, PAGE);
        }
        fixture.sync();
        fixture.policy(quick.showing(BodyProjection.PROSEMIRROR, null, true));
        long id = command(null);
        for (int i = 0; i < 200; i++) {
            fixture.insert("page-" + i, MORE);
            fixture.insert("page-" + (199 - i), BETWEEN);
        }
        fixture.eventually("done", () -> isDone(id));
        fixture.sync();
        assertThat(fixture.one("select string_agg(distinct body_text, '|') from crdt.docs"))
                .isEqualTo("Title\nnew\none more\ntwo");
        assertThat(fixture.one("select string_agg(distinct t, '|') from (select string_agg(text, ',' order by seq) t"
                        + " from crdt.blocks group by doc) x"))
                .isEqualTo("Title,new,one more,two");
        assertThat(fixture.one("select max(op_count) from crdt.docs")).isEqualTo("3");
    }

    private static Policy quick() {
        Policy p = Policy.defaults();
        Duration millisecond = Duration.ofMillis(1);
        return new Policy(
                p.format(),
                p.root(),
                p.jsonForText(),
                millisecond,
                millisecond,
                p.walBudgetBytesPerSecond(),
                millisecond,
                p.foldBytes(),
                p.foldRatio(),
                p.foldRows(),
                p.foldIdle(),
                p.rotateAfter());
    }

    private void order(Policy policy, String doc) throws Exception {
        fixture.policy(policy);
        long id = command(doc);
        fixture.eventually("done", () -> isDone(id));
    }

    private long command(String doc) throws SQLException {
        long id = Long.parseLong(fixture.one("insert into crdt.command (name, doc) values ('reproject', "
                + (doc == null ? "null" : "'" + doc + "'") + ") returning id"));
        fixture.command(new Command(id, Command.REPROJECT, "default", doc, Command.NONE, null, null));
        return id;
    }

    private boolean isDone(long id) throws SQLException {
        return fixture.one("select done_at from crdt.command where id = " + id) != null;
    }

    private String blocks(String doc) throws SQLException {
        return fixture.one(BLOCKS.formatted(doc));
    }

    /** Which version of each row there is. */
    private String versions() throws SQLException {
        return fixture.one("select string_agg(block_id || ' ' || xmin || ' ' || ctid, ';') from crdt.blocks");
    }

    private String changedSince(String versions) throws SQLException {
        return fixture.one("select string_agg(block_id, ' ' order by block_id) from crdt.blocks"
                + " where block_id || ' ' || xmin || ' ' || ctid <> all (string_to_array('" + versions + "', ';'))");
    }
}
