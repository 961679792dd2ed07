package dev.walmerge.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JournalTest {
    private static final long MAX_BYTES = 64 << 20;

    @TempDir
    Path directory;

    @Test
    void everyRecordComesBackAsItWas() throws Exception {
        try (Journal journal = open(1, MAX_BYTES)) {
            JournalWriter writer = journal.writer(0, () -> {});
            Recorder recorder = new Recorder();
            JournalReader reader = journal.reader(0, 1, recorder);
            Op update = new Op("default", "post-ä", "yjs-v2", new byte[] {0, -1, 7}, null, "app", 42);
            Op json = new Op("default", "post-1", null, null, "{\"at\":1}", null, Long.MAX_VALUE);
            Policy policy = Policy.defaults();
            writer.begin(100, 5);
            writer.op(update);
            writer.op(json);
            writer.commit(150);
            writer.begin(160, 6);
            writer.policy("default", policy);
            writer.barrier(null);
            writer.barrier("post-1");
            writer.commit(190);
            Command command = new Command(9, "retry-dead-letter", "default", "post-ä", 7, "truncated", "yjs-v2");
            Command plain = new Command(Long.MAX_VALUE, "x", "default", null, Command.NONE, null, null);
            writer.begin(200, 6);
            writer.command(command);
            writer.command(plain);
            writer.commit(230);

            assertThat(reader.poll(100)).as("with that of the file").isEqualTo(11);
            assertThat(reader.poll(100)).isZero();
            assertThat(recorder.events)
                    .containsExactly(
                            "op 100 0 default post-ä yjs-v2 [0, -1, 7] null app 42",
                            "op 100 1 default post-1 null null {\"at\":1} null " + Long.MAX_VALUE,
                            "commit 150 true false",
                            "policy default " + policy,
                            "barrier null",
                            "barrier post-1",
                            "commit 190 false true",
                            "command 200 " + command,
                            "command 200 " + plain,
                            "commit 230 true false");
            assertThat(writer.lastEndLsn()).isEqualTo(230);
            assertThat(journal.backlogBytes()).isZero();
            reader.close();
        }
    }

    @Test
    void aLargeOpIsCutAndPutTogetherAgain() throws Exception {
        try (Journal journal = open(1, MAX_BYTES)) {
            JournalWriter writer = journal.writer(0, () -> {});
            byte[] payload = new byte[20_000_003];
            for (int i = 0; i < payload.length; i++) {
                payload[i] = (byte) (i * 31);
            }
            List<byte[]> payloads = new ArrayList<>();
            Recorder recorder = new Recorder() {
                @Override
                public void op(long commitLsn, int sequence, int hash, Op op) {
                    payloads.add(op.payload());
                }
            };
            try (JournalReader reader = journal.reader(0, 1, recorder)) {
                writer.begin(1, 0);
                writer.op(op("a", payload));
                writer.op(op("b", new byte[] {1}));
                writer.op(op("a", payload));
                writer.commit(2);
                while (reader.poll(3) > 0) {}
                assertThat(payloads).hasSize(3);
                assertThat(payloads.get(0)).isEqualTo(payload);
                assertThat(payloads.get(1)).isEqualTo(new byte[] {1});
                assertThat(payloads.get(2)).isEqualTo(payload);
            }
        }
    }

    @Test
    void everyShardSeesItsOwnOpsAndEveryCommit() throws Exception {
        int shards = 3;
        try (Journal journal = open(shards, MAX_BYTES)) {
            JournalWriter writer = journal.writer(0, () -> {});
            for (int i = 0; i < 300; i++) {
                writer.begin(i * 10 + 1, 0);
                writer.op(op("doc-" + i, new byte[i]));
                writer.commit(i * 10 + 5);
            }
            AtomicInteger ops = new AtomicInteger();
            for (int shard = 0; shard < shards; shard++) {
                assertThat(journal.backlogBytes()).isPositive();
                Recorder recorder = new Recorder();
                try (JournalReader reader = journal.reader(shard, shards, recorder)) {
                    assertThat(reader.poll(10_000)).isEqualTo(601);
                }
                List<String> own =
                        recorder.events.stream().filter(e -> e.startsWith("op")).toList();
                assertThat(recorder.events).hasSize(300 + own.size());
                assertThat(own).hasSizeBetween(60, 140);
                ops.addAndGet(own.size());
            }
            assertThat(ops).hasValue(300);
            assertThat(journal.backlogBytes()).isZero();
        }
    }

    @Test
    void filesAreCutBySizeAndDeletedWhenTheyAreReadAndWritten() throws Exception {
        long maxBytes = 8 << 20;
        try (Journal journal = open(2, maxBytes)) {
            AtomicLong written = new AtomicLong();
            journal.follow(written::get);
            JournalWriter writer = journal.writer(0, () -> {});
            Recorder recorder = new Recorder();
            try (JournalReader first = journal.reader(0, 1, recorder);
                    JournalReader second = journal.reader(1, 1, recorder)) {
                fill(journal, writer);
                assertThat(journal.state()).isEqualTo(JournalState.FULL);
                assertThat(journal.keptBytes()).isBetween(maxBytes, maxBytes + 500_000);
                assertThat(bytesOnDisk()).isLessThan(maxBytes + 500_000);
                written.set(writer.lastEndLsn());
                while (first.poll(50) > 0) {}
                assertThat(journal.hasRoom()).as("the slower reader counts").isFalse();
                assertThat(files()).isGreaterThanOrEqualTo(3);
                while (second.poll(50) > 0) {}
                assertThat(journal.hasRoom()).isTrue();
                assertThat(files()).isEqualTo(1);
                int events = recorder.events.size();
                for (int i = 0; i < 60; i++) {
                    assertThat(journal.hasRoom()).isTrue();
                    commit(writer, 100_000);
                    written.set(writer.lastEndLsn());
                    while (first.poll(50) + second.poll(50) > 0) {}
                }
                assertThat(recorder.events).hasSize(events + 240);
                assertThat(files()).isLessThanOrEqualTo(3);
            }
        }
    }

    @Test
    void whatIsMergedButNotWrittenStaysOnlyIfTheSlotWasToldOfIt() throws Exception {
        try (Journal journal = open(1, 8 << 20)) {
            AtomicLong written = new AtomicLong();
            journal.follow(written::get);
            JournalWriter writer = journal.writer(0, () -> {});
            try (JournalReader reader = journal.reader(0, 1, new Recorder())) {
                fill(journal, writer);
                while (reader.poll(50) > 0) {}
                assertThat(journal.hasRoom()).as("the slot would send it again").isTrue();
                assertThat(journal.point(writer.lastEndLsn()))
                        .as("some of it is neither written nor here")
                        .isNull();
                written.set(writer.lastEndLsn());
                SyncPoint point = journal.point(writer.lastEndLsn());
                journal.sync(point);

                fill(journal, writer);
                SyncPoint last = journal.point(writer.lastEndLsn());
                journal.sync(last);
                while (reader.poll(50) > 0) {}
                assertThat(journal.hasRoom()).as("the slot was told of it").isFalse();
                written.set(writer.lastEndLsn());
                assertThat(journal.hasRoom()).isTrue();
                assertThat(files()).isEqualTo(1);
            }
        }
    }

    @Test
    void aTransactionLargerThanTheJournalGoesThrough() throws Exception {
        try (Journal journal = open(1, 4 << 20)) {
            journal.follow(() -> 0);
            JournalWriter writer = journal.writer(0, () -> {});
            Recorder recorder = new Recorder();
            try (JournalReader reader = journal.reader(0, 1, recorder)) {
                writer.begin(1, 0);
                for (int i = 0; i < 200; i++) {
                    while (!journal.hasRoom()) {
                        assertThat(reader.poll(50)).isPositive();
                    }
                    writer.op(op("doc", new byte[100_000]));
                }
                assertThat(journal.point(1)).as("inside a transaction").isNull();
                writer.commit(2);
                while (reader.poll(50) > 0) {}
                assertThat(recorder.events).hasSize(201);
                assertThat(bytesOnDisk()).isLessThan(5 << 20);
                assertThat(journal.point(2)).as("its beginning is gone").isNull();
            }
        }
    }

    private static void fill(Journal journal, JournalWriter writer) {
        while (journal.hasRoom()) {
            commit(writer, 100_000);
        }
    }

    private static void commit(JournalWriter writer, int payloadBytes) {
        long lsn = writer.lastEndLsn() + 10;
        writer.begin(lsn, 0);
        writer.op(op("doc", new byte[payloadBytes]));
        writer.commit(lsn + 5);
    }

    private long bytesOnDisk() throws IOException {
        Process du = new ProcessBuilder("du", "-sk", directory.toString()).start();
        try (var out = du.inputReader()) {
            String line = out.readLine();
            return Long.parseLong(line.substring(0, line.indexOf('\t'))) << 10;
        }
    }

    @Test
    void anEmptyTransactionLeavesNoTrace() throws Exception {
        try (Journal journal = open(1, MAX_BYTES)) {
            AtomicInteger wakes = new AtomicInteger();
            JournalWriter writer = journal.writer(7, wakes::incrementAndGet);
            long before = journal.appendedBytes();
            writer.begin(10, 0);
            writer.commit(20);
            assertThat(wakes).hasValue(0);
            assertThat(writer.lastEndLsn()).isEqualTo(7);
            assertThat(journal.appendedBytes()).isEqualTo(before);
        }
    }

    @Test
    void aReaderThatConnectsAgainRepeatsNothingAndFinishesWhatWasCutOff() throws Exception {
        try (Journal journal = open(1, MAX_BYTES)) {
            JournalWriter writer = journal.writer(50, () -> {});
            Recorder recorder = new Recorder();
            try (JournalReader reader = journal.reader(0, 1, recorder)) {
                writer.begin(40, 0);
                writer.op(op("before", new byte[0]));
                writer.commit(50);
                writer.begin(60, 0);
                writer.op(op("a", new byte[0]));
                writer.commit(70);
                writer.begin(80, 0);
                writer.op(op("b", new byte[0]));
                // Connection lost: the slot starts again from what it was told.
                writer.begin(60, 0);
                writer.op(op("a", new byte[0]));
                writer.commit(70);
                writer.begin(80, 0);
                writer.op(op("b", new byte[0]));
                writer.commit(90);
                reader.poll(100);
                assertThat(recorder.events.stream().map(e -> e.replaceAll(" (null|\\[]|app|default)|\\d+$", "")))
                        .containsExactly(
                                "op 60 0 a ",
                                "commit 70 true false",
                                "op 80 0 b ",
                                "abandon",
                                "op 80 0 b ",
                                "commit 90 true false");
            }
        }
    }

    @Test
    void aFlippedBitIsFound() throws Exception {
        try (Journal journal = open(1, MAX_BYTES)) {
            JournalWriter writer = journal.writer(0, () -> {});
            writer.begin(1, 0);
            writer.op(op("doc", "needle-in-the-journal".getBytes(StandardCharsets.UTF_8)));
            writer.commit(2);
            flip("needle-in");
            try (JournalReader reader = journal.reader(0, 1, new Recorder())) {
                assertThatThrownBy(() -> reader.poll(2))
                        .isInstanceOf(CorruptJournalException.class)
                        .hasMessageContaining("checksum");
            }
        }
    }

    @Test
    void openingWipesWhatAnEarlierProcessLeft() throws Exception {
        try (Journal journal = open(1, MAX_BYTES)) {
            JournalWriter writer = journal.writer(0, () -> {});
            writer.begin(1, 0);
            writer.op(op("doc", new byte[1]));
            writer.commit(2);
        }
        try (Journal journal = open(1, MAX_BYTES);
                JournalReader reader = journal.reader(0, 1, new Recorder())) {
            assertThat(reader.poll(100)).as("that of the file").isEqualTo(1);
        }
    }

    @Test
    void aDirectoryHasOneJournal() throws Exception {
        try (Journal journal = open(1, MAX_BYTES)) {
            assertThatThrownBy(() -> open(1, MAX_BYTES))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
            assertThat(journal.hasRoom()).isTrue();
        }
        open(1, MAX_BYTES).close();
    }

    private Journal open(int readers, long maxBytes) throws IOException {
        JournalHome home = JournalHome.open(directory, "7", 1, "slot");
        home.claim(new UUID(0, 1));
        return Journal.open(home, readers, maxBytes, 0, 0);
    }

    private static Op op(String doc, byte[] payload) {
        return new Op("default", doc, null, payload, null, "app", 1);
    }

    private long files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".cq4")).count();
        }
    }

    private void flip(String text) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            Path file = files.filter(path -> path.toString().endsWith(".cq4"))
                    .findFirst()
                    .orElseThrow();
            try (var channel = java.nio.channels.FileChannel.open(
                    file, java.nio.file.StandardOpenOption.READ, java.nio.file.StandardOpenOption.WRITE)) {
                var map = channel.map(java.nio.channels.FileChannel.MapMode.READ_WRITE, 0, 2 << 20);
                byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
                byte[] found = new byte[wanted.length];
                for (int at = 0; ; at++) {
                    map.get(at, found);
                    if (Arrays.equals(found, wanted)) {
                        map.put(at, (byte) (map.get(at) ^ 1));
                        return;
                    }
                }
            }
        }
    }

    private static class Recorder implements JournalHandler {
        final List<String> events = new ArrayList<>();

        @Override
        public void op(long commitLsn, int sequence, int hash, Op op) {
            events.add("op " + commitLsn + " " + sequence + " " + op.collection() + " " + op.doc() + " " + op.format()
                    + " " + (op.payload() == null ? null : Arrays.toString(op.payload())) + " " + op.json() + " "
                    + op.role() + " " + op.rowId());
        }

        @Override
        public void barrier(String doc) {
            events.add("barrier " + doc);
        }

        @Override
        public void policy(String collection, Policy policy) {
            events.add("policy " + collection + " " + policy);
        }

        @Override
        public void command(long commitLsn, Command command) {
            events.add("command " + commitLsn + " " + command);
        }

        @Override
        public void commit(long endLsn, boolean hasOps, boolean hasBarrier) {
            events.add("commit " + endLsn + " " + hasOps + " " + hasBarrier);
        }

        @Override
        public void abandon() {
            events.add("abandon");
        }
    }
}
