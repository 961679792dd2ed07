package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.embedded.ServerNode;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Work that is large beside the heap of the packaged sidecar, on a server that soon gives up a reader it hears nothing
 * from. {@code ops/walmerge bench large} does the same with more of everything.
 */
final class LargeWorkIT {
    private static final int HEAP_MEGABYTES = 64;
    private static final int DOCUMENTS = 100;
    private static final int OPS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Every op once in a part that is taken back, and once for good. */
    private static final String WITH_SAVEPOINTS = """
            do $$
            declare
              piece bytea;
            begin
              for piece in select payload from piece order by seq loop
                begin
                  insert into crdt.ops (doc, update) select 'd' || d, piece from generate_series(1, %1$d) d;
                  raise exception using errcode = 'WB001';
                exception when sqlstate 'WB001' then
                  null;
                end;
                insert into crdt.ops (doc, update) select 'd' || d, piece from generate_series(1, %1$d) d;
              end loop;
            end $$""".formatted(DOCUMENTS);

    private static final String LARGE_ROW = "insert into crdt.ops (doc, update)"
            + " select 'huge', string_agg(mib, ''::bytea) from mib, generate_series(1, %d)";

    @TempDir
    Path folder;

    private ServerNode server;
    private App app;
    private int starts;

    @BeforeEach
    void startServer() throws Exception {
        server = ServerNode.start(folder.resolve("server"));
        server.execute("alter system set wal_sender_timeout = '10s'");
        // So that what is decoded goes to the server's disk, as a large transaction does.
        server.execute("alter system set logical_decoding_work_mem = '64kB'");
        server.execute("select pg_reload_conf()");
        server.execute("create table mib as select decode(repeat('00', 1024 * 1024), 'hex') as mib");
        app = new App(server.url());
    }

    @AfterEach
    void stopServer() throws IOException {
        server.close();
    }

    @Test
    void oneTransactionOfManyRowsPartsOfItTakenBack() throws Exception {
        Typing typing = new Typing();
        try (SidecarProcess sidecar = start(HEAP_MEGABYTES);
                Connection connection = app.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create temp table piece (seq serial, payload bytea)");
            try (PreparedStatement insert = connection.prepareStatement("insert into piece (payload) values (?)")) {
                for (int i = 0; i < OPS; i++) {
                    insert.setBytes(1, typing.append(1 + i % 3, "word" + i + " "));
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            statement.execute(WITH_SAVEPOINTS);
            app.sync();
            assertThat(app.query("select distinct body_text || op_count from crdt.docs"))
                    .containsExactly(typing.text() + OPS);
            assertThat(app.one("select count(*) from crdt.docs")).isEqualTo(Integer.toString(DOCUMENTS));

            connection.setAutoCommit(false);
            statement.execute(WITH_SAVEPOINTS.replace("'d'", "'gone'"));
            connection.rollback();
            app.sync();
            assertThat(app.one("select count(*) from crdt.docs")).isEqualTo(Integer.toString(DOCUMENTS));
            assertThat(sidecar.log()).doesNotContain(" WARN ", " ERROR ");
            assertThat(sidecar.terminate(20)).as(sidecar::log).isEqualTo(ExitCode.OK);
        }
    }

    @Test
    void aPayloadBeyondTheLimitIsADeadLetterAndNothingElseIsDisturbed() throws Exception {
        app.execute("select crdt.alter_payload_max(8 * 1024 * 1024)");
        Typing typing = new Typing();
        try (SidecarProcess sidecar = start(HEAP_MEGABYTES)) {
            app.insert("post", typing.append(1, "before "));
            app.execute(LARGE_ROW.formatted(8));
            app.insert("post", typing.append(2, "after"));
            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
            assertThat(app.one("select rule || ' ' || octet_length(payload) from crdt.dead_letter"))
                    .isEqualTo("update-too-large " + (8 << 20));
            assertThat(sidecar.log()).doesNotContain("trying again");
        }
    }

    /** Neither a row from before the limit, nor what anybody may emit, is waited for in an endless circle. */
    @Test
    void whatDoesNotFitIntoTheHeapAsksForAnOperator() throws Exception {
        app.execute("select crdt.alter_payload_max(200 * 1024 * 1024)");
        Typing typing = new Typing();
        try (SidecarProcess small = start(HEAP_MEGABYTES)) {
            app.insert("post", typing.append(1, "before "));
            app.execute(LARGE_ROW.formatted(80));
            app.execute("select pg_logical_emit_message(true, 'of others', repeat('x', 80 * 1024 * 1024))");
            app.insert("post", typing.append(2, "after"));
            assertThat(small.waitFor((int) PATIENCE.toSeconds())).isEqualTo(ExitCode.OPERATOR);
            assertThat(small.log())
                    .containsPattern("walmerge: a message after [0-9A-F]+/[0-9A-F]+ does not fit into the heap of"
                            + " [0-9]+ MiB, 3 times in a row")
                    .contains("ops/RUNBOOK.md#message-too-large");
        }
        try (SidecarProcess roomy = start(8 * HEAP_MEGABYTES)) {
            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
            assertThat(roomy.terminate(20)).as(roomy::log).isEqualTo(ExitCode.OK);
        }
        assertThat(app.query("select rule from crdt.dead_letter")).containsExactly("update-too-large");
    }

    private SidecarProcess start(int heapMegabytes) {
        Path log = folder.resolve("sidecar" + ++starts + ".log");
        SidecarProcess sidecar = SidecarProcess.startWithHeap(
                heapMegabytes,
                log,
                "run",
                "--url",
                server.url(),
                "--state-directory",
                folder.resolve("state").toString());
        await().atMost(PATIENCE).until(() -> sidecar.log().contains("ready: "));
        return sidecar;
    }
}
