package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.walmerge.decoder.pgoutput.MalformedMessageException.Rule;
import dev.walmerge.decoder.pgoutput.Protocol.Streaming;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which message may come after which. */
final class SequenceTest {
    private static final Protocol ALL = Protocol.of(4, Streaming.PARALLEL, true);

    private static final String TIME = " 0000000000000000";
    private static final String BEGIN = "42 0000000000000010" + TIME + " 00000007";
    private static final String COMMIT = "43 00 0000000000000010 0000000000000018" + TIME;
    private static final String BEGIN_PREPARE = "62 0000000000000010 0000000000000018" + TIME + " 00000007 6700";
    private static final String PREPARE = "50 00 0000000000000010 0000000000000018" + TIME + " 00000007 6700";
    private static final String COMMIT_PREPARED = "4b 00 0000000000000020 0000000000000028" + TIME + " 00000007 6700";
    private static final String ROLLBACK_PREPARED =
            "72 00 0000000000000018 0000000000000028" + TIME + TIME + " 00000007 6700";
    private static final String STREAM_STOP = "45";
    private static final String ROW = "49 00000001 4e 0001 6e";
    private static final String RELATION = "52 00000001 00 7400 64 0001 00 6100 00000017 ffffffff";
    private static final String FREE_MESSAGE = "4d 00 0000000000000010 00 00000000";

    private final PgoutputDecoder decoder = new PgoutputDecoder(ALL);
    private final List<String> events = new ArrayList<>();
    private final EventText handler = new EventText(events);

    private static String streamStart(int xid, boolean first) {
        return "53 %08x %02x".formatted(xid, first ? 1 : 0);
    }

    private static String streamCommit(int xid) {
        return "63 %08x 00 0000000000000020 0000000000000028".formatted(xid) + TIME;
    }

    private static String streamAbort(int xid, int subxid) {
        return "41 %08x %08x 0000000000000020".formatted(xid, subxid) + TIME;
    }

    private static String streamPrepare(int xid) {
        return "70 00 0000000000000010 0000000000000018" + TIME + " %08x 6700".formatted(xid);
    }

    @Test
    void aRowInABlockSaysWhoWroteIt() throws Exception {
        accept(streamStart(7, true), "52 00000008 00000001 00 7400 64 0001 00 6100 00000017 ffffffff");
        accept("49 00000009 00000001 4e 0001 6e", "4d 00000007 01 0000000000000010 00 00000000");
        assertThat(events)
                .containsExactly(
                        "streamStart xid=7 first=true",
                        "relation xid=8 oid=1 \"\" \"t\" DEFAULT \"a\":23:-1",
                        "insert xid=9 \"t\" \"a\"=null",
                        "message xid=7 transactional=true lsn=0/10 \"\" x");
        refuse(Rule.UNKNOWN_RELATION, 5, "49 00000009 00000002 4e 0001 6e");
        refuse(Rule.RESERVED_XID, 1, "49 00000000 00000001 4e 0001 6e");
        refuse(Rule.RESERVED_XID, 1, "49 00000002 00000001 4e 0001 6e");
        refuse(Rule.TRANSACTION_ORDER, 5, "4d 00000007 00 0000000000000010 00 00000000");
    }

    @Test
    void aBlockStandsAlone() throws Exception {
        List<String> openers = List.of(BEGIN, BEGIN_PREPARE, streamStart(8, true));
        List<String> closers = List.of(COMMIT, PREPARE, STREAM_STOP);
        List<String> outside = List.of(
                streamCommit(9),
                streamAbort(9, 9),
                streamPrepare(9),
                COMMIT_PREPARED,
                ROLLBACK_PREPARED,
                streamStart(9, false));
        accept(streamStart(9, true), STREAM_STOP);
        for (String closer : closers) {
            refuse(Rule.TRANSACTION_ORDER, 0, closer);
        }
        for (int i = 0; i < openers.size(); i++) {
            accept(openers.get(i));
            assertThat(decoder.insideTransaction()).isTrue();
            for (String message : outside) {
                refuse(Rule.TRANSACTION_ORDER, 0, message);
            }
            // In a streamed block it is read as one that has an xid first.
            refuse(openers.get(i).startsWith("53") ? Rule.RESERVED_XID : Rule.TRANSACTION_ORDER, 1, FREE_MESSAGE);
            for (String opener : openers) {
                refuse(Rule.TRANSACTION_ORDER, 0, opener);
            }
            for (int j = 0; j < closers.size(); j++) {
                if (i != j) {
                    refuse(Rule.TRANSACTION_ORDER, 0, closers.get(j));
                }
            }
            accept(closers.get(i));
            assertThat(decoder.insideTransaction()).isFalse();
        }
    }

    @Test
    void aStreamGoesOnOnlyIfItHasBegunAndIsNotOver() throws Exception {
        refuse(Rule.STREAM_ORDER, 5, streamStart(7, false));
        refuse(Rule.STREAM_ORDER, 1, streamCommit(7));
        refuse(Rule.STREAM_ORDER, 26, streamPrepare(7));
        for (String end : List.of(streamCommit(7), streamAbort(7, 7), streamPrepare(7))) {
            accept(streamStart(7, true), STREAM_STOP);
            refuse(Rule.STREAM_ORDER, 5, streamStart(7, true));
            accept(streamStart(7, false), STREAM_STOP, streamAbort(7, 8), streamAbort(8, 8));
            assertThat(decoder.openStreams()).isEqualTo(1);
            accept(end);
            assertThat(decoder.openStreams()).isZero();
            refuse(Rule.STREAM_ORDER, 5, streamStart(7, false));
            refuse(Rule.STREAM_ORDER, 1, streamCommit(7));
        }
    }

    @Test
    void anEndSaysWhatItsBeginningSaid() throws Exception {
        accept(BEGIN_PREPARE);
        refuse(Rule.ANNOUNCED_OTHERWISE, 2, "50 00 0000000000000011 0000000000000018" + TIME + " 00000007 6700");
        refuse(Rule.END_LSN, 10, "50 00 0000000000000010 0000000000000010" + TIME + " 00000007 6700");
        refuse(Rule.ANNOUNCED_OTHERWISE, 26, "50 00 0000000000000010 0000000000000018" + TIME + " 00000008 6700");
        refuse(Rule.ANNOUNCED_OTHERWISE, 30, "50 00 0000000000000010 0000000000000018" + TIME + " 00000007 676700");
        accept(PREPARE, BEGIN);
        refuse(Rule.END_LSN, 10, "43 00 0000000000000010 000000000000000f" + TIME);
        accept(COMMIT);
        refuse(Rule.END_LSN, 10, COMMIT_PREPARED.replace("28", "20"));
        refuse(Rule.END_LSN, 10, ROLLBACK_PREPARED.replace("28", "18"));
        accept(streamStart(7, true), STREAM_STOP);
        refuse(Rule.END_LSN, 14, streamCommit(7).replace("28", "20"));
        refuse(Rule.UNKNOWN_FLAG, 5, "63 00000007 01 0000000000000020 0000000000000028" + TIME);
        refuse(Rule.UNKNOWN_FLAG, 5, "53 00000007 02");
        refuse(Rule.RESERVED_XID, 5, streamAbort(7, 0));
    }

    /** An abort says where and when only if that was asked for. */
    @Test
    void theLengthOfAnAbortDependsOnWhatWasAskedFor() throws Exception {
        accept(streamAbort(7, 7));
        refuse(Rule.TRUNCATED, 9, "41 00000007 00000007");
        PgoutputDecoder version2 = new PgoutputDecoder(Protocol.STREAMED);
        decode(version2, "41 00000007 00000007");
        MalformedMessageException error =
                catchThrowableOfType(MalformedMessageException.class, () -> decode(version2, streamAbort(7, 7)));
        assertThat(error.rule()).isEqualTo(Rule.TRAILING_BYTES);
        assertThat(error.offset()).isEqualTo(9);
        assertThat(events)
                .containsExactly(
                        "streamAbort xid=7 subxid=7 abortLsn=0/20 abortTimeMicros=946684800000000",
                        "streamAbort xid=7 subxid=7 abortLsn=0/0 abortTimeMicros=0");
    }

    @Test
    void whatWasNotAskedForDoesNotCome() {
        List<String> streamed = List.of(streamStart(7, true), streamCommit(7), "41 00000007 00000007");
        List<String> prepared = List.of(BEGIN_PREPARE, PREPARE, COMMIT_PREPARED, ROLLBACK_PREPARED);
        for (String message : streamed) {
            refuse(new PgoutputDecoder(), Rule.KIND_NOT_ASKED_FOR, 0, message);
            refuse(new PgoutputDecoder(Protocol.of(3, Streaming.OFF, true)), Rule.KIND_NOT_ASKED_FOR, 0, message);
        }
        for (String message : prepared) {
            refuse(new PgoutputDecoder(Protocol.STREAMED), Rule.KIND_NOT_ASKED_FOR, 0, message);
        }
        refuse(new PgoutputDecoder(Protocol.STREAMED), Rule.KIND_NOT_ASKED_FOR, 0, streamPrepare(7));
        refuse(new PgoutputDecoder(Protocol.of(3, Streaming.OFF, true)), Rule.KIND_NOT_ASKED_FOR, 0, streamPrepare(7));
    }

    @Test
    void limits() throws Exception {
        PgoutputDecoder limited = new PgoutputDecoder(new Protocol(2, Streaming.ON, false, 32, 2));
        decode(limited, streamStart(7, true));
        decode(limited, STREAM_STOP);
        decode(limited, streamStart(8, true));
        decode(limited, STREAM_STOP);
        refuse(limited, Rule.TOO_MANY_STREAMS, 1, streamStart(9, true));
        decode(limited, streamStart(8, false));
        decode(limited, "4d 00000008 01 0000000000000010 00 0000000d" + " 00".repeat(13));
        refuse(limited, Rule.MESSAGE_TOO_LONG, 0, "4d 00000008 01 0000000000000010 00 0000000e" + " 00".repeat(14));
        decode(limited, STREAM_STOP);
        decode(limited, "41 00000007 00000007");
        decode(limited, streamStart(9, true));
    }

    /** Random messages against the rules written down once more, as slowly and plainly as possible. */
    @Test
    void aRandomWalk() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String block = "none";
        boolean described = false;
        Set<Integer> streams = new HashSet<>();
        int accepted = 0;
        for (int i = 0; i < 30_000; i++) {
            int xid = 10 + random.nextInt(4);
            boolean first = random.nextBoolean();
            boolean none = block.equals("none");
            boolean stream = block.equals("stream");
            String message;
            boolean allowed;
            String next = block;
            switch (random.nextInt(14)) {
                case 0 -> {
                    message = BEGIN;
                    allowed = none;
                    next = "transaction";
                }
                case 1 -> {
                    message = COMMIT;
                    allowed = block.equals("transaction");
                    next = "none";
                }
                case 2 -> {
                    message = BEGIN_PREPARE;
                    allowed = none;
                    next = "prepare";
                }
                case 3 -> {
                    message = PREPARE;
                    allowed = block.equals("prepare");
                    next = "none";
                }
                case 4 -> {
                    message = streamStart(xid, first);
                    allowed = none && first != streams.contains(xid);
                    next = "stream";
                }
                case 5 -> {
                    message = STREAM_STOP;
                    allowed = stream;
                    next = "none";
                }
                case 6 -> {
                    message = streamCommit(xid);
                    allowed = none && streams.contains(xid);
                }
                case 7 -> {
                    message = streamAbort(xid, first ? xid : 99);
                    allowed = none;
                }
                case 8 -> {
                    message = streamPrepare(xid);
                    allowed = none && streams.contains(xid);
                }
                case 9 -> {
                    message = first ? COMMIT_PREPARED : ROLLBACK_PREPARED;
                    allowed = none;
                }
                case 10 -> {
                    message = stream ? RELATION.replace("52", "52 00000009") : RELATION;
                    allowed = !none;
                }
                case 11 -> {
                    message = FREE_MESSAGE;
                    allowed = none;
                }
                default -> {
                    message = stream ? ROW.replace("49", "49 00000009") : ROW;
                    allowed = !none && described;
                }
            }
            boolean done = isAccepted(message);
            assertThat(done)
                    .as("seed %d, %s after %s %s", seed, message, block, streams)
                    .isEqualTo(allowed);
            if (done) {
                accepted++;
                block = next;
                described |= message.startsWith("52");
                if (message.startsWith("53") && first) {
                    streams.add(xid);
                } else if (message.startsWith("63")
                        || message.startsWith("70")
                        || (message.startsWith("41") && first)) {
                    streams.remove(xid);
                }
            }
            assertThat(decoder.openStreams()).isEqualTo(streams.size());
            assertThat(decoder.insideTransaction()).isEqualTo(!block.equals("none"));
        }
        assertThat(accepted).isGreaterThan(5_000);
        assertThat(events).hasSize(accepted);
    }

    private boolean isAccepted(String message) {
        try {
            decode(decoder, message);
            return true;
        } catch (MalformedMessageException e) {
            return false;
        }
    }

    private void accept(String... messages) throws MalformedMessageException {
        for (String message : messages) {
            decode(decoder, message);
        }
    }

    private void refuse(Rule rule, int offset, String message) {
        refuse(decoder, rule, offset, message);
    }

    private void refuse(PgoutputDecoder refusing, Rule rule, int offset, String message) {
        int before = events.size();
        MalformedMessageException error =
                catchThrowableOfType(MalformedMessageException.class, () -> decode(refusing, message));
        assertThat(error).as(message).isNotNull();
        assertThat(error.rule()).as(message).isEqualTo(rule);
        assertThat(error.offset()).as(message).isEqualTo(offset);
        assertThat(events).hasSize(before);
    }

    private void decode(PgoutputDecoder decoding, String hex) throws MalformedMessageException {
        byte[] message = HexFormat.of().parseHex(hex.replace(" ", ""));
        decoding.decode(message, 0, message.length, handler);
    }
}
