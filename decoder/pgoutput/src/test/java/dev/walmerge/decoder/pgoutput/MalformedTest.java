package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import dev.walmerge.decoder.pgoutput.MalformedMessageException.Rule;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class MalformedTest {
    private static final String BEGIN = "42 0000000000000010 0000000000000000 00000007";

    /** Relation 1, public.t with columns a and b. */
    private static final String RELATION =
            "52 00000001 7075626c696300 7400 64 0002 00 6100 00000017 ffffffff 00 6200 00000019 ffffffff";

    static Stream<Arguments> messages() {
        return Stream.of(
                malformed("", Rule.TRUNCATED, 0),
                malformed("53", Rule.KIND_NOT_ASKED_FOR, 0),
                malformed("73", Rule.UNKNOWN_KIND, 0),
                malformed("00", Rule.UNKNOWN_KIND, 0),
                malformed(BEGIN, Rule.TRANSACTION_ORDER, 0),
                malformed("42 00", Rule.TRANSACTION_ORDER, 0),
                malformed("43 01 0000000000000010 0000000000000018 0000000000000000", Rule.UNKNOWN_FLAG, 1),
                malformed("43 00 0000000000000011 0000000000000018 0000000000000000", Rule.ANNOUNCED_OTHERWISE, 2),
                malformed("43 00 0000000000000010 0000000000000018 7fffffffffffffff", Rule.TIME_OUT_OF_RANGE, 18),
                malformed("49 00000002 4e 0000", Rule.UNKNOWN_RELATION, 1),
                malformed("49 00000001 4f 0002 6e 6e", Rule.UNKNOWN_TUPLE_KIND, 5),
                malformed("49 00000001 4e 0001 6e", Rule.COLUMN_COUNT, 6),
                malformed("49 00000001 4e 0003 6e 6e 6e", Rule.COLUMN_COUNT, 6),
                malformed("49 00000001 4e ffff 6e 6e", Rule.COUNT_PAST_END, 6),
                malformed("49 00000001 4e 0002 6e 78", Rule.UNKNOWN_VALUE_KIND, 9),
                malformed("49 00000001 4e 0002 6e 75", Rule.UNCHANGED_VALUE, 9),
                malformed("49 00000001 4e 0002 6e 62 ffffffff", Rule.LENGTH_PAST_END, 10),
                malformed("49 00000001 4e 0002 6e 62 7fffffff 00", Rule.LENGTH_PAST_END, 10),
                malformed("49 00000001 4e 0002 6e 62 80000000 00", Rule.LENGTH_PAST_END, 10),
                malformed("49 00000001 4e 0002 6e 62 00000001", Rule.LENGTH_PAST_END, 10),
                malformed("49 00000001 4e 0002 6e 62 0000", Rule.TRUNCATED, 10),
                malformed("49 00000001 4e 0002 6e 6e 00", Rule.TRAILING_BYTES, 10),
                malformed("52 00000001 7075626c6963", Rule.TRUNCATED, 5),
                malformed("52 00000001 00 7400 78 0000", Rule.UNKNOWN_REPLICA_IDENTITY, 8),
                malformed("52 00000001 00 7400 64 ffff 00", Rule.COUNT_PAST_END, 9),
                malformed("52 00000001 00 7400 64 0001 02 6100 00000017 ffffffff", Rule.UNKNOWN_FLAG, 11),
                malformed("4d 02 0000000000000010 00 00000000", Rule.UNKNOWN_FLAG, 1),
                malformed("4d 00 0000000000000010 00 00000000", Rule.TRANSACTION_ORDER, 1),
                malformed("4d 01 0000000000000010 00 7fffffff", Rule.LENGTH_PAST_END, 11),
                malformed("54 7fffffff 00", Rule.COUNT_PAST_END, 1),
                malformed("54 ffffffff 00", Rule.COUNT_PAST_END, 1),
                malformed("54 00000001 04 00000001", Rule.UNKNOWN_FLAG, 5),
                malformed("54 00000001 00 00000009", Rule.UNKNOWN_RELATION, 6),
                malformed("55 00000001 49 0002 6e 6e", Rule.UNKNOWN_TUPLE_KIND, 5),
                malformed("55 00000001 4b 0002 6e 6e 4b 0002 6e 6e", Rule.UNKNOWN_TUPLE_KIND, 10),
                malformed("44 00000001 4e 0002 6e 6e", Rule.UNKNOWN_TUPLE_KIND, 5));
    }

    private static Arguments malformed(String hex, Rule rule, int offset) {
        return Arguments.of(hex, rule, offset);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void insideATransaction(String hex, Rule rule, int offset) throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder();
        IgnoringHandler handler = new IgnoringHandler();
        decode(decoder, BEGIN, handler);
        decode(decoder, RELATION, handler);
        MalformedMessageException error =
                catchThrowableOfType(MalformedMessageException.class, () -> decode(decoder, hex, handler));
        assertThat(error.rule()).isEqualTo(rule);
        assertThat(error.offset()).isEqualTo(offset);
        assertThat(error).hasMessageStartingWith(rule.code());
        assertThat(handler.calls()).isEqualTo(2);
        decode(decoder, "49 00000001 4e 0002 6e 6e", handler);
        decode(decoder, "43 00 0000000000000010 0000000000000018 0000000000000000", handler);
        assertThat(handler.calls()).isEqualTo(4);
    }

    @Test
    void outsideOfATransactionThereAreNoRows() throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder();
        IgnoringHandler handler = new IgnoringHandler();
        decode(decoder, BEGIN, handler);
        decode(decoder, RELATION, handler);
        decode(decoder, "43 00 0000000000000010 0000000000000018 0000000000000000", handler);
        List<String> rows = List.of(
                RELATION,
                "59 00000009 00 7400",
                "43 00 0000000000000010 0000000000000018 0000000000000000",
                "49 00000001 4e 0002 6e 6e",
                "55 00000001 4e 0002 6e 6e",
                "44 00000001 4b 0002 6e 6e",
                "54 00000001 00 00000001",
                "4f 0000000000000001 6f00",
                "4d 01 0000000000000010 00 00000000");
        for (String row : rows) {
            assertThatExceptionOfType(MalformedMessageException.class)
                    .isThrownBy(() -> decode(decoder, row, handler))
                    .matches(e -> e.rule() == Rule.TRANSACTION_ORDER);
        }
        assertThat(handler.calls()).isEqualTo(3);
    }

    @Test
    void aRelationThatIsDescribedAgainReplacesTheFirst() throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder();
        IgnoringHandler handler = new IgnoringHandler();
        decode(decoder, BEGIN, handler);
        for (int oid = 1; oid <= 1_000; oid++) {
            decode(decoder, "52 %08x 00 7400 64 0000".formatted(oid << 20), handler);
        }
        decode(decoder, "52 %08x 00 7400 64 0001 00 6100 00000017 ffffffff".formatted(500 << 20), handler);
        for (int oid = 1; oid <= 1_000; oid++) {
            String tuple = oid == 500 ? "0001 6e" : "0000";
            decode(decoder, "49 %08x 4e %s".formatted(oid << 20, tuple), handler);
        }
    }

    /** Damages golden messages at random, and drops some: whatever comes of it is a callback or a typed error, quickly and in little memory. */
    @Test
    void damagedMessages() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        IgnoringHandler handler = new IgnoringHandler();
        int refused = 0;
        for (GoldenFile file : GoldenFile.all().toList()) {
            for (int round = 0; round < 20; round++) {
                PgoutputDecoder decoder = new PgoutputDecoder(file.session().protocol());
                for (GoldenFile.Entry entry : file.entries()) {
                    if (random.nextInt(20) == 0) {
                        continue;
                    }
                    byte[] damaged = damage(entry.message(), random);
                    long bytes = threads.getCurrentThreadAllocatedBytes();
                    try {
                        decoder.decode(damaged, 0, damaged.length, handler);
                    } catch (MalformedMessageException e) {
                        refused++;
                        assertThat(e.offset()).as("seed %d", seed).isBetween(0, damaged.length);
                    }
                    bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
                    assertThat(bytes).as("seed %d", seed).isLessThan(64L * damaged.length + 1_000_000);
                }
            }
        }
        assertThat(refused).as("seed %d", seed).isPositive();
    }

    /** Messages of 8 MB that are wrong only at, or towards, their end. */
    @Test
    void longMessages() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<String> heads = List.of(
                "52 00000001",
                "52 00000001 00",
                "59 00000001 00",
                "4f 0000000000000010",
                "4d 01 0000000000000010",
                "54 00200000 00",
                "49 00000001 4e 0002 6e 62");
        for (String head : heads) {
            PgoutputDecoder decoder = new PgoutputDecoder();
            decode(decoder, BEGIN, new IgnoringHandler());
            decode(decoder, RELATION, new IgnoringHandler());
            byte[] first = HexFormat.of().parseHex(head.replace(" ", ""));
            byte[] message = Arrays.copyOf(first, 8_500_000);
            // As object ids: relation 1; as text: no end.
            for (int i = first.length; i < message.length; i++) {
                message[i] = (byte) (head.startsWith("54") ? (i - first.length) % 4 / 3 : 'a');
            }
            IgnoringHandler handler = new IgnoringHandler();
            long bytes = threads.getCurrentThreadAllocatedBytes();
            long nanos = threads.getCurrentThreadCpuTime();
            assertThat(catchThrowableOfType(
                            MalformedMessageException.class, () -> decoder.decode(message, 0, message.length, handler)))
                    .as(head)
                    .isNotNull();
            nanos = threads.getCurrentThreadCpuTime() - nanos;
            bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
            assertThat(nanos).as(head).isLessThan(100_000_000);
            assertThat(bytes).as(head).isLessThan(64L * message.length);
            assertThat(handler.calls()).isZero();
        }
    }

    private static byte[] damage(byte[] message, Random random) {
        byte[] damaged = message.clone();
        int flips = random.nextInt(4);
        for (int i = 0; i < flips; i++) {
            int bit = random.nextInt(damaged.length * 8);
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
        }
        return damaged;
    }

    private static void decode(PgoutputDecoder decoder, String hex, ReplicationHandler handler)
            throws MalformedMessageException {
        byte[] message = HexFormat.of().parseHex(hex.replace(" ", ""));
        decoder.decode(message, 0, message.length, handler);
    }
}
