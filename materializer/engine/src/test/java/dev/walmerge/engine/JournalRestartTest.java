package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.BANG;
import static dev.walmerge.engine.Updates.HELLO;
import static dev.walmerge.engine.Updates.YOU;
import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.journal.JournalHome;
import dev.walmerge.engine.journal.JournalReplay;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The slot was told of ops that are not written, and the engine ends: the journal has them. */
final class JournalRestartTest {
    private static final String WHOLE = "1 hello you! 4 | 2 hello 1";

    @TempDir
    Path journal;

    private EngineFixture fixture;
    private EngineSettings settings;
    private long confirmed;

    @BeforeEach
    void open() {
        fixture = new EngineFixture(journal);
        settings = fixture.settings().journalAboveBytes(0).build();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void replayedFromTheJournal() throws Exception {
        confirmWhatIsNotWritten();
        TakeOver.Before before = before();
        assertThat(before.journaled()).isTrue();
        assertThat(Lsn.isBefore(before.written(), confirmed)).isTrue();

        JournalHome home = home();
        JournalReplay replay = home.replay(before.nonce(), before.written(), confirmed);
        start(fixture.takeOver(), home);
        while (replay.step(fixture.engine.sink())) {}
        fixture.engine.replayed(confirmed);
        fixture.eventually("the new journal has it", () -> !home.keepsEarlier());
        fixture.sync();
        assertThat(documents()).isEqualTo(WHOLE);
        assertThat(fixture.one("select count(*) from crdt.dead_letter")).isEqualTo("1");
    }

    /** The rows of a backfill have one position, which is that of no commit. */
    @Test
    void replayedFromAJournalThatBeginsWithABackfill() throws Exception {
        Lease lease = fixture.takeOver();
        try (Connection connection = fixture.database.connect()) {
            lease = TakeOver.startOver(connection, lease);
        }
        fixture.engine = Engine.start(settings, fixture.database::connect, lease, Map.of("default", late()), home());
        OpSink sink = fixture.engine.sink();
        long consistentPoint = fixture.nextLsn();
        sink.begin(consistentPoint - 1, 0);
        sink.op(fixture.op("3", null, bytes(HELLO), null));
        sink.commit(0);
        sink.begin(consistentPoint - 1, 0);
        sink.op(fixture.op("4", null, bytes(HELLO), null));
        sink.barrier(null);
        sink.commit(consistentPoint);
        fixture.eventually("written", () -> fixture.engine.writtenLsn() == consistentPoint);
        insertFirst();
        confirmed = insertRest();
        fixture.eventually(
                "the slot may be told",
                () -> fixture.engine.durableLsn(confirmed, fixture.engine.writtenLsn()) == confirmed);
        fixture.engine.close();
        assertThat(documents()).isEqualTo("3 hello 1 | 4 hello 1");
        replayedFromWhatIsThere();
        assertThat(documents()).isEqualTo(WHOLE + " | 3 hello 1 | 4 hello 1");
    }

    @Test
    void replayedAgainWhenItEndsInTheMiddleOfThat() throws Exception {
        confirmWhatIsNotWritten();
        for (int steps = 1; steps < 6; steps++) {
            JournalHome home = home();
            TakeOver.Before before = before();
            JournalReplay replay = home.replay(before.nonce(), before.written(), confirmed);
            start(fixture.takeOver(), home);
            for (int i = 0; i < steps; i++) {
                replay.step(fixture.engine.sink());
            }
            fixture.engine.close();
        }
        replayedFromWhatIsThere();
        assertThat(documents()).isEqualTo(WHOLE);
    }

    @Test
    void streamedAgainWhereTheSlotWasNotTold() throws Exception {
        long start = fixture.nextLsn();
        confirmWhatIsNotWritten();
        fixture.start(settings, Policy.defaults());
        fixture.rewind(start);
        insertAll();
        fixture.sync();
        assertThat(documents()).isEqualTo(WHOLE);
        assertThat(fixture.one("select count(*) from crdt.dead_letter")).isEqualTo("1");
    }

    @Test
    void readFromTheRowsWhenTheJournalIsLost() throws Exception {
        confirmWhatIsNotWritten();
        Lease lease = fixture.takeOver();
        try (Connection connection = fixture.database.connect()) {
            lease = TakeOver.startOver(connection, lease);
        }
        assertThat(lease.journaled()).isFalse();
        start(lease, home());
        long end = fixture.nextLsn();
        fixture.rewind(end);
        insertAll();
        fixture.sync();
        assertThat(fixture.one("select body_text from crdt.docs where doc = '1'"))
                .isEqualTo("hello you!");
        assertThat(before().journaled()).isFalse();
    }

    @Test
    void theMarkIsTakenBackWhenAllIsWritten() throws Exception {
        confirmWhatIsNotWritten();
        replayedFromWhatIsThere();
        fixture.eventually("unmarked", () -> !before().journaled());
        assertThat(documents()).isEqualTo(WHOLE);
    }

    @Test
    void watermarksAreInOrder() throws Exception {
        confirmWhatIsNotWritten();
        replayedFromWhatIsThere();
        EngineStats stats = fixture.engine.stats();
        Watermarks marks = stats.watermarks();
        assertThat(marks.written()).isEqualTo(fixture.engine.writtenLsn());
        assertThat(marks.merged()).isEqualTo(marks.journaled());
        assertThat(stats.journaledLsn()).isGreaterThanOrEqualTo(confirmed);
    }

    private void replayedFromWhatIsThere() throws Exception {
        JournalHome home = home();
        TakeOver.Before before = before();
        JournalReplay replay = home.replay(before.nonce(), before.written(), confirmed);
        start(fixture.takeOver(), home);
        while (replay.step(fixture.engine.sink())) {}
        fixture.engine.replayed(confirmed);
        fixture.eventually("the new journal has it", () -> !home.keepsEarlier());
        fixture.sync();
    }

    private static Policy late() {
        Policy p = Policy.defaults();
        Duration never = Duration.ofHours(1);
        return new Policy(
                p.format(),
                p.root(),
                p.jsonForText(),
                never,
                never,
                1,
                never,
                p.foldBytes(),
                p.foldRatio(),
                64,
                never,
                never);
    }

    private void confirmWhatIsNotWritten() throws Exception {
        fixture.start(settings, late());
        insertFirst();
        fixture.sync();
        confirmed = insertRest();
        fixture.eventually(
                "the slot may be told",
                () -> fixture.engine.durableLsn(confirmed, fixture.engine.writtenLsn()) == confirmed);
        assertThat(Lsn.isBefore(fixture.engine.writtenLsn(), confirmed)).isTrue();
        // Nothing is flushed: as if the process were killed.
        fixture.engine.close();
        assertThat(documents()).isEqualTo("1 hello 1");
    }

    private void insertAll() {
        insertFirst();
        fixture.barrier();
        insertRest();
    }

    private void insertFirst() {
        fixture.insert("1", HELLO);
    }

    private long insertRest() {
        fixture.insert("2", HELLO);
        fixture.insert("1", YOU);
        fixture.insert("1", YOU);
        fixture.insert("1", "0b");
        return fixture.insert(fixture.op("1", null, bytes(BANG), null));
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private String documents() throws Exception {
        return fixture.one(
                "select string_agg(doc || ' ' || body_text || ' ' || op_count, ' | ' order by doc) from crdt.docs");
    }

    private JournalHome home() throws Exception {
        return JournalHome.open(journal, "", 0, "walmerge");
    }

    private void start(Lease lease, JournalHome home) throws Exception {
        fixture.engine =
                Engine.start(settings, fixture.database::connect, lease, Map.of("default", Policy.defaults()), home);
    }

    private TakeOver.Before before() throws Exception {
        try (Connection connection = fixture.database.connect()) {
            return TakeOver.before(connection, "walmerge", "7", 1);
        }
    }
}
