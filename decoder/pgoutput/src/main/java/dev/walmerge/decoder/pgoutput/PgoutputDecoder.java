package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.MalformedMessageException.Rule;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Decodes the messages of pgoutput, protocol versions 1 to 4, with values as text or binary (PostgreSQL manual, Logical
 * Replication Message Formats). Here are those that carry rows and describe them; {@link TransactionMessages} has those
 * that begin and end transactions.
 *
 * <p>One decoder serves one replication session: the server describes a relation once a session, and the decoder
 * remembers it. After a reconnect make a new one. Not thread-safe.
 *
 * <p>A message is checked to its last byte before the handler hears of it: a malformed one calls nothing and changes
 * nothing.
 */
public final class PgoutputDecoder {
    /** A column takes a flag, at least the zero byte of its name, a type and a modifier. */
    private static final int COLUMN_BYTES_MIN = 2 * Byte.BYTES + 2 * Integer.BYTES;

    private static final int TRANSACTIONAL = 1;
    private static final int KEY_COLUMN = 1;
    private static final int CASCADE = 1;
    private static final int RESTART_IDENTITY = 2;

    private final MessageReader in = new MessageReader();
    private final TupleView before = new TupleView();
    private final TupleView after = new TupleView();
    private final IntTable<Relation> relations = new IntTable<>();
    private final TransactionMessages transactions;
    private final int messageBytesMax;

    /** For a session that asks for {@link Protocol#PLAIN}. */
    public PgoutputDecoder() {
        this(Protocol.PLAIN);
    }

    /** @param protocol what the session asks for */
    public PgoutputDecoder(Protocol protocol) {
        transactions = new TransactionMessages(in, protocol);
        messageBytesMax = protocol.messageBytesMax();
    }

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
            if (length > messageBytesMax) {
                throw in.malformedBefore(Rule.MESSAGE_TOO_LONG, 0);
            }
            dispatch(handler);
        } finally {
            in.release();
            before.release();
            after.release();
        }
    }

    private void dispatch(ReplicationHandler handler) throws MalformedMessageException {
        switch (in.int8()) {
            case 'B' -> transactions.begin(handler);
            case 'C' -> transactions.commit(handler);
            case 'I' -> insert(handler);
            case 'R' -> relation(handler);
            case 'M' -> message(handler);
            case 'O' -> origin(handler);
            case 'Y' -> type(handler);
            case 'U' -> update(handler);
            case 'D' -> delete(handler);
            case 'T' -> truncate(handler);
            case 'S' -> transactions.streamStart(handler);
            case 'E' -> transactions.streamStop(handler);
            case 'c' -> transactions.streamCommit(handler);
            case 'A' -> transactions.streamAbort(handler);
            case 'b' -> transactions.beginPrepare(handler);
            case 'P' -> transactions.prepare(handler);
            case 'p' -> transactions.streamPrepare(handler);
            case 'K' -> transactions.commitPrepared(handler);
            case 'r' -> transactions.rollbackPrepared(handler);
            default -> throw in.malformedBefore(Rule.UNKNOWN_KIND, Byte.BYTES);
        }
    }

    /**
     * Whether a block is open, of a whole transaction or of one that is streamed: what came of it will be sent again
     * after a reconnect. Between two blocks of a streamed transaction this is false.
     */
    public boolean insideTransaction() {
        return transactions.insideBlock();
    }

    /** How many streamed transactions are neither committed, aborted nor prepared. */
    public int openStreams() {
        return transactions.openStreams();
    }

    private void insert(ReplicationHandler handler) throws MalformedMessageException {
        int xid = transactions.xidInBlock();
        Relation relation = knownRelation();
        if (in.int8() != 'N') {
            throw in.malformedBefore(Rule.UNKNOWN_TUPLE_KIND, Byte.BYTES);
        }
        after.readWhole(in, relation.columns().size());
        in.requireEnd();
        handler.onInsert(xid, relation, after);
    }

    private void update(ReplicationHandler handler) throws MalformedMessageException {
        int xid = transactions.xidInBlock();
        Relation relation = knownRelation();
        int columns = relation.columns().size();
        byte kind = in.int8();
        OldRow oldRow = oldRow(kind);
        if (oldRow != OldRow.NONE) {
            before.readWhole(in, columns);
            kind = in.int8();
        }
        if (kind != 'N') {
            throw in.malformedBefore(Rule.UNKNOWN_TUPLE_KIND, Byte.BYTES);
        }
        after.readChanged(in, columns);
        in.requireEnd();
        handler.onUpdate(xid, relation, oldRow, before, after);
    }

    private void delete(ReplicationHandler handler) throws MalformedMessageException {
        int xid = transactions.xidInBlock();
        Relation relation = knownRelation();
        OldRow oldRow = oldRow(in.int8());
        if (oldRow == OldRow.NONE) {
            throw in.malformedBefore(Rule.UNKNOWN_TUPLE_KIND, Byte.BYTES);
        }
        before.readWhole(in, relation.columns().size());
        in.requireEnd();
        handler.onDelete(xid, relation, oldRow, before);
    }

    private void truncate(ReplicationHandler handler) throws MalformedMessageException {
        int xid = transactions.xidInBlock();
        int count = in.int32();
        if (count < 0 || count > in.remaining() / Integer.BYTES) {
            throw in.malformedBefore(Rule.COUNT_PAST_END, Integer.BYTES);
        }
        int flags = in.flags(CASCADE | RESTART_IDENTITY);
        Relation[] truncated = new Relation[count];
        for (int i = 0; i < count; i++) {
            truncated[i] = knownRelation();
        }
        in.requireEnd();
        List<Relation> all = Collections.unmodifiableList(Arrays.asList(truncated));
        handler.onTruncate(xid, all, (flags & CASCADE) != 0, (flags & RESTART_IDENTITY) != 0);
    }

    private void relation(ReplicationHandler handler) throws MalformedMessageException {
        int xid = transactions.xidInBlock();
        int oid = in.int32();
        String schema = in.string();
        String name = in.string();
        Relation.ReplicaIdentity identity = replicaIdentity();
        int count = in.unsignedInt16();
        if (count * COLUMN_BYTES_MIN > in.remaining()) {
            throw in.malformedBefore(Rule.COUNT_PAST_END, Short.BYTES);
        }
        Relation.Column[] columns = new Relation.Column[count];
        for (int i = 0; i < count; i++) {
            boolean key = in.flags(KEY_COLUMN) != 0;
            columns[i] = new Relation.Column(in.string(), key, in.int32(), in.int32());
        }
        in.requireEnd();
        List<Relation.Column> described = Collections.unmodifiableList(Arrays.asList(columns));
        Relation relation = new Relation(oid, schema, name, identity, described);
        relations.put(oid, relation);
        handler.onRelation(xid, relation);
    }

    private void type(ReplicationHandler handler) throws MalformedMessageException {
        int xid = transactions.xidInBlock();
        int oid = in.int32();
        String schema = in.string();
        String name = in.string();
        in.requireEnd();
        handler.onType(xid, oid, schema, name);
    }

    /** An origin has no xid, not even in a streamed block. */
    private void origin(ReplicationHandler handler) throws MalformedMessageException {
        transactions.requireBlock();
        long commitLsn = in.int64();
        String name = in.string();
        in.requireEnd();
        handler.onOrigin(commitLsn, name);
    }

    /**
     * In a block each message is of that transaction. One that is of none is sent where it was written, which is never
     * inside a block, and has no xid. The flag comes after the xid, so the block decides which it must be.
     */
    private void message(ReplicationHandler handler) throws MalformedMessageException {
        boolean inside = transactions.insideBlock();
        int xid = inside ? transactions.xidInBlock() : ReplicationHandler.NO_XID;
        boolean transactional = in.flags(TRANSACTIONAL) != 0;
        if (transactional != inside) {
            throw in.malformedBefore(Rule.TRANSACTION_ORDER, Byte.BYTES);
        }
        long lsn = in.int64();
        String prefix = in.string();
        int length = in.skipSized();
        in.requireEnd();
        handler.onMessage(xid, transactional, lsn, prefix, in.buffer(), in.position() - length, length);
    }

    private Relation knownRelation() throws MalformedMessageException {
        Relation relation = relations.get(in.int32());
        if (relation == null) {
            throw in.malformedBefore(Rule.UNKNOWN_RELATION, Integer.BYTES);
        }
        return relation;
    }

    private static OldRow oldRow(byte kind) {
        return switch (kind) {
            case 'K' -> OldRow.KEY;
            case 'O' -> OldRow.FULL;
            default -> OldRow.NONE;
        };
    }

    private Relation.ReplicaIdentity replicaIdentity() throws MalformedMessageException {
        return switch (in.int8()) {
            case 'd' -> Relation.ReplicaIdentity.DEFAULT;
            case 'n' -> Relation.ReplicaIdentity.NOTHING;
            case 'f' -> Relation.ReplicaIdentity.FULL;
            case 'i' -> Relation.ReplicaIdentity.INDEX;
            default -> throw in.malformedBefore(Rule.UNKNOWN_REPLICA_IDENTITY, Byte.BYTES);
        };
    }
}
