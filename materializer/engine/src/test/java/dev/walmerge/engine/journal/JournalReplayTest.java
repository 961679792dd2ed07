package dev.walmerge.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.Policy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a later process makes of a journal that the slot was told of: all of it, or nothing. */
final class JournalReplayTest {
    private static final UUID NONCE = new UUID(7, 1);
    private static final long WRITTEN = 150;
    private static final long CONFIRMED = 300;
    private static final long MAX_BYTES = 64 << 20;

    @TempDir
    Path directory;

    @Test
    void everythingAfterWhatIsWrittenComesBack() throws Exception {
        Policy other = policy("yjs-v2");
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer(100, () -> {});
            writer.inForce(Map.of("default", Policy.defaults()));
            commit(writer, 120, op("a", new byte[] {1}));
            writer.begin(145, 0);
            writer.policy("default", other);
            writer.commit(WRITTEN);
            writer.begin(200, 0);
            writer.op(op("b", new byte[] {2}));
            // Cut off, and sent again.
            writer.begin(200, 0);
            writer.op(op("b", new byte[200_000]));
            writer.op(op("c", null));
            writer.barrier("c");
            writer.commit(CONFIRMED);
            journal.sync(journal.point(CONFIRMED));
            commit(writer, 350, op("not told", new byte[] {3}));
        }
        assertThat(replay())
                .containsExactly(
                        "begin 120",
                        "op a 1",
                        "commit 140",
                        "begin 145",
                        "policy yjs-v2",
                        "commit 150",
                        "begin 200",
                        "policy yjs-v2",
                        "op b 1",
                        "begin 200",
                        "op b 200000",
                        "op c -1",
                        "barrier c",
                        "commit 300");
    }

    @Test
    void aCommitThatTheSlotWasNotYetToldOfDoesNoHarm() throws Exception {
        write();
        assertThat(replay(NONCE, WRITTEN, WRITTEN + 1, CONFIRMED)).contains("commit 300");
    }

    /** Anyone may emit a barrier of a megabyte; it then asks for every document. */
    @Test
    void whatNoRecordHoldsIsLeftOut() throws Exception {
        String tooLong = "x".repeat(RecordLayout.MAX_BODY_BYTES);
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer(100, () -> {});
            writer.begin(160, 0);
            writer.policy(tooLong, Policy.defaults());
            writer.command(new Command(1, tooLong, "default", null, Command.NONE, null, null));
            writer.barrier(tooLong);
            writer.op(op("a", new byte[] {1}));
            writer.commit(CONFIRMED);
            journal.sync(journal.point(CONFIRMED));
        }
        assertThat(replay()).containsExactly("begin 160", "barrier null", "op a 1", "commit 300");
    }

    /** A server that was killed forgets what its slot was told last, and sends it again. */
    @Test
    void whatTheSlotSendsAgainIsNotReplayed() throws Exception {
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer(100, () -> {});
            commit(writer, 160, op("a", new byte[] {1}));
            commit(writer, 180, op("b", new byte[] {2}));
            commit(writer, 200, op("c", new byte[] {3}));
            journal.sync(journal.point(CONFIRMED));
        }
        List<String> two = List.of("begin 160", "op a 1", "commit 180", "begin 180", "op b 1", "commit 200");
        assertThat(replayUpTo(181)).isEqualTo(two);
        assertThat(replayUpTo(200)).isEqualTo(two);
        assertThat(replayUpTo(201)).hasSize(9);
        assertThat(replayUpTo(CONFIRMED)).hasSize(9);
        assertLost("the slot is at", () -> replayUpTo(CONFIRMED + 1));
        assertThat(replayUpTo(160)).isEmpty();
    }

    @Test
    void nothingIsNeededWhenAllOfItIsWritten() throws Exception {
        write();
        try (JournalHome home = home()) {
            assertThat(home.replay(NONCE, CONFIRMED, 900)).isNull();
        }
    }

    @Test
    void aJournalOfAnotherHistoryIsRefused() throws Exception {
        write();
        assertLost("progress row", () -> replay(new UUID(7, 2), WRITTEN, CONFIRMED));
        assertLost("the slot is at", () -> replay(NONCE, WRITTEN, CONFIRMED + 1));
        assertLost("begins at", () -> replay(NONCE, 99, CONFIRMED));
        assertLost("is of 7/1/slot", () -> {
            try (JournalHome home = JournalHome.open(directory, "7", 2, "slot")) {
                home.replay(NONCE, WRITTEN, CONFIRMED);
            }
        });
        Files.delete(directory.resolve(HeaderFile.NAME));
        assertLost("no journal", this::replay);
    }

    @Test
    void anyNonceOfACommitWhoseEndWasNotSeenIsKnown() throws Exception {
        write();
        UUID next = new UUID(7, 3);
        try (JournalHome home = home()) {
            home.claim(NONCE);
        }
        write();
        try (JournalHome home = home()) {
            home.expect(List.of(NONCE, next));
            assertThat(home.replay(NONCE, WRITTEN, CONFIRMED)).isNotNull();
            assertThat(home.replay(next, WRITTEN, CONFIRMED)).isNotNull();
            home.expect(List.of(next));
            assertLost("progress row", () -> home.replay(NONCE, WRITTEN, CONFIRMED));
        }
    }

    @Test
    void aFlippedBitAnywhereIsFoundOrHarmless() throws Exception {
        write();
        List<String> whole = replay();
        int[] outcomes = new int[2];
        for (Path file : List.of(directory.resolve(HeaderFile.NAME), queueFile())) {
            byte[] bytes = Files.readAllBytes(file);
            int end = Math.min(bytes.length, recordsEnd(bytes));
            // The queue's own index comes before the first record.
            for (int at = file.endsWith(HeaderFile.NAME) ? 0 : 65_700; at < end; at++) {
                for (int bit = 1; bit < 256; bit <<= 3) {
                    patch(file, at, (byte) (bytes[at] ^ bit));
                    try {
                        assertThat(replay())
                                .as(file.getFileName() + " at " + at)
                                .isEqualTo(whole);
                        outcomes[0]++;
                    } catch (JournalLostException e) {
                        outcomes[1]++;
                    }
                }
                patch(file, at, bytes[at]);
            }
        }
        assertThat(outcomes[1]).as("found").isGreaterThan(900);
    }

    @Test
    void aFileCutShortAnywhereIsLost() throws Exception {
        write();
        Path file = queueFile();
        byte[] bytes = Files.readAllBytes(file);
        for (int length = recordsEnd(bytes) - 1; length >= 0; length -= length > 66_000 ? 1 : 997) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(length);
            }
            assertLost("", this::replay);
        }
    }

    @Test
    void aMissingFileIsLostUnlessAllOfItIsWritten() throws Exception {
        long last;
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer(100, () -> {});
            while (queueFiles().size() < 4) {
                commit(writer, writer.lastEndLsn() + 10, op("doc", new byte[1_000_000]));
            }
            last = writer.lastEndLsn();
            journal.sync(journal.point(last));
        }
        List<Path> files = queueFiles();
        assertThat(replay(NONCE, 100, last)).hasSizeGreaterThan(100);
        for (Path file : files) {
            Path aside = directory.resolve("aside");
            Files.move(file, aside);
            assertLost("", () -> replay(NONCE, 100, last));
            Files.move(aside, file);
        }
        Files.delete(files.get(0));
        List<String> rest = replay(NONCE, last - 30, last);
        assertThat(rest).contains("commit " + last).doesNotContain("commit 120");
    }

    @Test
    void aJournalThatBeganInsideATransactionNeedsItsEndToBeWritten() throws Exception {
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer(100, () -> {});
            writer.begin(110, 0);
            while (queueFiles().size() < 2) {
                writer.op(op("large", new byte[1_000_000]));
            }
            writer.op(op("large", new byte[10]));
            writer.commit(200);
            commit(writer, 220, op("next", new byte[] {1}));
            journal.sync(journal.point(CONFIRMED));
        }
        Files.delete(queueFiles().get(0));
        assertThat(replay(NONCE, 200, CONFIRMED)).containsExactly("begin 220", "op next 1", "commit 240");
        assertLost("inside a transaction", () -> replay(NONCE, 199, CONFIRMED));
    }

    @Test
    void anEarlierJournalStaysUntilTheNewOneHasItAll() throws Exception {
        write();
        try (JournalHome home = home()) {
            assertThat(home.replay(NONCE, WRITTEN, CONFIRMED)).isNotNull();
            home.claim(new UUID(7, 9));
            Journal.open(home, 1, MAX_BYTES, 0, WRITTEN).close();
        }
        UUID nonce = new UUID(7, 9);
        try (JournalHome home = home()) {
            JournalReplay replay = home.replay(nonce, WRITTEN, CONFIRMED);
            assertThat(replay).as("killed in the middle of it").isNotNull();
            home.claim(nonce);
            try (Journal journal = Journal.open(home, 1, MAX_BYTES, 0, WRITTEN)) {
                JournalWriter writer = journal.writer(WRITTEN, () -> {});
                while (replay.step(writer)) {}
                assertThat(home.keepsEarlier()).isTrue();
                journal.sync(journal.point(CONFIRMED));
                assertThat(home.keepsEarlier()).isFalse();
            }
        }
        assertThat(queueFiles()).hasSize(1);
        assertThat(replay(nonce, WRITTEN, CONFIRMED)).containsExactly("begin 200", "op b 3", "commit 300");
    }

    @Test
    void aSyncIsRefusedWhenTheFilesAreGone() throws Exception {
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer(100, () -> {});
            commit(writer, 120, op("a", new byte[] {1}));
            SyncPoint point = journal.point(140);
            Path file = queueFile();
            Files.delete(file);
            assertLost("is gone", () -> journal.sync(point));
            Files.write(file, new byte[100_000]);
            assertLost("replaced", () -> journal.sync(point));
        }
    }

    // What it is made of ----------------------------------------------------------------------------------------------

    private void write() throws IOException {
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer(100, () -> {});
            commit(writer, 120, op("a", new byte[] {1, 2}));
            writer.begin(200, 0);
            writer.op(op("b", new byte[] {1, 2, 3}));
            writer.commit(CONFIRMED);
            journal.sync(journal.point(CONFIRMED));
        }
    }

    private JournalHome home() throws IOException {
        return JournalHome.open(directory, "7", 1, "slot");
    }

    private Journal open() throws IOException {
        JournalHome home = home();
        home.claim(NONCE);
        return Journal.open(home, 1, MAX_BYTES, 0, 100);
    }

    private static void commit(JournalWriter writer, long lsn, Op op) {
        writer.begin(lsn, 0);
        writer.op(op);
        writer.commit(lsn + 20);
    }

    private List<String> replay() throws IOException {
        return replay(NONCE, WRITTEN, CONFIRMED);
    }

    private List<String> replay(UUID nonce, long written, long confirmed) throws IOException {
        return replay(nonce, written, confirmed, confirmed);
    }

    private List<String> replayUpTo(long slotLsn) throws IOException {
        return replay(NONCE, WRITTEN, WRITTEN + 1, slotLsn);
    }

    private List<String> replay(UUID nonce, long written, long confirmed, long end) throws IOException {
        Recorder recorder = new Recorder();
        try (JournalHome home = home();
                JournalReplay replay = home.replay(nonce, written, confirmed)) {
            replay.endAt(end);
            while (replay.step(recorder)) {}
        }
        return recorder.events;
    }

    private static void assertLost(String message, org.assertj.core.api.ThrowableAssert.ThrowingCallable action) {
        assertThatThrownBy(action).isInstanceOf(JournalLostException.class).hasMessageContaining(message);
    }

    private static Op op(String doc, byte[] payload) {
        return new Op("default", doc, null, payload, null, "app", 1);
    }

    private static Policy policy(String format) {
        Policy p = Policy.defaults();
        return new Policy(
                format,
                p.root(),
                p.jsonForText(),
                p.flushDebounce(),
                p.flushInterval(),
                p.walBudgetBytesPerSecond(),
                p.stalenessMax(),
                p.foldBytes(),
                p.foldRatio(),
                p.foldRows(),
                p.foldIdle(),
                p.rotateAfter());
    }

    private Path queueFile() throws IOException {
        return queueFiles().get(0);
    }

    private List<Path> queueFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".cq4"))
                    .sorted()
                    .toList();
        }
    }

    private static int recordsEnd(byte[] bytes) {
        int end = Math.min(bytes.length, 100_000);
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private static void patch(Path file, int at, byte value) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {value}), at);
        }
    }

    private static final class Recorder implements OpSink {
        final List<String> events = new ArrayList<>();

        @Override
        public void begin(long commitLsn, long commitTimeMicros) {
            events.add("begin " + commitLsn);
        }

        @Override
        public void op(Op op) {
            events.add("op " + op.doc() + " " + (op.payload() == null ? -1 : op.payload().length));
        }

        @Override
        public void barrier(String doc) {
            events.add("barrier " + doc);
        }

        @Override
        public void policy(String collection, Policy policy) {
            events.add("policy " + policy.format());
        }

        @Override
        public void command(Command command) {
            events.add("command " + command.id());
        }

        @Override
        public void commit(long endLsn) {
            events.add("commit " + endLsn);
        }

        @Override
        public boolean hasRoom() {
            return true;
        }
    }
}
