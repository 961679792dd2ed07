package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.MalformedMessageException.Rule;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Decodes the messages of pgoutput, protocol version 1, with values as text or binary (PostgreSQL manual, Logical
 * Replication Message Formats).
 *
 * <p>One decoder serves one replication session: the server describes a relation once a session, and the decoder
 * remembers it. After a reconnect make a new one. Not thread-safe.
 *
 * <p>A message is checked to its last byte before the handler hears of it: a malformed one calls nothing and changes
 * nothing.
 */
public final class PgoutputDecoder {
    /** Protocol version this decoder reads: what to ask the server for as {@code proto_version}. */
    public static final int PROTOCOL_VERSION = 1;

    /** From the Unix epoch to 2000-01-01, from which Postgres counts. */
    private static final long POSTGRES_EPOCH_MICROS = 946_684_800_000_000L;

    /** A column takes a flag, at least the zero byte of its name, a type and a modifier. */
    private static final int COLUMN_BYTES_MIN = 2 * Byte.BYTES + 2 * Integer.BYTES;

    private static final int TRANSACTIONAL = 1;
    private static final int KEY_COLUMN = 1;
    private static final int CASCADE_AND_RESTART = 3;

    private final MessageReader in = new MessageReader();
    private final TupleView tuple = new TupleView();
    private final RelationCache relations = new RelationCache();
    private boolean open;
    private long openCommitLsn;

    /**
     * Decodes one whole message and calls the handler once. The bytes stay the caller's and are not kept.
     *
     * @throws MalformedMessageException if it is not one message of the protocol, or can't come at this point
     */
    public void decode(byte[] buffer, int offset, int length, ReplicationHandler handler)
            throws MalformedMessageException {
        Objects.checkFromIndexSize(offset, length, buffer.length);
        in.wrap(buffer, offset, length);
        try {
            switch (in.int8()) {
                case 'B' -> begin(handler);
                case 'C' -> commit(handler);
                case 'I' -> insert(handler);
                case 'R' -> relation(handler);
                case 'M' -> message(handler);
                case 'O' -> origin(handler);
                case 'Y' -> type(handler);
                case 'U' -> update(handler);
                case 'D' -> delete(handler);
                case 'T' -> truncate(handler);
                default -> throw in.malformedBefore(Rule.UNKNOWN_KIND, Byte.BYTES);
            }
        } finally {
            in.release();
            tuple.release();
        }
    }

    /** Whether a transaction has begun and not committed: what came of it will be sent again after a reconnect. */
    public boolean insideTransaction() {
        return open;
    }

    private void begin(ReplicationHandler handler) throws MalformedMessageException {
        if (open) {
            throw in.malformedBefore(Rule.TRANSACTION_ORDER, Byte.BYTES);
        }
        long commitLsn = in.int64();
        long commitTimeMicros = commitTimeMicros();
        int xid = in.int32();
        in.requireEnd();
        open = true;
        openCommitLsn = commitLsn;
        handler.onBegin(commitLsn, commitTimeMicros, xid);
    }

    private void commit(ReplicationHandler handler) throws MalformedMessageException {
        requireTransaction();
        flags(0);
        long commitLsn = in.int64();
        if (commitLsn != openCommitLsn) {
            throw in.malformedBefore(Rule.COMMIT_LSN, Long.BYTES);
        }
        long endLsn = in.int64();
        long commitTimeMicros = commitTimeMicros();
        in.requireEnd();
        open = false;
        handler.onCommit(commitLsn, endLsn, commitTimeMicros);
    }

    private void insert(ReplicationHandler handler) throws MalformedMessageException {
        requireTransaction();
        Relation relation = knownRelation();
        if (in.int8() != 'N') {
            throw in.malformedBefore(Rule.UNKNOWN_TUPLE_KIND, Byte.BYTES);
        }
        readTuple(relation);
        in.requireEnd();
        handler.onInsert(relation, tuple);
    }

    private void relation(ReplicationHandler handler) throws MalformedMessageException {
        int oid = in.int32();
        String schema = in.string();
        String name = in.string();
        switch (in.int8()) {
            case 'd', 'n', 'f', 'i' -> {}
            default -> throw in.malformedBefore(Rule.UNKNOWN_REPLICA_IDENTITY, Byte.BYTES);
        }
        int count = in.unsignedInt16();
        if (count * COLUMN_BYTES_MIN > in.remaining()) {
            throw in.malformedBefore(Rule.COUNT_PAST_END, Short.BYTES);
        }
        Relation.Column[] columns = new Relation.Column[count];
        for (int i = 0; i < count; i++) {
            boolean key = flags(KEY_COLUMN) != 0;
            columns[i] = new Relation.Column(in.string(), key, in.int32(), in.int32());
        }
        in.requireEnd();
        List<Relation.Column> described = Collections.unmodifiableList(Arrays.asList(columns));
        Relation relation = new Relation(oid, schema, name, described);
        relations.put(relation);
        handler.onRelation(relation);
    }

    private void message(ReplicationHandler handler) throws MalformedMessageException {
        boolean transactional = flags(TRANSACTIONAL) != 0;
        // The others are sent where they were written, which may be anywhere between two transactions.
        if (transactional && !open) {
            throw in.malformedBefore(Rule.TRANSACTION_ORDER, Byte.BYTES);
        }
        long lsn = in.int64();
        String prefix = in.string();
        int length = in.skipSized();
        in.requireEnd();
        handler.onMessage(transactional, lsn, prefix, in.buffer(), in.position() - length, length);
    }

    private void origin(ReplicationHandler handler) throws MalformedMessageException {
        requireTransaction();
        in.int64();
        in.skipString();
        in.requireEnd();
        handler.onSkipped(MessageKind.ORIGIN);
    }

    private void type(ReplicationHandler handler) throws MalformedMessageException {
        in.int32();
        in.skipString();
        in.skipString();
        in.requireEnd();
        handler.onSkipped(MessageKind.TYPE);
    }

    private void update(ReplicationHandler handler) throws MalformedMessageException {
        requireTransaction();
        Relation relation = knownRelation();
        byte kind = in.int8();
        if (kind == 'K' || kind == 'O') {
            readTuple(relation);
            kind = in.int8();
        }
        if (kind != 'N') {
            throw in.malformedBefore(Rule.UNKNOWN_TUPLE_KIND, Byte.BYTES);
        }
        readTuple(relation);
        in.requireEnd();
        handler.onSkipped(MessageKind.UPDATE);
    }

    private void delete(ReplicationHandler handler) throws MalformedMessageException {
        requireTransaction();
        Relation relation = knownRelation();
        switch (in.int8()) {
            case 'K', 'O' -> readTuple(relation);
            default -> throw in.malformedBefore(Rule.UNKNOWN_TUPLE_KIND, Byte.BYTES);
        }
        in.requireEnd();
        handler.onSkipped(MessageKind.DELETE);
    }

    private void truncate(ReplicationHandler handler) throws MalformedMessageException {
        requireTransaction();
        int count = in.int32();
        if (count < 0 || count > in.remaining() / Integer.BYTES) {
            throw in.malformedBefore(Rule.COUNT_PAST_END, Integer.BYTES);
        }
        flags(CASCADE_AND_RESTART);
        for (int i = 0; i < count; i++) {
            knownRelation();
        }
        in.requireEnd();
        handler.onSkipped(MessageKind.TRUNCATE);
    }

    private void requireTransaction() throws MalformedMessageException {
        if (!open) {
            throw in.malformedBefore(Rule.TRANSACTION_ORDER, Byte.BYTES);
        }
    }

    private Relation knownRelation() throws MalformedMessageException {
        Relation relation = relations.get(in.int32());
        if (relation == null) {
            throw in.malformedBefore(Rule.UNKNOWN_RELATION, Integer.BYTES);
        }
        return relation;
    }

    private void readTuple(Relation relation) throws MalformedMessageException {
        tuple.read(in, relation.columns().size());
    }

    private int flags(int known) throws MalformedMessageException {
        int flags = in.int8();
        if ((flags & ~known) != 0) {
            throw in.malformedBefore(Rule.UNKNOWN_FLAG, Byte.BYTES);
        }
        return flags;
    }

    private long commitTimeMicros() throws MalformedMessageException {
        long micros = in.int64();
        if (micros > Long.MAX_VALUE - POSTGRES_EPOCH_MICROS) {
            throw in.malformedBefore(Rule.TIME_OUT_OF_RANGE, Long.BYTES);
        }
        return micros + POSTGRES_EPOCH_MICROS;
    }
}
