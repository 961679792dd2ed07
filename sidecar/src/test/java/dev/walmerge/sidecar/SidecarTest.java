package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.migrate.Install;
import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sql.testing.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a plain INSERT to what psql reads, through the WAL of a real server. */
final class SidecarTest {
    /** Client 1 writes "hello" into the root text "t". */
    private static final String HELLO = "010101000401017405"
            + HexFormat.of().formatHex("hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII)) + "00";
    /** Client 1 goes on with " you" after the five units of HELLO. */
    private static final String YOU = "010101058401040420796f7500";

    @TempDir
    Path folder;

    private PostgresServer.Database database;
    private Sidecar sidecar;

    @BeforeEach
    void createDatabase() {
        database = PostgresServer.shared().createInstalledDatabase();
    }

    @AfterEach
    void close() throws Exception {
        if (sidecar != null) {
            sidecar.close();
        }
        SlotFixture.drop(database, slot());
    }

    @Test
    void anInsertBecomesTextJsonAndState() throws Exception {
        start();
        insert("post-1", HELLO);
        sync();

        assertThat(text("post-1")).isEqualTo("hello");
        assertThat(
                        query(
                                "select doc from crdt.docs where crdt.tsv(body_text) @@ websearch_to_tsquery('english', 'hello')"))
                .containsExactly("post-1");
        assertThat(query("select format || ' ' || encode(payload, 'hex') from crdt.load('post-1')"))
                .containsExactly("yjs-v1 " + HELLO);
        insert("map-1", "0101010028010161016b0177017600");
        sync();
        assertThat(query("select body_json from crdt.docs where doc = 'map-1'"))
                .containsExactly("{\"a\": {\"k\": \"v\"}}");
    }

    @Test
    void rowsFromBeforeTheFirstStartAreBackfilled() throws Exception {
        insert("early", HELLO);
        insert("early", YOU);
        start();
        sync();

        assertThat(text("early")).isEqualTo("hello you");
    }

    @Test
    void aRestartGoesOnFromWhatWasWritten() throws Exception {
        start();
        insert("post", HELLO);
        sync();
        sidecar.close();
        insert("post", YOU);
        start();
        sync();

        assertThat(text("post")).isEqualTo("hello you");
        assertThat(query("select op_count from crdt.docs where doc = 'post'")).containsExactly("2");
    }

    @Test
    void aLostSlotIsMadeAnewAndLosesNothing() throws Exception {
        start();
        insert("post", HELLO);
        sync();
        sidecar.close();
        SlotFixture.drop(database, slot());
        insert("post", YOU);
        start();
        sync();

        assertThat(text("post")).isEqualTo("hello you");
    }

    @Test
    void aBadOpIsADeadLetterAndEverythingGoesOn() throws Exception {
        start();
        insert("post", "01010100040101740561");
        insert("post", "0b");
        execute("insert into crdt.ops (doc, op) values ('post', '{\"at\": 0, \"insert\": \"x\"}')");
        execute("insert into crdt.ops (doc, update, format) values ('post', '\\x0000', 'yjs-v9')");
        execute("insert into crdt.ops (doc, update) values ('post', 'AQEBAAQBAXQFaGVsbG8A')");
        insert("post", HELLO);
        sync();

        assertThat(text("post")).isEqualTo("hello");
        assertThat(query("select count(*) from crdt.dead_letter")).containsExactly("5");
        assertThat(query("select op ->> 'insert' from crdt.dead_letter where op is not null"))
                .containsExactly("x");
        assertThat(query("select rule from crdt.dead_letter where format = 'yjs-v9'"))
                .containsExactly("unknown-format");
    }

    @Test
    void aFormatIsWhatTheRowDeclares() throws Exception {
        start();
        // "ab" in V2: read as V1 it would be a valid, empty update.
        execute("insert into crdt.ops (doc, update, format) values "
                + "('v2', '\\x0000010100000104060374616201020101000001010000', 'yjs-v2')");
        execute("insert into crdt.ops (doc, update, format) values " + "('framed', '\\x0f" + HELLO + "0d" + YOU
                + "', 'yjs-framed')");
        execute(
                "insert into crdt.ops (doc, update) values ('v2-as-v1', '\\x0000010100000104060374616201020101000001010000')");
        sync();

        assertThat(text("v2")).isEqualTo("ab");
        assertThat(text("framed")).isEqualTo("hello you");
        assertThat(query("select doc from crdt.dead_letter")).containsExactly("v2-as-v1");
    }

    @Test
    void badRowsFromBeforeTheFirstStartAreDeadLettersEachOnce() throws Exception {
        execute("insert into crdt.ops (doc, update) select 'bad', '\\x0b' from generate_series(1, 10050)");
        start();
        sync();
        assertThat(query("select count(distinct row_id) from crdt.dead_letter")).containsExactly("10050");

        sidecar.close();
        SlotFixture.drop(database, slot());
        start();
        sync();
        assertThat(query("select count(*) from crdt.dead_letter")).containsExactly("10050");
    }

    @Test
    void whoWaitsSinceBeforeTheSlotIsAnswered() throws Exception {
        for (int rows : new int[] {0, 10_000, 10_001}) {
            execute("insert into crdt.ops (doc, update) select 'post', '\\x" + HELLO + "' from generate_series(1, "
                    + rows + ")");
            start();
            sync();
            sidecar.close();
            SlotFixture.drop(database, slot());
            execute("truncate crdt.ops");
            String before = query("select crdt.barrier()").get(0);
            start();
            execute("call crdt.wait_for('" + before + "', '20 s')");
            sidecar.close();
            // Nor is it all read again.
            start();
            assertThat(query("select epoch from crdt.progress where written > '0/0'"))
                    .hasSize(1);
            sidecar.close();
            SlotFixture.drop(database, slot());
        }
    }

    @Test
    void timeoutsOfTheRoleAreForApplications() throws Exception {
        execute("alter database " + database.name() + " set statement_timeout = '500 ms';"
                + " alter database " + database.name() + " set lock_timeout = '300 ms';"
                + " alter database " + database.name() + " set idle_session_timeout = '300 ms'");
        start();
        insert("post", HELLO);
        syncWithoutTimeouts();
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            statement.execute("set idle_in_transaction_session_timeout = 0; set idle_session_timeout = 0");
            holder.setAutoCommit(false);
            statement.execute("select from crdt.docs for update");
            insert("post", YOU);
            statement.execute("set statement_timeout = 0; select pg_sleep(1)");
            holder.commit();
        }
        syncWithoutTimeouts();
        assertThat(text("post")).isEqualTo("hello you");
        assertThat(query("select p.epoch || ' ' || coalesce(d.error, '-') from crdt.progress p, crdt.docs d"))
                .containsExactly("1 -");
    }

    @Test
    void positionsOfAnotherServerMeanNothingHere() throws Exception {
        start();
        insert("post", HELLO);
        sync();
        sidecar.close();
        // As after a dump of a server whose WAL was further on, restored here.
        execute("update crdt.docs set merged_lsn = 'FFFF/0'; update crdt.ydoc set merged_lsn = 'FFFF/0';"
                + " update crdt.progress set system_identifier = '1', written = 'FFFF/0'");
        insert("post", YOU);
        start();
        sync();

        assertThat(text("post")).isEqualTo("hello you");
        assertThat(query("select merged_lsn < 'FF/0' from crdt.docs")).containsExactly("t");
    }

    @Test
    void norDoThoseThatNoSlotOfThisDatabaseWrote() throws Exception {
        start();
        insert("post", HELLO);
        sync();
        sidecar.close();
        // As after a dump restored here, read through a slot of another name.
        execute("update crdt.docs set merged_lsn = 'FFFF/0'; delete from crdt.progress");
        insert("post", YOU);
        start();
        sync();
        assertThat(text("post")).isEqualTo("hello you");
    }

    @Test
    void anEarlyUpdateIsParkedAndSaysWhatIsMissing() throws Exception {
        start();
        insert("post", YOU);
        sync();

        assertThat(query("select complete || ' ' || missing from crdt.docs where doc = 'post'"))
                .containsExactly("false {\"1\": 4}");
        assertThat(query("select encode(payload, 'hex') from crdt.load('post') where merged_lsn is null"))
                .containsExactly(YOU);

        sidecar.close();
        start();
        insert("post", HELLO);
        sync();
        assertThat(text("post")).isEqualTo("hello you");
        assertThat(query("select count(*) from crdt.parked")).containsExactly("0");
        assertThat(query("select complete from crdt.docs")).containsExactly("t");
    }

    @Test
    void settingsChangeWhileItRuns() throws Exception {
        execute(
                "select crdt.alter_collection(flush_debounce => '1 hour', flush_interval => '1 hour', staleness_max => '1 hour')");
        start();
        insert("slow", HELLO);
        sync();
        insert("slow", YOU);
        execute(
                "select crdt.alter_collection(flush_debounce => '10 ms', flush_interval => '20 ms', staleness_max => '30 ms')");
        insert("fast", HELLO);

        await().atMost(Duration.ofSeconds(20)).until(() -> text("fast"), "hello"::equals);
        insert("slow", YOU);
        await().atMost(Duration.ofSeconds(20)).until(() -> text("slow"), "hello you"::equals);
    }

    @Test
    void anOpWithoutAFormatHasThatOfItsTime() throws Exception {
        start();
        sync();
        sidecar.close();
        changeTheFormatTwice("stream");
        start();
        sync();
        assertThat(query("select body_text from crdt.docs order by doc")).containsExactly("hello you", "ab");

        sidecar.close();
        SlotFixture.drop(database, slot());
        changeTheFormatTwice("table");
        start();
        sync();
        assertThat(query("select body_text from crdt.docs order by doc"))
                .containsExactly("hello you", "ab", "hello you", "ab");
        assertThat(query("select rule from crdt.dead_letter")).isEmpty();
    }

    private void changeTheFormatTwice(String doc) throws SQLException {
        insert(doc + "-1", HELLO);
        execute("select crdt.alter_collection(format => 'yjs-v2')");
        insert(doc + "-2", "0000010100000104060374616201020101000001010000");
        execute("select crdt.alter_collection(format => 'yjs-v1')");
        insert(doc + "-1", YOU);
        execute("select crdt.alter_collection(format => 'yjs-v2')");
        execute("select crdt.alter_collection(format => 'yjs-v1')");
    }

    @Test
    void aSecondSidecarOnTheSlotWritesNothing() throws Exception {
        start();
        Sidecar second = sidecar;
        try {
            Connection holder = database.connect();
            holder.close();
            sidecar = Sidecar.start(ConfigLoader.load(
                    Map.of(
                            Setting.URL, database.url(),
                            Setting.SLOT, slot(),
                            Setting.STATE_DIRECTORY, folder.resolve("second").toString()),
                    Map.of(),
                    null));
            insert("post", HELLO);
            sync();
            assertThat(query("select epoch from crdt.progress")).containsExactly("1");
            assertThat(text("post")).isEqualTo("hello");
        } finally {
            second.close();
        }
        insert("post", YOU);
        sync();
        assertThat(query("select epoch from crdt.progress")).containsExactly("2");
        assertThat(text("post")).isEqualTo("hello you");
    }

    @Test
    void aSecondSidecarWithAnotherSlotWaitsToo() throws Exception {
        start();
        Sidecar second = Sidecar.start(ConfigLoader.load(
                Map.of(
                        Setting.URL, database.url(),
                        Setting.SLOT, slot() + "_2",
                        Setting.STATE_DIRECTORY, folder.resolve("second").toString()),
                Map.of(),
                null));
        try {
            insert("post", HELLO);
            sync();
            assertThat(query("select slot from crdt.progress")).containsExactly(slot());
            sidecar.close();
            insert("post", YOU);
            await().atMost(Duration.ofSeconds(30)).until(() -> text("post"), "hello you"::equals);
        } finally {
            second.close();
        }
        assertThat(query("select count(*) from crdt.progress")).containsExactly("2");
    }

    @Test
    void anIdleSidecarLetsTheSlotGoOn() throws Exception {
        start();
        insert("post", HELLO);
        sync();
        execute("create table other (filler text)");
        execute("insert into other select repeat('x', 1000) from generate_series(1, 2000)");
        List<String> after = query("select pg_current_wal_lsn()");
        List<String> progress = query("select xmin || ' ' || written from crdt.progress");

        await().atMost(Duration.ofSeconds(30))
                .until(() -> query("select confirmed_flush_lsn >= '" + after.get(0)
                                + "' from pg_replication_slots where slot_name = '" + slot() + "'")
                        .equals(List.of("t")));
        // Nothing was written for that: a write would make WAL, which would have to be confirmed, and so on.
        assertThat(query("select xmin || ' ' || written from crdt.progress")).isEqualTo(progress);
    }

    @Test
    void theSlotOfAnotherDatabaseIsNotTouched() throws Exception {
        start();
        insert("post", HELLO);
        sync();
        sidecar.close();
        PostgresServer.Database other = PostgresServer.shared().createInstalledDatabase();
        assertThatThrownBy(() -> Sidecar.start(ConfigLoader.load(
                        Map.of(
                                Setting.URL, other.url(),
                                Setting.SLOT, slot(),
                                Setting.STATE_DIRECTORY, folder.resolve("other").toString()),
                        Map.of(),
                        null)))
                .isInstanceOfSatisfying(OperatingException.class, e -> {
                    assertThat(e.code()).isEqualTo("slot-exists");
                    assertThat(e.report()).contains(database.name()).contains("--slot");
                });
        assertThat(query("select database from pg_replication_slots where slot_name = '" + slot() + "'"))
                .containsExactly(database.name());
        insert("post", YOU);
        start();
        sync();
        assertThat(text("post")).isEqualTo("hello you");
    }

    @Test
    void aPublicationThatWasGoneIsMendedByInitAndNothingIsLost() throws Exception {
        start();
        insert("post", HELLO);
        sync();
        sidecar.close();
        execute("drop publication walmerge");
        insert("post", YOU);
        assertThatThrownBy(this::start)
                .isInstanceOfSatisfying(
                        OperatingException.class, e -> assertThat(e.code()).isEqualTo("publication-missing"));
        StringWriter said = new StringWriter();
        try (Connection connection = database.connect()) {
            new Install(connection, new PrintWriter(said)).run(null);
        }
        assertThat(said.toString()).contains("made the publication walmerge again");
        start();
        sync();
        assertThat(text("post")).isEqualTo("hello you");
    }

    @Test
    void whatIsWrongWithTheDatabaseIsSaidWithItsCure() {
        PostgresServer.Database empty = PostgresServer.shared().createDatabase();
        assertThatThrownBy(() -> Sidecar.start(ConfigLoader.load(Map.of(Setting.URL, empty.url()), Map.of(), null)))
                .isInstanceOfSatisfying(OperatingException.class, e -> {
                    assertThat(e.kind()).isEqualTo(OperatingException.Kind.OPERATOR);
                    assertThat(e.report()).contains("walmerge init");
                });
    }

    private void start() throws Exception {
        sidecar = Sidecar.start(ConfigLoader.load(
                Map.of(
                        Setting.URL, database.url(),
                        Setting.SLOT, slot(),
                        Setting.STATE_DIRECTORY, folder.resolve("state").toString()),
                Map.of(),
                null));
    }

    private String slot() {
        return "slot_" + database.name();
    }

    private void insert(String doc, String hex) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement insert =
                        connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)")) {
            insert.setString(1, doc);
            insert.setBytes(2, HexFormat.of().parseHex(hex));
            insert.executeUpdate();
        }
    }

    private void sync() throws SQLException {
        execute("call crdt.sync('20 s')");
    }

    /** Two statements, not one text with both: that would be a transaction block. */
    private void syncWithoutTimeouts() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set statement_timeout = 0");
            statement.execute("call crdt.sync('20 s')");
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String doc) throws SQLException {
        List<String> rows = query("select coalesce(body_text, '') from crdt.docs where doc = '" + doc + "'");
        return rows.isEmpty() ? null : rows.get(0);
    }

    private List<String> query(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        return rows;
    }
}
