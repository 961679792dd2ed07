package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.BANG;
import static dev.walmerge.engine.Updates.HELLO;
import static dev.walmerge.engine.Updates.YOU;
import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.journal.JournalLostException;
import dev.walmerge.engine.journal.JournalState;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.ServerNotReadyException;
import dev.walmerge.engine.writeback.TakeOver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong around the engine, on a real Postgres. */
final class EngineFaultTest {
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
    void anEngineThatLostItsLeaseStops() throws Exception {
        fixture.start();
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.takeOver();
        fixture.insert("d", YOU);
        fixture.eventually("stopped", () -> fixture.engine.failure() != null);
        assertThat(fixture.engine.failure()).isInstanceOf(FencedException.class);
        assertThat(fixture.text("d")).isEqualTo("hello");
        assertThat(fixture.engine.quiet()).isFalse();
        assertThat(fixture.engine.drain(Duration.ofSeconds(1))).isFalse();
    }

    @Test
    void aTakeOverByAnotherSlotStopsItToo() throws Exception {
        fixture.start();
        fixture.insert("d", HELLO);
        fixture.sync();
        try (Connection connection = fixture.database.connect()) {
            TakeOver.takeOver(connection, "other", "7", 1);
        }
        fixture.insert("d", YOU);
        fixture.eventually("stopped", () -> fixture.engine.failure() != null);
        assertThat(fixture.engine.failure()).isInstanceOf(FencedException.class);
        assertThat(fixture.text("d")).isEqualTo("hello");
    }

    /** Nothing needs it now, and open files live on: nobody else would find out before the next start does. */
    @Test
    void aJournalThatIsDeletedIsMissedSoon() throws Exception {
        fixture.start();
        fixture.insert("d", HELLO);
        fixture.sync();
        try (Stream<Path> files = Files.walk(journal)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        fixture.eventually("stopped", () -> fixture.engine.failure() != null);
        assertThat(fixture.engine.failure()).isInstanceOf(JournalLostException.class);
    }

    @Test
    void aServerThatStopsIsNotKeptWaiting() throws Exception {
        AtomicBoolean stopping = new AtomicBoolean();
        fixture.start(fixture.settings().build(), Policy.defaults(), () -> {
            if (stopping.get()) {
                throw new SQLException("the database system is shutting down", "57P03");
            }
            return fixture.database.connect();
        });
        fixture.insert("d", HELLO);
        fixture.sync();
        stopping.set(true);
        fixture.database.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and application_name like 'walmerge%'");
        fixture.insert("d", YOU);
        fixture.eventually("stopped", () -> fixture.engine.failure() != null);
        assertThat(fixture.engine.failure()).isInstanceOf(ServerNotReadyException.class);
        assertThat(fixture.engine.quiet()).isFalse();
    }

    @Test
    void aFailingWriteBackIsTriedUntilItGoesThrough() throws Exception {
        fixture.start();
        fixture.insert("before", HELLO);
        fixture.sync();
        long written = fixture.engine.writtenLsn();
        fixture.database.execute("""
                create sequence crdt.attempts;
                create function crdt.refuse() returns trigger language plpgsql as $$
                begin perform nextval('crdt.attempts'); raise exception 'no' using errcode = 'P0001'; end $$;
                create trigger refuse before update on crdt.progress for each row execute function crdt.refuse()""");
        fixture.insert("d", HELLO);
        fixture.eventually(
                "tried more than twice",
                () -> Integer.parseInt(fixture.one("select last_value from crdt.attempts")) > 2);
        long end = fixture.insert("d", YOU);
        assertThat(fixture.engine.writtenLsn()).isEqualTo(written);
        assertThat(fixture.engine.failure()).isNull();
        assertThat(fixture.text("d")).isNull();
        fixture.database.execute("drop trigger refuse on crdt.progress");
        fixture.eventually("written", () -> fixture.engine.writtenLsn() == end);
        assertThat(fixture.text("d")).isEqualTo("hello you");
        assertThat(fixture.one("select count(*) from crdt.held")).isEqualTo("0");
    }

    @Test
    void aTextThatPostgresRefusesDoesNotStopTheDocument() throws Exception {
        fixture.start();
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.database.execute("""
                create function crdt.refuse() returns trigger language plpgsql as $$
                begin
                  if new.body_text like '%you%' then raise exception 'no' using errcode = '54000'; end if;
                  return new;
                end $$;
                create trigger refuse before update on crdt.docs for each row execute function crdt.refuse()""");
        fixture.insert("d", YOU);
        fixture.insert("other", HELLO);
        fixture.sync();
        assertThat(fixture.text("other")).isEqualTo("hello");
        assertThat(fixture.text("d")).isEqualTo("hello");
        assertThat(fixture.one("select error from crdt.docs where doc = 'd'")).startsWith("projection-failed");
        assertThat(fixture.one("select count(*) from crdt.tail where doc = 'd'"))
                .isEqualTo("1");
        fixture.database.execute("drop trigger refuse on crdt.docs");
        // The same text counts as not sent: the next flush sends it though only the exclamation mark is new.
        fixture.insert("d", BANG);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you!");
        assertThat(fixture.one("select error from crdt.docs where doc = 'd'")).isNull();
    }

    @Test
    void aTextRefusedForAPassingReasonIsSentAgainByItself() throws Exception {
        fixture.start();
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.database.execute("""
                create function crdt.refuse() returns trigger language plpgsql as $$
                begin
                  if new.body_text like '%you%' then raise exception 'slow' using errcode = '57014'; end if;
                  return new;
                end $$;
                create trigger refuse before update on crdt.docs for each row execute function crdt.refuse()""");
        fixture.insert("d", YOU);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello");
        fixture.database.execute("drop trigger refuse on crdt.docs");
        fixture.eventually("sent again", () -> fixture.text("d").equals("hello you"));
        assertThat(fixture.one("select error from crdt.docs where doc = 'd'")).isNull();
    }

    @Test
    void lostConnectionsAreOpenedAgain() throws Exception {
        fixture.start(fixture.settings().memoryBytes(1).build(), Policy.defaults());
        for (int round = 0; round < 5; round++) {
            fixture.insert("d", Updates.append(round, "x"));
            fixture.database.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname ="
                    + " current_database() and application_name like 'walmerge%' and pid <> pg_backend_pid()");
            fixture.insert("e", Updates.append(round, "y"));
            fixture.sync();
        }
        assertThat(fixture.text("d")).isEqualTo("xxxxx");
        assertThat(fixture.text("e")).isEqualTo("yyyyy");
    }

    @Test
    void closingDoesNotWaitForALock() throws Exception {
        fixture.start();
        try (Connection other = fixture.database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table crdt.docs in exclusive mode");
            fixture.insert("d", HELLO);
            fixture.barrier();
            fixture.eventually(
                    "waiting for the lock",
                    () -> fixture.one(
                                    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname ="
                                            + " current_database() and application_name = 'walmerge write-back'")
                            .equals("1"));
            long start = System.nanoTime();
            fixture.engine.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
        }
        fixture.start();
        fixture.insert("d", YOU);
        fixture.sync();
        assertThat(fixture.one("select complete from crdt.docs"))
                .as("the first op was never written")
                .isEqualTo("f");
    }

    @Test
    void positionsOfAnotherIncarnationSkipNothing() throws Exception {
        fixture.start();
        fixture.rewind(0x9000_0000L);
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.engine.close();
        fixture.failOver(0x2000);
        fixture.start();
        assertThat(fixture.engine.writtenLsn()).isZero();
        fixture.insert("d", YOU);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you");
        assertThat(fixture.one("select merged_lsn from crdt.docs")).isEqualTo(Lsn.format(fixture.nextLsn()));
    }

    @Test
    void nothingIsWrittenOverAStateThatCannotBeRead() throws Exception {
        fixture.start();
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.engine.close();
        fixture.database.execute("update crdt.ydoc set state = '\\x0101'");
        fixture.start();
        fixture.insert("d", YOU);
        fixture.insert("d", BANG);
        fixture.insert("e", HELLO);
        fixture.sync();
        assertThat(fixture.text("e")).isEqualTo("hello");
        assertThat(fixture.text("d")).isEqualTo("hello");
        assertThat(fixture.one("select state::text || ' ' || merged_lsn from crdt.ydoc where doc = 'd'"))
                .isEqualTo("\\x0101 0/1060");
        assertThat(fixture.one("select merged_lsn || ' ' || error from crdt.docs where doc = 'd'"))
                .startsWith("0/1060 stored-state-corrupt");
        assertThat(fixture.one("select count(*) || min(rule) || max(rule) from crdt.dead_letter"))
                .isEqualTo("2stored-state-corruptstored-state-corrupt");
    }

    @Test
    void aTinyMemoryIsEnough() throws Exception {
        EngineSettings settings = fixture.settings().memoryBytes(20_000).build();
        fixture.start(settings, Policy.defaults());
        Random random = new Random(5);
        int documents = 100;
        int[] lengths = new int[documents];
        for (int i = 0; i < 1500; i++) {
            int document = random.nextInt(documents);
            int more = 1 + random.nextInt(9);
            fixture.insert("doc-" + document, Updates.append(lengths[document], "abcdefghi".substring(0, more)));
            lengths[document] += more;
        }
        fixture.sync();
        for (int document = 0; document < documents; document++) {
            assertThat(fixture.one("select octet_length(body_text) || ' ' || complete from crdt.docs where doc = 'doc-"
                            + document + "'"))
                    .isEqualTo(lengths[document] + " true");
        }
        fixture.eventually("evicted", () -> fixture.engine.stats().residentBytes() <= 20_000);
        assertThat(fixture.one("select sum(op_count) from crdt.docs")).isEqualTo("1500");
    }

    @Test
    void aTransactionLargerThanMemoryGoesThrough() throws Exception {
        fixture.start(fixture.settings().memoryBytes(50_000).build(), Policy.defaults());
        Op[] ops = new Op[2000];
        for (int i = 0; i < ops.length; i++) {
            ops[i] = fixture.op("doc-" + i % 400, null, Updates.append(i / 400 * 5, "words"), null);
        }
        long end = fixture.insert(ops);
        fixture.eventually("written", () -> fixture.engine.writtenLsn() == end);
        assertThat(fixture.one("select count(*) || ' ' || min(body_text) || ' ' || max(body_text) from crdt.docs"))
                .isEqualTo("400 " + "words".repeat(5) + " " + "words".repeat(5));
        assertThat(fixture.one("select sum(op_count) from crdt.docs")).isEqualTo("2000");
    }

    /** A row may say the text of an open transaction, but not count its ops: they come again if the connection is lost. */
    @Test
    void anAbandonedTransactionIsCountedOnce() throws Exception {
        fixture.start(fixture.settings().memoryBytes(50_000).build(), Policy.defaults());
        fixture.insert("doc-0", Updates.append(0, "words"));
        Op[] ops = new Op[2000];
        for (int i = 0; i < ops.length; i++) {
            ops[i] = fixture.op("doc-" + i % 400, null, Updates.append(i / 400 * 5, "words"), null);
        }
        for (int kept = 1500; kept > 0; kept -= 700) {
            fixture.open(Arrays.copyOf(ops, kept));
            fixture.eventually(
                    "written early",
                    () -> fixture.one("select count(*) > 100 from crdt.docs where octet_length(body_text) > 5")
                            .equals("t"));
            assertThat(fixture.one("select sum(op_count) from crdt.docs")).isEqualTo("1");
        }
        long end = fixture.insert(ops);
        fixture.eventually("written", () -> fixture.engine.writtenLsn() == end);
        assertThat(fixture.one("select sum(op_count) from crdt.docs")).isEqualTo("2001");
        assertThat(fixture.one(
                        "select string_agg(distinct op_count::text, ' ' order by op_count::text) from crdt.docs"))
                .isEqualTo("5 6");
        assertThat(fixture.one("select string_agg(distinct body_text, ' ') from crdt.docs"))
                .isEqualTo("words".repeat(5));
    }

    @Test
    void shardsShareTheWork() throws Exception {
        fixture.start(fixture.settings().shards(3).build(), Policy.defaults());
        long end = 0;
        for (int round = 0; round < 20; round++) {
            for (int document = 0; document < 50; document++) {
                end = fixture.insert("doc-" + document, Updates.append(round, "z"));
            }
        }
        String written = Lsn.format(end);
        fixture.eventually(
                "persisted without a barrier",
                () -> fixture.one("select written from crdt.progress").equals(written));
        assertThat(fixture.one("select count(*) || ' ' || min(body_text) || ' ' || max(body_text) from crdt.docs"))
                .isEqualTo("50 " + "z".repeat(20) + " " + "z".repeat(20));
        assertThat(fixture.engine.quiet()).isTrue();
        fixture.eventually("nothing left", () -> fixture.engine.stats().dirtyDocuments() == 0);
    }

    @Test
    void theSinkHasNoRoomWhileNothingIsWritten() throws Exception {
        fixture.start(
                fixture.settings().journalMaxBytes(2 << 20).memoryBytes(1 << 20).build(), Policy.defaults());
        try (Connection other = fixture.database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table crdt.progress in exclusive mode");
            int clock = 0;
            String text = "x".repeat(10_000);
            while (fixture.engine.sink().hasRoom()) {
                fixture.insert("doc-" + clock++, Updates.append(0, text));
            }
            assertThat(fixture.engine.stats().journalState()).isEqualTo(JournalState.FULL);
            assertThat(fixture.engine.stats().journalBytes()).isBetween(2L << 20, 3L << 20);
            other.rollback();
        }
        fixture.sync();
        assertThat(fixture.engine.sink().hasRoom()).isTrue();
        assertThat(fixture.one("select bool_and(octet_length(body_text) = 10000) from crdt.docs"))
                .isEqualTo("t");
    }
}
