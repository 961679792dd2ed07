package dev.walmerge.engine.shard;

import static dev.walmerge.engine.shard.ShardTest.Step.millis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.writeback.DeadLetter;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.StalenessBound;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a shard hands over, and when, by a clock that the test turns. Every document is new: nothing is stored. */
final class ShardTest {
    private static final byte[] HELLO = HexFormat.of().parseHex("010101000401017405" + "68656c6c6f" + "00");
    private static final byte[] YOU = HexFormat.of().parseHex("010101058401040420796f7500");

    private final Outbox outbox = new Outbox(0x10);
    private final ShardCounters counters = new ShardCounters();
    private final Map<String, Policy> policies = new HashMap<>(Map.of("default", Policy.defaults()));
    private final Shard shard = new Shard(
            EngineSettings.defaults(Path.of("unused")),
            outbox,
            counters,
            0x10,
            policies,
            key -> null,
            NoLetters.INSTANCE,
            0,
            new Core());

    private long nowNanos;
    private int sequence;

    /** Milliseconds as nanoseconds. */
    static final class Step {
        private Step() {}

        static long millis(long millis) {
            return millis * 1_000_000;
        }
    }

    @Test
    void aDocumentIsWrittenWhenNobodyTypes() {
        op("d", HELLO, 0x20);
        shard.commit(0x30, true, false);
        at(249);
        assertThat(outbox.takeSubmitted()).isNull();
        assertThat(outbox.safeLsn()).as("the floor is the commit before").isEqualTo(0x10);
        at(250);
        DocumentWrite write = outbox.takeSubmitted().write;
        assertThat(write.text()).isEqualTo("hello");
        assertThat(write.mergedLsn()).isEqualTo(0x30);
        assertThat(write.stalenessMillis()).isEqualTo(250);
        assertThat(write.bound()).isEqualTo(StalenessBound.DEBOUNCE);
        assertThat(outbox.safeLsn()).as("written once that is committed").isEqualTo(0x30);
        assertThat(outbox.progressLsn()).isEqualTo(0x30);
    }

    @Test
    void constantTypingIsWrittenByIntervalThenByBudget() {
        long lsn = 0x20;
        for (int clock = 0, millis = 0; millis <= 1000; millis += 100, clock++) {
            at(millis);
            letter(clock, lsn += 0x10);
        }
        at(1000);
        Submission first = outbox.takeSubmitted();
        assertThat(first.write.bound()).isEqualTo(StalenessBound.INTERVAL);
        assertThat(first.write.text()).hasSize(10);
        outbox.acknowledge(first);
        // About 21 kB at 40 kB/s: the next one is not before half a second has gone, so the interval decides again.
        for (int clock = 11, millis = 1100; millis <= 2100; millis += 100, clock++) {
            at(millis);
            letter(clock, lsn += 0x10);
        }
        at(2100);
        Submission second = outbox.takeSubmitted();
        assertThat(second.write.bound()).isEqualTo(StalenessBound.INTERVAL);
        assertThat(second.write.change()).isNotNull();
        assertThat(second.write.fold()).isNull();
    }

    /** What was written under a budget of a byte a second is paid back under the one that is in force now. */
    @Test
    void aNewBudgetHoldsForWhatWasWrittenBefore() {
        shard.policy("default", withBudget(1));
        op("d", HELLO, 0x20);
        shard.commit(0x30, true, false);
        at(250);
        outbox.acknowledge(outbox.takeSubmitted());
        op("d", YOU, 0x40);
        shard.commit(0x50, true, false);
        at(5_000);
        assertThat(outbox.takeSubmitted()).as("some 20 kB are not paid back").isNull();
        shard.policy("default", withBudget(40_000));
        at(5_001);
        assertThat(outbox.takeSubmitted().write.bound()).isEqualTo(StalenessBound.BUDGET);
    }

    private static Policy withBudget(int bytesPerSecond) {
        Policy each = Policy.defaults();
        return new Policy(
                each.format(),
                each.root(),
                each.jsonForText(),
                each.flushDebounce(),
                each.flushInterval(),
                bytesPerSecond,
                each.stalenessMax(),
                each.foldBytes(),
                each.foldRatio(),
                each.foldRows(),
                each.foldIdle(),
                each.rotateAfter());
    }

    @Test
    void aDocumentInFlightIsNotHandedOverAgain() {
        op("d", HELLO, 0x20);
        shard.commit(0x30, true, false);
        at(300);
        Submission first = outbox.takeSubmitted();
        op("d", YOU, 0x40);
        shard.barrier(null);
        shard.commit(0x50, true, true);
        at(20_000);
        assertThat(outbox.takeSubmitted()).isNull();
        assertThat(outbox.safeLsn()).as("the second op holds it back").isEqualTo(0x30);
        assertThat(outbox.urgentLsn()).isEqualTo(0x50);
        outbox.acknowledge(first);
        at(20_001);
        Submission second = outbox.takeSubmitted();
        assertThat(second.write.text()).isEqualTo("hello you");
        assertThat(second.write.bound()).isEqualTo(StalenessBound.BARRIER);
        assertThat(outbox.safeLsn()).isEqualTo(0x50);
    }

    @Test
    void aBarrierAlsoWritesWhatCameAfterARevivalThatIsNotWritten() {
        shard.command(0x20, new Command(1, Command.FORGET, "default", "d", Command.NONE, null, null));
        shard.commit(0x30, false, false);
        shard.command(0x40, new Command(2, Command.REVIVE, "default", "d", Command.NONE, null, null));
        shard.commit(0x50, false, false);
        op("d", HELLO, 0x60);
        shard.commit(0x70, true, false);
        shard.barrier(null);
        shard.commit(0x80, false, true);
        at(1);
        Submission tombstone = outbox.takeSubmitted();
        assertThat(tombstone.write).isNull();
        outbox.acknowledge(tombstone);
        at(2);
        Submission after = outbox.takeSubmitted();
        assertThat(after.write.text()).isEqualTo("hello");
        assertThat(after.write.bound()).isEqualTo(StalenessBound.BARRIER);
        assertThat(outbox.safeLsn()).isEqualTo(0x80);
    }

    @Test
    void aBarrierOfOneDocumentWritesThatOneOnly() {
        op("a", HELLO, 0x20);
        op("b", HELLO, 0x20);
        shard.commit(0x30, true, false);
        shard.barrier("a");
        shard.commit(0x40, false, true);
        at(1);
        Submission first = outbox.takeSubmitted();
        assertThat(first.write.key().doc()).isEqualTo("a");
        assertThat(first.write.mergedLsn()).isEqualTo(0x40);
        assertThat(first.write.bound()).isEqualTo(StalenessBound.BARRIER);
        assertThat(outbox.takeSubmitted()).as("nobody asked for b").isNull();
        assertThat(outbox.safeLsn()).isEqualTo(0x10);
        outbox.acknowledge(first);
        at(2);
        shard.barrier("a");
        shard.commit(0x50, false, true);
        at(3);
        Submission again = outbox.takeSubmitted();
        assertThat(again.write.mergedLsn()).as("nothing new, up to here").isEqualTo(0x50);
        assertThat(again.write.contentChanged()).isFalse();
        assertThat(again.write.bound()).isEqualTo(StalenessBound.BARRIER);
        shard.barrier("a");
        shard.commit(0x60, false, true);
        at(4);
        assertThat(outbox.takeSubmitted()).as("one is in flight").isNull();
        outbox.acknowledge(again);
        at(5);
        assertThat(outbox.takeSubmitted().write.mergedLsn()).isEqualTo(0x60);
        shard.barrier("a");
        shard.barrier("c");
        shard.commit(0x70, false, true);
        at(6);
        assertThat(outbox.takeSubmitted().write.key().doc())
                .as("two names are everything")
                .isEqualTo("b");
    }

    @Test
    void anOpenTransactionHoldsBackOnlyWhatItTouched() {
        op("before", HELLO, 0x20);
        shard.commit(0x30, true, false);
        op("within", HELLO, 0x40);
        at(60_000);
        Submission submission = outbox.takeSubmitted();
        assertThat(submission.write.key().doc()).isEqualTo("before");
        assertThat(submission.write.mergedLsn()).isEqualTo(0x30);
        assertThat(outbox.takeSubmitted()).isNull();
        assertThat(outbox.safeLsn()).isEqualTo(0x30);
        shard.commit(0x50, true, false);
        at(60_001);
        assertThat(outbox.takeSubmitted().write.mergedLsn()).isEqualTo(0x50);
    }

    @Test
    void farBehindEverythingWaitsAsLongAsItMay() {
        op("d", HELLO, 0x20);
        shard.commit(0x30, true, false);
        shard.tick(millis(300), true, false);
        shard.tick(millis(9_999), true, false);
        assertThat(outbox.takeSubmitted()).isNull();
        shard.tick(millis(10_000), true, false);
        assertThat(outbox.takeSubmitted().write.bound()).isEqualTo(StalenessBound.STALENESS_MAX);
        nowNanos = millis(10_500);
        op("e", HELLO, 0x40);
        shard.commit(0x50, true, false);
        shard.tick(millis(11_000), true, false);
        assertThat(outbox.takeSubmitted()).isNull();
        shard.tick(millis(11_001), false, false);
        assertThat(outbox.takeSubmitted()).as("caught up").isNotNull();
    }

    @Test
    void deadLettersGoFirstAndHoldTheWatermark() {
        op("d", new byte[] {1, 1}, 0x20);
        shard.commit(0x30, true, false);
        at(0);
        Submission letter = outbox.takeSubmitted();
        assertThat(letter.entry).isInstanceOfSatisfying(DeadLetter.class, dead -> {
            assertThat(dead.lsn()).isEqualTo(0x30);
            assertThat(dead.rule()).isEqualTo("truncated");
        });
        assertThat(outbox.safeLsn()).as("submitted before it was raised").isEqualTo(0x30);
    }

    @Test
    void anAbandonedTransactionLeavesNoDeadLetter() {
        op("d", new byte[] {1, 1}, 0x20);
        op("e", HELLO, 0x20);
        shard.abandon();
        sequence = 0;
        op("d", new byte[] {1, 1}, 0x20);
        op("e", HELLO, 0x20);
        shard.commit(0x30, true, false);
        at(1000);
        assertThat(outbox.takeSubmitted().entry)
                .isInstanceOfSatisfying(
                        DeadLetter.class, dead -> assertThat(dead.seq()).isZero());
        DocumentWrite write = outbox.takeSubmitted().write;
        assertThat(write.text()).isEqualTo("hello");
        assertThat(write.opCount()).as("it came twice").isEqualTo(1);
        assertThat(outbox.takeSubmitted()).isNull();
    }

    @Test
    void anIdleDocumentIsFoldedOnce() {
        op("d", HELLO, 0x20);
        shard.commit(0x30, true, false);
        at(250);
        outbox.acknowledge(outbox.takeSubmitted());
        op("d", YOU, 0x40);
        shard.commit(0x50, true, false);
        at(2000);
        Submission tail = outbox.takeSubmitted();
        assertThat(tail.write.change()).isNotNull();
        outbox.acknowledge(tail);
        at(60_249);
        assertThat(outbox.takeSubmitted()).isNull();
        at(60_250);
        Submission fold = outbox.takeSubmitted();
        assertThat(fold.write.fold()).isNotNull();
        assertThat(fold.write.contentChanged()).isFalse();
        assertThat(fold.write.textChanged()).isFalse();
        assertThat(fold.write.stalenessMillis()).isEqualTo(tail.write.stalenessMillis());
        outbox.acknowledge(fold);
        at(600_000);
        assertThat(outbox.takeSubmitted()).isNull();
        assertThat(shard.nextDueNanos()).isEqualTo(DueHeap.NEVER);
    }

    private void at(long millis) {
        nowNanos = millis(millis);
        shard.clock(nowNanos);
        shard.takeWritten();
        shard.tick(nowNanos, false, false);
    }

    private void op(String doc, byte[] payload, long commitLsn) {
        shard.clock(nowNanos);
        shard.op(commitLsn, sequence++, 0, new Op("default", doc, null, payload, null, "app", sequence));
    }

    /** One transaction that appends one letter to d. */
    private void letter(int clock, long lsn) {
        byte[] update = clock == 0
                ? HexFormat.of().parseHex("01010100040101740161" + "00")
                : new byte[] {1, 1, 1, (byte) clock, (byte) 0x84, 1, (byte) (clock - 1), 1, 'b', 0};
        op("d", update, lsn);
        shard.commit(lsn + 8, true, false);
    }
}
