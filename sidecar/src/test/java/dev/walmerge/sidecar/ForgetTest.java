package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.replication.Endpoint;
import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sidecar.verify.Report;
import dev.walmerge.sidecar.verify.Verification;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code crdt.forget} and {@code crdt.revive}, through the WAL of a real server and from its tables. */
final class ForgetTest {
    private static final String AS_OPERATOR = "set role crdt_operator; ";

    @TempDir
    Path folder;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final App app = new App(database.url());
    private final String slot = "forget_" + database.name();
    private final Typing old = new Typing();
    private final Typing fresh = new Typing();
    private Sidecar sidecar;

    @BeforeEach
    void start() throws Exception {
        sidecar = app.sidecar(slot, folder);
    }

    @AfterEach
    void close() throws Exception {
        sidecar.close();
        SlotFixture.drop(database, slot);
    }

    @Test
    void goneFromEveryTableAndGoneAfterAResync() throws Exception {
        typeAndForget();
        assertGone();
        assertThat(app.query("select place || ' ' || row_count from crdt.forget_report('d') where row_count > 0"))
                .isEmpty();
        assertThat(app.one("select created_by || ' ' || (done_at is not null) from crdt.command"))
                .isEqualTo("crdt_operator true");
        late();
        app.sync();
        assertGone();
        assertThat(app.one("select count(*) from crdt.ops where doc = 'd'")).isEqualTo("2");
        assertThat(Verification.run(Endpoint.of(database.url()), slot, Duration.ofSeconds(60)))
                .isEqualTo(new Report(2, 3, 1, 0, 2, List.of(), 0));
        resync();
        assertGone();
        assertThat(app.text("other")).isEqualTo("x");
    }

    @Test
    void whatIsOrderedWithoutASidecarOrASlotIsCarriedOut() throws Exception {
        app.insert("d", old.append(1, "secret "));
        app.sync();
        stop();
        app.insert("d", old.append(1, "more "));
        app.execute(AS_OPERATOR + "select crdt.forget('d')");
        late();
        assertThat(app.text("d")).as("nobody is there to do it").isEqualTo("secret ");
        assertThat(app.one("select remedy from crdt.forget_report('d') where place = 'docs'"))
                .contains("when a sidecar carries the order out");
        sidecar = app.sidecar(slot, folder);
        app.sync();
        assertGone();
    }

    @Test
    void afterARevivalOnlyWhatCameAfterItIsThere() throws Exception {
        typeAndForget();
        late();
        app.sync();
        app.execute(AS_OPERATOR + "select crdt.revive('d')");
        assertThat(app.one("select count(*) from crdt.ops where doc = 'd'")).isEqualTo("0");
        app.insert("d", fresh.append(2, "new "));
        app.sync();
        assertThat(app.text("d")).isEqualTo("new ");
        resync();
        assertThat(app.text("d")).isEqualTo("new ");
        app.execute("select crdt.forget('d')");
        app.sync();
        assertGone();
        // Revived while the slot is gone: the rows come from the table, the order before them.
        stop();
        app.dropSlot(slot);
        app.execute("select crdt.revive('d')");
        app.insert("d", new Typing().append(3, "newer"));
        sidecar = app.sidecar(slot, folder);
        app.sync();
        assertThat(app.text("d")).isEqualTo("newer");
        assertThat(app.one("select count(*) from crdt.command where done_at is null"))
                .isEqualTo("0");
    }

    /** A client that kept the old document: what it adds waits for what nobody has; if it sends all, all is back. */
    @Test
    void oldClocksWaitAndOldDocumentsComeBackAfterARevival() throws Exception {
        byte[] first = old.append(1, "secret ");
        app.insert("d", first);
        app.sync();
        app.execute("select crdt.forget('d')");
        app.sync();
        app.execute("select crdt.revive('d')");
        app.insert("d", old.append(1, "more "));
        app.sync();
        assertThat(app.one("select complete || ' ' || missing from crdt.docs where doc = 'd' and body_text = ''"))
                .isEqualTo("false {\"1\": 6}");
        app.insert("d", first);
        app.sync();
        assertThat(app.text("d")).isEqualTo("secret more ");
    }

    @Test
    void aRevivalIsRefusedWhereItCouldNotBeExact() throws Exception {
        assertThatThrownBy(() -> app.execute("select crdt.revive('d')")).hasMessageContaining("not forgotten");
        typeAndForget();
        assertThatThrownBy(() -> app.execute(
                        "begin; insert into crdt.ops (doc, update) values ('d', 'x');" + " select crdt.revive('d')"))
                .hasMessageContaining("written something");
        assertThatThrownBy(() -> app.execute(
                        "begin transaction isolation level repeatable read; select crdt.revive('d'); commit"))
                .hasMessageContaining("READ COMMITTED");
        // An op that might be committed on either side of it.
        try (Connection writer = app.connect();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("insert into crdt.ops (doc, update) values ('d', 'x')");
            assertThatThrownBy(() -> app.execute("select crdt.revive('d')"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
            writer.commit();
        }
        app.execute("select crdt.revive('d')");
        app.sync();
        assertGone();
        assertThat(app.one("select count(*) from crdt.ops where doc = 'd'")).isEqualTo("0");
    }

    /** Deletes are not published: the slot reads on, and a leaf that lost rows is trimmed all the same. */
    @Test
    void theStreamDoesNotNoticeThatOpRowsWereDeleted() throws Exception {
        app.execute("insert into crdt.ops (doc, update) select 'd', '\\x01010100040101740568656c6c6f00'"
                + " from generate_series(1, 2000)");
        app.insert("other", fresh.append(1, "one "));
        app.execute("select crdt.forget('d')");
        app.insert("other", fresh.append(1, "two"));
        app.sync();
        assertThat(app.text("other")).isEqualTo("one two");
        assertThat(app.one("select count(*) from crdt.ops")).isEqualTo("2");
        app.execute("select crdt.alter_collection(rotate_after => '1 ms')");
        await().atMost(Duration.ofMinutes(2))
                .until(() -> app.one("select count(*) from crdt.ops").equals("0"));
        assertThat(app.text("other")).isEqualTo("one two");
    }

    private void typeAndForget() throws Exception {
        app.insert("d", old.append(1, "secret "));
        app.insert("other", new Typing().append(1, "x"));
        app.insert("d", new byte[] {'b', 'a', 'd'});
        app.sync();
        assertThat(app.text("d")).isEqualTo("secret ");
        app.execute(AS_OPERATOR + "select crdt.forget('d')");
        app.sync();
    }

    private void late() throws Exception {
        app.insert("d", old.append(1, "again "));
        app.insert("d", new byte[] {'b', 'a', 'd'});
    }

    private void stop() {
        sidecar.close();
    }

    private void resync() throws Exception {
        stop();
        app.dropSlot(slot);
        sidecar = app.sidecar(slot, folder);
        app.sync();
    }

    private void assertGone() throws SQLException {
        assertThat(app.query(
                        "select doc from crdt.docs where doc = 'd' union all select doc from crdt.ydoc where doc = 'd'"
                                + " union all select doc from crdt.tail where doc = 'd' union all select doc from crdt.parked"
                                + " where doc = 'd' union all select doc from crdt.held where doc = 'd' union all"
                                + " select doc from crdt.dead_letter where doc = 'd'"))
                .isEmpty();
        assertThat(app.query("select payload from crdt.load('d')")).isEmpty();
    }
}
