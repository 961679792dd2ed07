package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.MalformedMessageException.Rule;
import dev.walmerge.decoder.pgoutput.Protocol.Streaming;

/**
 * The messages that begin and end transactions, and which of them may come when. README.md draws the states.
 *
 * <p>Each is read to its last byte before the state changes and the handler hears of it.
 */
final class TransactionMessages {
    /** What rows stand in. */
    private enum Block {
        NONE,
        TRANSACTION,
        PREPARED,
        STREAM
    }

    /** From the Unix epoch to 2000-01-01, from which Postgres counts. */
    private static final long POSTGRES_EPOCH_MICROS = 946_684_800_000_000L;

    /** 0 is none; 1 and 2 are the server's own. */
    private static final int FIRST_NORMAL_XID = 3;

    private final MessageReader in;
    private final Protocol protocol;
    private Block block = Block.NONE;
    private int xid;
    /** Where the commit or prepare record starts that the open block has announced. */
    private long announcedLsn;

    private String announcedGid = "";
    private final IntTable<Boolean> streams = new IntTable<>();

    TransactionMessages(MessageReader in, Protocol protocol) {
        this.in = in;
        this.protocol = protocol;
    }

    boolean insideBlock() {
        return block != Block.NONE;
    }

    int openStreams() {
        return streams.size();
    }

    /** The xid of a message that must stand in a block: in a streamed one it comes first. */
    int xidInBlock() throws MalformedMessageException {
        requireBlock();
        return block == Block.STREAM ? readXid() : xid;
    }

    void requireBlock() throws MalformedMessageException {
        if (block == Block.NONE) {
            throw outOfOrder();
        }
    }

    void requireNoBlock() throws MalformedMessageException {
        if (block != Block.NONE) {
            throw outOfOrder();
        }
    }

    void begin(ReplicationHandler handler) throws MalformedMessageException {
        requireNoBlock();
        long commitLsn = in.int64();
        long commitTimeMicros = readTimeMicros();
        int begun = readXid();
        in.requireEnd();
        open(Block.TRANSACTION, begun, commitLsn);
        handler.onBegin(commitLsn, commitTimeMicros, begun);
    }

    void commit(ReplicationHandler handler) throws MalformedMessageException {
        require(Block.TRANSACTION);
        in.flags(0);
        long commitLsn = readAnnouncedLsn();
        long endLsn = readEndLsn(commitLsn);
        long commitTimeMicros = readTimeMicros();
        in.requireEnd();
        block = Block.NONE;
        handler.onCommit(commitLsn, endLsn, commitTimeMicros);
    }

    void streamStart(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.streaming() != Streaming.OFF);
        requireNoBlock();
        int started = readXid();
        boolean known = streams.get(started) != null;
        if (!known && streams.size() == protocol.openStreamsMax()) {
            throw in.malformedBefore(Rule.TOO_MANY_STREAMS, Integer.BYTES);
        }
        boolean first = in.flags(1) != 0;
        if (first == known) {
            throw in.malformedBefore(Rule.STREAM_ORDER, Byte.BYTES);
        }
        in.requireEnd();
        if (first) {
            streams.put(started, Boolean.TRUE);
        }
        open(Block.STREAM, started, 0);
        handler.onStreamStart(started, first);
    }

    void streamStop(ReplicationHandler handler) throws MalformedMessageException {
        require(Block.STREAM);
        in.requireEnd();
        block = Block.NONE;
        handler.onStreamStop(xid);
    }

    void streamCommit(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.streaming() != Streaming.OFF);
        requireNoBlock();
        int committed = readOpenStream();
        in.flags(0);
        long commitLsn = in.int64();
        long endLsn = readEndLsn(commitLsn);
        long commitTimeMicros = readTimeMicros();
        in.requireEnd();
        streams.remove(committed);
        handler.onStreamCommit(committed, commitLsn, endLsn, commitTimeMicros);
    }

    /** May name a transaction that is not open: 18 tells of subtransactions of one that it never began to send. */
    void streamAbort(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.streaming() != Streaming.OFF);
        requireNoBlock();
        int aborted = readXid();
        int subxid = readXid();
        boolean told = protocol.streaming() == Streaming.PARALLEL;
        long abortLsn = told ? in.int64() : 0;
        long abortTimeMicros = told ? readTimeMicros() : 0;
        in.requireEnd();
        if (subxid == aborted) {
            streams.remove(aborted);
        }
        handler.onStreamAbort(aborted, subxid, abortLsn, abortTimeMicros);
    }

    void beginPrepare(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.twoPhase());
        requireNoBlock();
        long prepareLsn = in.int64();
        long endLsn = readEndLsn(prepareLsn);
        long prepareTimeMicros = readTimeMicros();
        int begun = readXid();
        String gid = in.string();
        in.requireEnd();
        open(Block.PREPARED, begun, prepareLsn);
        announcedGid = gid;
        handler.onBeginPrepare(prepareLsn, endLsn, prepareTimeMicros, begun, gid);
    }

    void prepare(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.twoPhase());
        require(Block.PREPARED);
        in.flags(0);
        long prepareLsn = readAnnouncedLsn();
        long endLsn = readEndLsn(prepareLsn);
        long prepareTimeMicros = readTimeMicros();
        int prepared = in.int32();
        if (prepared != xid) {
            throw in.malformedBefore(Rule.ANNOUNCED_OTHERWISE, Integer.BYTES);
        }
        int gidField = in.position();
        String gid = in.string();
        if (!gid.equals(announcedGid)) {
            throw in.malformedBefore(Rule.ANNOUNCED_OTHERWISE, in.position() - gidField);
        }
        in.requireEnd();
        block = Block.NONE;
        handler.onPrepare(prepareLsn, endLsn, prepareTimeMicros, prepared, gid);
    }

    void streamPrepare(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.twoPhase() && protocol.streaming() != Streaming.OFF);
        requireNoBlock();
        in.flags(0);
        long prepareLsn = in.int64();
        long endLsn = readEndLsn(prepareLsn);
        long prepareTimeMicros = readTimeMicros();
        int prepared = readOpenStream();
        String gid = in.string();
        in.requireEnd();
        streams.remove(prepared);
        handler.onStreamPrepare(prepareLsn, endLsn, prepareTimeMicros, prepared, gid);
    }

    void commitPrepared(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.twoPhase());
        requireNoBlock();
        in.flags(0);
        long commitLsn = in.int64();
        long endLsn = readEndLsn(commitLsn);
        long commitTimeMicros = readTimeMicros();
        int committed = readXid();
        String gid = in.string();
        in.requireEnd();
        handler.onCommitPrepared(commitLsn, endLsn, commitTimeMicros, committed, gid);
    }

    void rollbackPrepared(ReplicationHandler handler) throws MalformedMessageException {
        requireAsked(protocol.twoPhase());
        requireNoBlock();
        in.flags(0);
        long prepareEndLsn = in.int64();
        long endLsn = readEndLsn(prepareEndLsn);
        long prepareTimeMicros = readTimeMicros();
        long rollbackTimeMicros = readTimeMicros();
        int undone = readXid();
        String gid = in.string();
        in.requireEnd();
        handler.onRollbackPrepared(prepareEndLsn, endLsn, prepareTimeMicros, rollbackTimeMicros, undone, gid);
    }

    private void open(Block opened, int openedXid, long lsn) {
        block = opened;
        xid = openedXid;
        announcedLsn = lsn;
    }

    private void require(Block wanted) throws MalformedMessageException {
        if (block != wanted) {
            throw outOfOrder();
        }
    }

    private void requireAsked(boolean asked) throws MalformedMessageException {
        if (!asked) {
            throw in.malformedBefore(Rule.KIND_NOT_ASKED_FOR, Byte.BYTES);
        }
    }

    private MalformedMessageException outOfOrder() {
        return in.malformedBefore(Rule.TRANSACTION_ORDER, Byte.BYTES);
    }

    private int readXid() throws MalformedMessageException {
        int read = in.int32();
        if (Integer.compareUnsigned(read, FIRST_NORMAL_XID) < 0) {
            throw in.malformedBefore(Rule.RESERVED_XID, Integer.BYTES);
        }
        return read;
    }

    private int readOpenStream() throws MalformedMessageException {
        int read = readXid();
        if (streams.get(read) == null) {
            throw in.malformedBefore(Rule.STREAM_ORDER, Integer.BYTES);
        }
        return read;
    }

    private long readAnnouncedLsn() throws MalformedMessageException {
        long lsn = in.int64();
        if (lsn != announcedLsn) {
            throw in.malformedBefore(Rule.ANNOUNCED_OTHERWISE, Long.BYTES);
        }
        return lsn;
    }

    private long readEndLsn(long startLsn) throws MalformedMessageException {
        long endLsn = in.int64();
        if (Long.compareUnsigned(endLsn, startLsn) <= 0) {
            throw in.malformedBefore(Rule.END_LSN, Long.BYTES);
        }
        return endLsn;
    }

    private long readTimeMicros() throws MalformedMessageException {
        long micros = in.int64();
        if (micros > Long.MAX_VALUE - POSTGRES_EPOCH_MICROS) {
            throw in.malformedBefore(Rule.TIME_OUT_OF_RANGE, Long.BYTES);
        }
        return micros + POSTGRES_EPOCH_MICROS;
    }
}
