package dev.walmerge.engine.shard;

import static dev.walmerge.engine.testing.Rows.one;
import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Patience;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.writeback.Committed;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentStore;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.Entry;
import dev.walmerge.engine.writeback.Fold;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.Refused;
import dev.walmerge.engine.writeback.StoredDocument;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.engine.writeback.WriteBack;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One document on which the core fails, among a hundred healthy ones: over a real Postgres, by the test's own turns. */
final class PoisonTest {
    private static final byte[] HELLO = hex("010101000401017405" + "68656c6c6f" + "00");
    private static final byte[] YOU = hex("010101058401040420796f7500");
    private static final byte[] BANG = hex("0101010984010801" + "21" + "00");
    /** Of another client, so that it can be merged at any time: "x" at the start. */
    private static final byte[] POISON = hex("010109000401017401" + "78" + "00");

    private static final int HEALTHY = 100;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final DocumentStore store = new DocumentStore(database::connect);
    private WriteBack writeBack;
    private final FailingCore core = new FailingCore();
    private Outbox outbox;
    private Shard shard;
    private long lsn = 0x10;
    private long nowNanos;
    private long rowId;

    enum Failure {
        UNEXPECTED("internal-error"),
        STACK("internal-error"),
        MEMORY("out-of-memory");

        final String rule;

        Failure(String rule) {
            this.rule = rule;
        }

        void happen() {
            switch (this) {
                case UNEXPECTED -> throw new IllegalStateException("content");
                case STACK -> throw new StackOverflowError("content");
                case MEMORY -> throw new OutOfMemoryError("content");
            }
        }
    }

    /** The real one, but that it fails, and leaves a document behind that can't be used any more. */
    private static final class FailingCore extends Core {
        private Failure failure = Failure.UNEXPECTED;
        private int merges;
        private int drains;
        private int folds;

        @Override
        int apply(Doc doc, UpdateFormat format, byte[] buf, int off, int len) throws MalformedUpdateException {
            if (merges > 0 && buf == POISON) {
                merges--;
                byte[] rubbish = "rubbish".getBytes(StandardCharsets.US_ASCII);
                byte[] update = hex("0101070004010174" + "07" + HexFormat.of().formatHex(rubbish) + "00");
                super.apply(doc, UpdateFormat.V1, update, 0, update.length);
                failure.happen();
            }
            return super.apply(doc, format, buf, off, len);
        }

        private static boolean isPoisoned(Doc doc) {
            return Projection.bodyText(doc, null).endsWith("x");
        }

        @Override
        byte[] drain(Doc doc) {
            if (drains > 0 && isPoisoned(doc)) {
                drains--;
                super.drain(doc);
                failure.happen();
            }
            return super.drain(doc);
        }

        @Override
        Fold fold(Doc doc) {
            if (folds > 0 && isPoisoned(doc)) {
                folds--;
                failure.happen();
            }
            return super.fold(doc);
        }
    }

    @BeforeEach
    void open() throws SQLException {
        start(core);
    }

    @AfterEach
    void close() {
        writeBack.close();
        store.close();
    }

    /** As after a restart: nothing is in memory. */
    private void start(Core with) throws SQLException {
        if (writeBack != null) {
            writeBack.close();
        }
        Lease lease;
        try (Connection connection = database.connect()) {
            lease = TakeOver.takeOver(connection, "walmerge", "7", 1);
        }
        writeBack = new WriteBack(database::connect, lease, 2_000);
        outbox = new Outbox(lease.written());
        EngineSettings settings = EngineSettings.with(Path.of("unused"))
                .patience(new Patience(2_000, 1_000, 1_000))
                .build();
        Map<String, Policy> policies = new HashMap<>(Map.of("default", Policy.defaults()));
        shard = new Shard(
                settings,
                outbox,
                new ShardCounters(),
                lease.written(),
                policies,
                this::load,
                NoLetters.INSTANCE,
                0,
                with);
    }

    private StoredDocument load(DocumentKey key) {
        try {
            return store.load(key);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMergeThatFailsOnceIsTriedAgain(Failure failure) throws Exception {
        core.failure = failure;
        insert("bad", HELLO);
        healthy(HELLO);
        write();
        insert("bad", YOU);
        core.merges = 1;
        insert("bad", POISON);
        healthy(YOU);
        write();
        assertThat(text("bad")).isEqualTo("hello youx");
        assertThat(one(database, "select op_count from crdt.docs where doc = 'bad'"))
                .isEqualTo("3");
        assertThat(one(database, "select count(*) from crdt.dead_letter")).isEqualTo("0");
        healthyAre("hello you");
    }

    @ParameterizedTest
    @EnumSource
    void aMergeThatFailsAlwaysIsADeadLetterAndNothingElse(Failure failure) throws Exception {
        core.failure = failure;
        insert("bad", HELLO);
        write();
        insert("bad", YOU);
        List<Submission> inFlight = take();
        core.merges = Integer.MAX_VALUE;
        healthy(HELLO);
        insert("bad", POISON);
        insert("bad", BANG);
        insert("bad", POISON);
        commit(inFlight);
        write();
        assertThat(text("bad")).isEqualTo("hello you!");
        assertThat(one(database, "select error from crdt.docs where doc = 'bad'"))
                .isNull();
        assertThat(one(database, "select count(*) || min(rule) || max(rule) from crdt.dead_letter"))
                .isEqualTo("2" + failure.rule + failure.rule);
        assertThat(one(database, "select payload from crdt.dead_letter limit 1"))
                .isEqualTo("\\x" + HexFormat.of().formatHex(POISON));
        healthyAre("hello");
        start(new Core());
        insert("bad", hex("0101010a84010901" + "3f" + "00"));
        write();
        assertThat(text("bad")).isEqualTo("hello you!?");
    }

    @Test
    void anUpdateThatWaitsSurvivesTheRebuild() throws Exception {
        insert("bad", HELLO);
        insert("bad", BANG);
        core.merges = 1;
        insert("bad", POISON);
        insert("bad", YOU);
        write();
        assertThat(text("bad")).isEqualTo("hello you!x");
        assertThat(one(database, "select complete from crdt.docs")).isEqualTo("t");
        assertThat(one(database, "select count(*) from crdt.parked")).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource
    void aDrainThatFailsOnceIsTriedAgain(Failure failure) throws Exception {
        core.failure = failure;
        insert("bad", HELLO);
        write();
        insert("bad", POISON);
        insert("bad", YOU);
        core.drains = 1;
        healthy(HELLO);
        write();
        assertThat(text("bad")).isEqualTo("hello youx");
        assertThat(one(database, "select count(*) from crdt.tail where doc = 'bad'"))
                .isEqualTo("1");
        healthyAre("hello");
    }

    @ParameterizedTest
    @EnumSource
    void aStoredDocumentThatCanNotBeEncodedKeepsItsOpsVerbatim(Failure failure) throws Exception {
        core.failure = failure;
        insert("bad", HELLO);
        write();
        insert("bad", POISON);
        insert("bad", YOU);
        core.drains = Integer.MAX_VALUE;
        healthy(HELLO);
        write();
        insert("bad", BANG);
        write();
        healthyAre("hello");
        outOfOrder(failure, "hello");
        assertThat(one(database, "select count(*) from crdt.parked where doc = 'bad'"))
                .isEqualTo("2");
        comesBack();
        assertThat(one(database, "select count(*) from crdt.parked")).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource
    void soDoesANewOne(Failure failure) throws Exception {
        core.failure = failure;
        insert("bad", HELLO);
        insert("bad", POISON);
        insert("bad", YOU);
        core.folds = Integer.MAX_VALUE;
        healthy(HELLO);
        write();
        insert("bad", BANG);
        write();
        healthyAre("hello");
        outOfOrder(failure, null);
        assertThat(one(database, "select count(*) from crdt.held where doc = 'bad'"))
                .isEqualTo("3");
        comesBack();
        assertThat(one(database, "select count(*) from crdt.held")).isEqualTo("0");
    }

    private void outOfOrder(Failure failure, String text) throws SQLException {
        assertThat(text("bad")).isEqualTo(text);
        assertThat(one(database, "select error from crdt.docs where doc = 'bad'"))
                .startsWith("projection-failed " + failure.rule);
        assertThat(one(database, "select count(*) || min(rule) from crdt.dead_letter"))
                .isEqualTo("1" + failure.rule);
    }

    /** With a core that has no such trouble, as after an update of walmerge, or with more memory. */
    private void comesBack() throws Exception {
        start(new Core());
        assertThat(store.suspects(null, 10)).containsExactly(new DocumentKey("default", "bad"));
        shard.clock(nowNanos);
        shard.revisit(new DocumentKey("default", "bad"), 0);
        write();
        assertThat(text("bad")).isEqualTo("hello youx");
        assertThat(one(database, "select error from crdt.docs where doc = 'bad'"))
                .isNull();
        insert("bad", BANG);
        write();
        assertThat(text("bad")).isEqualTo("hello you!x");
    }

    @Test
    void aStateThatIsTooMuchLetsATailThrough() throws Exception {
        core.failure = Failure.MEMORY;
        insert("bad", HELLO);
        write();
        insert("bad", POISON);
        core.folds = Integer.MAX_VALUE;
        write();
        // Idle for long: it should be folded now.
        nowNanos += 61_000_000_000L;
        write();
        nowNanos += 61_000_000_000L;
        write();
        insert("bad", YOU);
        write();
        assertThat(text("bad")).isEqualTo("hello youx");
        assertThat(one(database, "select count(*) from crdt.tail")).isEqualTo("2");
        core.folds = 0;
        nowNanos += 61_000_000_000L;
        write();
        assertThat(one(database, "select count(*) from crdt.tail")).isEqualTo("0");
    }

    private void healthy(byte[] update) {
        for (int i = 0; i < HEALTHY; i++) {
            insert("healthy-" + i, update);
        }
    }

    private void healthyAre(String text) throws SQLException {
        assertThat(one(
                        database,
                        "select count(*) from crdt.docs where doc like 'healthy%' and error is null and body_text = '"
                                + text + "'"))
                .isEqualTo(Integer.toString(HEALTHY));
    }

    private void insert(String doc, byte[] update) {
        shard.clock(nowNanos);
        shard.op(lsn, 0, 0, new Op("default", doc, null, update, null, "app", ++rowId));
        lsn += 0x10;
        shard.commit(lsn, true, false);
    }

    private List<Submission> take() {
        shard.tick(nowNanos, false, true);
        List<Submission> taken = new ArrayList<>();
        for (Submission next = outbox.takeSubmitted(); next != null; next = outbox.takeSubmitted()) {
            taken.add(next);
        }
        return taken;
    }

    private void commit(List<Submission> taken) throws Exception {
        List<DocumentWrite> writes = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        for (Submission submission : taken) {
            if (submission.write == null) {
                entries.add(submission.entry);
            } else {
                writes.add(submission.write);
            }
        }
        Committed committed = writeBack.commit(writes, entries, lsn);
        for (Submission submission : taken) {
            for (Refused refused : committed.refused()) {
                if (submission.write != null) {
                    submission.note(refused);
                }
            }
            outbox.acknowledge(submission);
        }
        shard.takeWritten();
    }

    /** Writes everything that can be written now. */
    private void write() throws Exception {
        for (List<Submission> taken = take(); !taken.isEmpty(); taken = take()) {
            commit(taken);
        }
    }

    private String text(String doc) throws SQLException {
        return one(database, "select body_text from crdt.docs where doc = '" + doc + "'");
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }
}
