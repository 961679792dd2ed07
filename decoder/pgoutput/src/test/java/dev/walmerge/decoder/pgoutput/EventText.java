package dev.walmerge.decoder.pgoutput;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** Writes down each callback as one line of text: the right-hand side of a golden file. */
final class EventText implements ReplicationHandler {
    private final List<String> lines;

    EventText(List<String> lines) {
        this.lines = lines;
    }

    static String lsn(long lsn) {
        return "%X/%X".formatted(lsn >>> 32, lsn & 0xffffffffL);
    }

    private static String unsigned(int value) {
        return Integer.toUnsignedString(value);
    }

    @Override
    public void onBegin(long commitLsn, long commitTimeMicros, int xid) {
        lines.add("begin commitLsn=%s commitTimeMicros=%d xid=%s"
                .formatted(lsn(commitLsn), commitTimeMicros, unsigned(xid)));
    }

    @Override
    public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
        lines.add("commit commitLsn=%s endLsn=%s commitTimeMicros=%d"
                .formatted(lsn(commitLsn), lsn(endLsn), commitTimeMicros));
    }

    @Override
    public void onRelation(int xid, Relation relation) {
        StringBuilder line = new StringBuilder("relation xid=%s oid=%s %s %s %s"
                .formatted(
                        unsigned(xid),
                        unsigned(relation.oid()),
                        quoted(relation.schema()),
                        quoted(relation.name()),
                        relation.replicaIdentity()));
        for (Relation.Column column : relation.columns()) {
            line.append(" %s:%s:%d%s"
                    .formatted(
                            quoted(column.name()),
                            unsigned(column.typeOid()),
                            column.typeModifier(),
                            column.key() ? ":key" : ""));
        }
        lines.add(line.toString());
    }

    @Override
    public void onInsert(int xid, Relation relation, Tuple row) {
        lines.add("insert xid=%s %s%s".formatted(unsigned(xid), quoted(relation.name()), values(relation, row)));
    }

    @Override
    public void onUpdate(int xid, Relation relation, OldRow oldRow, Tuple before, Tuple after) {
        String old = oldRow == OldRow.NONE ? "" : values(relation, before);
        lines.add("update xid=%s %s %s%s to%s"
                .formatted(unsigned(xid), quoted(relation.name()), oldRow, old, values(relation, after)));
    }

    @Override
    public void onDelete(int xid, Relation relation, OldRow oldRow, Tuple before) {
        lines.add("delete xid=%s %s %s%s"
                .formatted(unsigned(xid), quoted(relation.name()), oldRow, values(relation, before)));
    }

    @Override
    public void onTruncate(int xid, List<Relation> relations, boolean cascade, boolean restartIdentity) {
        List<String> names =
                relations.stream().map(relation -> quoted(relation.name())).toList();
        lines.add("truncate xid=%s cascade=%s restartIdentity=%s %s"
                .formatted(unsigned(xid), cascade, restartIdentity, String.join(" ", names)));
    }

    @Override
    public void onMessage(
            int xid, boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length) {
        lines.add("message xid=%s transactional=%s lsn=%s %s x%s"
                .formatted(
                        unsigned(xid),
                        transactional,
                        lsn(lsn),
                        quoted(prefix),
                        HexFormat.of().formatHex(buffer, offset, offset + length)));
    }

    @Override
    public void onType(int xid, int oid, String schema, String name) {
        lines.add("type xid=%s oid=%s %s %s".formatted(unsigned(xid), unsigned(oid), quoted(schema), quoted(name)));
    }

    @Override
    public void onOrigin(long commitLsn, String name) {
        lines.add("origin commitLsn=%s %s".formatted(lsn(commitLsn), quoted(name)));
    }

    @Override
    public void onStreamStart(int xid, boolean first) {
        lines.add("streamStart xid=%s first=%s".formatted(unsigned(xid), first));
    }

    @Override
    public void onStreamStop(int xid) {
        lines.add("streamStop xid=%s".formatted(unsigned(xid)));
    }

    @Override
    public void onStreamCommit(int xid, long commitLsn, long endLsn, long commitTimeMicros) {
        lines.add("streamCommit xid=%s commitLsn=%s endLsn=%s commitTimeMicros=%d"
                .formatted(unsigned(xid), lsn(commitLsn), lsn(endLsn), commitTimeMicros));
    }

    @Override
    public void onStreamAbort(int xid, int subxid, long abortLsn, long abortTimeMicros) {
        lines.add("streamAbort xid=%s subxid=%s abortLsn=%s abortTimeMicros=%d"
                .formatted(unsigned(xid), unsigned(subxid), lsn(abortLsn), abortTimeMicros));
    }

    @Override
    public void onBeginPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        lines.add(prepare("beginPrepare", prepareLsn, endLsn, prepareTimeMicros, xid, gid));
    }

    @Override
    public void onPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        lines.add(prepare("prepare", prepareLsn, endLsn, prepareTimeMicros, xid, gid));
    }

    @Override
    public void onStreamPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        lines.add(prepare("streamPrepare", prepareLsn, endLsn, prepareTimeMicros, xid, gid));
    }

    private static String prepare(
            String word, long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        return "%s prepareLsn=%s endLsn=%s prepareTimeMicros=%d xid=%s %s"
                .formatted(word, lsn(prepareLsn), lsn(endLsn), prepareTimeMicros, unsigned(xid), quoted(gid));
    }

    @Override
    public void onCommitPrepared(long commitLsn, long endLsn, long commitTimeMicros, int xid, String gid) {
        lines.add("commitPrepared commitLsn=%s endLsn=%s commitTimeMicros=%d xid=%s %s"
                .formatted(lsn(commitLsn), lsn(endLsn), commitTimeMicros, unsigned(xid), quoted(gid)));
    }

    @Override
    public void onRollbackPrepared(
            long prepareEndLsn, long endLsn, long prepareTimeMicros, long rollbackTimeMicros, int xid, String gid) {
        lines.add("rollbackPrepared prepareEndLsn=%s endLsn=%s prepareTimeMicros=%d rollbackTimeMicros=%d xid=%s %s"
                .formatted(
                        lsn(prepareEndLsn),
                        lsn(endLsn),
                        prepareTimeMicros,
                        rollbackTimeMicros,
                        unsigned(xid),
                        quoted(gid)));
    }

    private static String values(Relation relation, Tuple row) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.count(); i++) {
            line.append(" %s=".formatted(quoted(relation.columns().get(i).name())));
            switch (row.kind(i)) {
                case NULL -> line.append("null");
                case UNCHANGED -> line.append("unchanged");
                case TEXT ->
                    line.append(quoted(new String(row.buffer(), row.offset(i), row.length(i), StandardCharsets.UTF_8)));
                case BINARY ->
                    line.append("x")
                            .append(HexFormat.of()
                                    .formatHex(row.buffer(), row.offset(i), row.offset(i) + row.length(i)));
            }
        }
        return line.toString();
    }

    /** In double quotes, with everything outside of printable ASCII as a UTF-16 escape. */
    static String quoted(String value) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
