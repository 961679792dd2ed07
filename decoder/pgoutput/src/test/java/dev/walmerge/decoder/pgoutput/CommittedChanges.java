package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * What a consumer has to do so that the same comes out however transactions are sent: it sets a streamed one aside until
 * it ends, drops what an abort names, and holds a prepared one back until it is committed. Values are read by the types'
 * own formats, so that text and binary come out the same too.
 */
final class CommittedChanges extends IgnoringHandler {
    private static final int BYTEA = 17;
    private static final int INT8 = 20;
    private static final int INT4 = 23;
    private static final int JSONB = 3802;

    private record Change(int xid, String text) {}

    private final List<List<String>> committed = new ArrayList<>();
    private final Map<Integer, List<Change>> streams = new HashMap<>();
    private final Map<String, List<Change>> prepared = new HashMap<>();
    private List<Change> open;

    /** In commit order what each transaction with a change says, one line a change. */
    List<List<String>> committed() {
        assertThat(streams).isEmpty();
        assertThat(prepared).isEmpty();
        return committed;
    }

    @Override
    public void onBegin(long commitLsn, long commitTimeMicros, int xid) {
        open = new ArrayList<>();
    }

    @Override
    public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
        commit(open);
    }

    @Override
    public void onStreamStart(int xid, boolean first) {
        assertThat(streams.containsKey(xid)).isNotEqualTo(first);
        open = streams.computeIfAbsent(xid, key -> new ArrayList<>());
    }

    @Override
    public void onStreamCommit(int xid, long commitLsn, long endLsn, long commitTimeMicros) {
        commit(streams.remove(xid));
    }

    @Override
    public void onStreamAbort(int xid, int subxid, long abortLsn, long abortTimeMicros) {
        if (subxid == xid) {
            assertThat(streams.remove(xid)).isNotNull();
        } else if (streams.containsKey(xid)) {
            streams.get(xid).removeIf(change -> change.xid() == subxid);
        }
    }

    @Override
    public void onBeginPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        open = new ArrayList<>();
    }

    @Override
    public void onPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        prepared.put(gid, open);
    }

    @Override
    public void onStreamPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        prepared.put(gid, streams.remove(xid));
    }

    @Override
    public void onCommitPrepared(long commitLsn, long endLsn, long commitTimeMicros, int xid, String gid) {
        commit(prepared.remove(gid));
    }

    @Override
    public void onRollbackPrepared(
            long prepareEndLsn, long endLsn, long prepareTimeMicros, long rollbackTimeMicros, int xid, String gid) {
        assertThat(prepared.remove(gid)).isNotNull();
    }

    private void commit(List<Change> changes) {
        if (!changes.isEmpty()) {
            committed.add(changes.stream().map(Change::text).toList());
        }
    }

    @Override
    public void onInsert(int xid, Relation relation, Tuple row) {
        add(xid, "insert " + relation.name() + values(relation, row));
    }

    @Override
    public void onUpdate(int xid, Relation relation, OldRow oldRow, Tuple before, Tuple after) {
        assertThat(oldRow == OldRow.NONE).isEqualTo(before.count() == 0);
        String old = oldRow + values(relation, before);
        add(xid, "update " + relation.name() + " " + old + " to" + values(relation, after));
    }

    @Override
    public void onDelete(int xid, Relation relation, OldRow oldRow, Tuple before) {
        add(xid, "delete " + relation.name() + " " + oldRow + values(relation, before));
    }

    @Override
    public void onTruncate(int xid, List<Relation> relations, boolean cascade, boolean restartIdentity) {
        StringBuilder text = new StringBuilder("truncate");
        relations.forEach(relation -> text.append(' ').append(relation.name()));
        add(xid, text.append(cascade ? " cascade" : "").append(restartIdentity ? " restart identity" : "") + "");
    }

    @Override
    public void onOrigin(long commitLsn, String name) {
        add(NO_XID, "origin " + EventText.quoted(name));
    }

    @Override
    public void onMessage(
            int xid, boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length) {
        String bytes = HexFormat.of().formatHex(buffer, offset, offset + length);
        String text = "message " + EventText.quoted(prefix) + " x" + bytes;
        if (transactional) {
            add(xid, text);
        } else {
            committed.add(List.of(text));
        }
    }

    private void add(int xid, String text) {
        open.add(new Change(xid, text));
    }

    static String values(Relation relation, Tuple row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < row.count(); i++) {
            Relation.Column column = relation.columns().get(i);
            byte[] bytes = Arrays.copyOfRange(row.buffer(), row.offset(i), row.offset(i) + row.length(i));
            text.append(' ').append(column.name()).append('=');
            text.append(
                    switch (row.kind(i)) {
                        case NULL -> "null";
                        case UNCHANGED -> "unchanged";
                        case TEXT -> fromText(column.typeOid(), bytes);
                        case BINARY -> fromBinary(column.typeOid(), bytes);
                    });
        }
        return text.toString();
    }

    private static String fromText(int typeOid, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return typeOid == BYTEA || typeOid == INT4 || typeOid == INT8 ? text : EventText.quoted(text);
    }

    private static String fromBinary(int typeOid, byte[] bytes) {
        return switch (typeOid) {
            case BYTEA -> "\\x" + HexFormat.of().formatHex(bytes);
            case INT4 -> Integer.toString(ByteBuffer.wrap(bytes).getInt());
            case INT8 -> Long.toString(ByteBuffer.wrap(bytes).getLong());
            case JSONB -> {
                // A version byte and the text.
                assertThat(bytes[0]).isEqualTo((byte) 1);
                yield fromText(typeOid, Arrays.copyOfRange(bytes, 1, bytes.length));
            }
            default -> fromText(typeOid, bytes);
        };
    }
}
