package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.UNKNOWN_CONTENT;
import static dev.walmerge.engine.Updates.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Typing, forgetting and reviving at random, in transactions of several ops, over engines that end anywhere and are sent
 * everything that is not written once more. The oracle does the same to strings.
 */
final class ForgetReplayTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);
    private static final int ROUNDS = 3;
    private static final int TRANSACTIONS = 100;

    /** What a document should be. */
    private static final class Expected {
        boolean forgotten;
        int ops;
        int letters;
        final StringBuilder text = new StringBuilder();
        int tombstones;
    }

    /** One row that the slot sends: an op or a command; none is a barrier. */
    private record Row(Op op, Command command) {}

    private record Transaction(long commitLsn, long endLsn, List<Row> rows) {}

    @TempDir
    Path folder;

    private final Map<String, Expected> documents = new TreeMap<>();
    private final List<Transaction> sent = new ArrayList<>();
    private Random random;
    private boolean lazy;
    private EngineFixture fixture;
    private long lsn;
    private long rowId;

    @Test
    void whatIsForgottenNeverComesBackAndWhatIsNotStays() throws Exception {
        System.out.println("ForgetReplayTest: -Dwalmerge.seed=" + SEED);
        for (int round = 0; round < ROUNDS; round++) {
            random = new Random(SEED + round);
            fixture = new EngineFixture(folder.resolve("round" + round));
            try {
                round();
            } finally {
                fixture.close();
            }
        }
    }

    private void round() throws Exception {
        documents.clear();
        sent.clear();
        lsn = 0x1000;
        start();
        for (int i = 0; i < TRANSACTIONS; i++) {
            Transaction next = transaction();
            sent.add(next);
            send(next);
            if (random.nextInt(4) == 0 && !lazy) {
                long some = sent.get(Math.max(0, sent.size() - 1 - random.nextInt(5))).endLsn;
                fixture.eventually("written", () -> !Lsn.isBefore(fixture.engine.writtenLsn(), some));
            }
            if (random.nextInt(12) == 0) {
                if (random.nextBoolean()) {
                    // Tombstones are written at once, new ops after them perhaps not.
                    fixture.eventually("tombstones", this::tombstonesAreWritten);
                }
                fixture.engine.close();
                start();
                sent.forEach(this::send);
            }
        }
        Transaction barrier = new Transaction(lsn, lsn + 0x30, List.of(new Row(null, null)));
        send(barrier);
        long end = barrier.endLsn;
        fixture.eventually("all written", () -> {
            if (fixture.engine.failure() != null) {
                throw new AssertionError("the engine failed", fixture.engine.failure());
            }
            return !Lsn.isBefore(fixture.engine.writtenLsn(), end);
        });
        compare();
    }

    private boolean tombstonesAreWritten() throws Exception {
        for (Map.Entry<String, Expected> each : documents.entrySet()) {
            String inForce = each.getValue().tombstones == 0 ? null : each.getValue().forgotten ? "t" : "f";
            if (!Objects.equals(
                    inForce,
                    fixture.one("select revived_at is null from crdt.forgotten where doc = '" + each.getKey() + "'"))) {
                return false;
            }
        }
        return true;
    }

    private void compare() throws Exception {
        for (Map.Entry<String, Expected> each : documents.entrySet()) {
            String doc = each.getKey();
            Expected expected = each.getValue();
            boolean there = !expected.forgotten && expected.ops > 0;
            assertThat(fixture.text(doc)).as(doc).isEqualTo(there ? expected.text.toString() : null);
            assertThat(LoadedText.of(fixture.database, doc)).as(doc).isEqualTo(there ? expected.text.toString() : "");
            assertThat(fixture.one("select op_count from crdt.docs where doc = '" + doc + "'"))
                    .as(doc)
                    .isEqualTo(there ? Integer.toString(expected.ops) : null);
            assertThat(fixture.one("select count(*) from crdt.dead_letter where doc = '" + doc + "'"))
                    .as(doc)
                    .isEqualTo(Integer.toString(expected.letters));
            assertThat(fixture.one("select revived_at is null from crdt.forgotten where doc = '" + doc + "'"))
                    .as(doc)
                    .isEqualTo(expected.tombstones == 0 ? null : expected.forgotten ? "t" : "f");
        }
    }

    private void start() throws Exception {
        Policy defaults = Policy.defaults();
        lazy = random.nextBoolean();
        Policy policy = new Policy(
                defaults.format(),
                defaults.root(),
                defaults.jsonForText(),
                lazy ? Duration.ofHours(1) : Duration.ofMillis(2),
                lazy ? Duration.ofHours(1) : Duration.ofMillis(2),
                Integer.MAX_VALUE,
                lazy ? Duration.ofHours(1) : Duration.ofMillis(5),
                0,
                0.1,
                2,
                defaults.foldIdle(),
                defaults.rotateAfter());
        // No room for anything: documents are evicted as soon as they may, and written inside transactions.
        EngineSettings settings = fixture.settings()
                .shards(2)
                .memoryBytes(random.nextBoolean() ? 1 : 1 << 24)
                .build();
        fixture.start(settings, policy);
    }

    private Transaction transaction() throws Exception {
        List<Row> rows = new ArrayList<>();
        String first = null;
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String doc = "d" + random.nextInt(4);
            Expected expected = documents.computeIfAbsent(doc, key -> new Expected());
            int dice = random.nextInt(10);
            if (dice == 0) {
                forget(expected);
                rows.add(command(Command.FORGET, doc));
            } else if (dice <= 2 && i == 0) {
                // As crdt.revive demands: of a document that is erased, and the first of its transaction.
                if (expected.forgotten) {
                    fixture.eventually("erased", this::tombstonesAreWritten);
                }
                expected.forgotten = false;
                rows.add(command(Command.REVIVE, doc));
                first = doc;
            } else if (dice == 3) {
                expected.letters += expected.forgotten ? 0 : 1;
                rows.add(op(doc, hex(UNKNOWN_CONTENT)));
            } else {
                rows.add(op(doc, type(expected, doc.equals(first))));
            }
        }
        Transaction made = new Transaction(lsn, lsn + 0x30, rows);
        lsn += 0x30;
        return made;
    }

    private static void forget(Expected expected) {
        expected.forgotten = true;
        expected.tombstones++;
        expected.text.setLength(0);
        expected.ops = 0;
        expected.letters = 0;
    }

    private byte[] type(Expected expected, boolean isNew) {
        String more = (isNew ? "n" : "w") + random.nextInt(1_000) + " ";
        byte[] update = Updates.append(expected.text.length(), more);
        if (!expected.forgotten) {
            expected.text.append(more);
            expected.ops++;
        }
        return update;
    }

    private Row op(String doc, byte[] update) {
        return new Row(new Op("default", doc, null, update, null, "app", ++rowId), null);
    }

    private Row command(String name, String doc) {
        return new Row(null, new Command(++rowId, name, "default", doc, Command.NONE, null, null));
    }

    private void send(Transaction transaction) {
        OpSink sink = fixture.engine.sink();
        sink.begin(transaction.commitLsn, 0);
        for (Row row : transaction.rows) {
            if (row.op != null) {
                sink.op(row.op);
            } else if (row.command != null) {
                sink.command(row.command);
            } else {
                sink.barrier(null);
            }
        }
        sink.commit(transaction.endLsn);
    }
}
