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

    @Override
    public void onBegin(long commitLsn, long commitTimeMicros, int xid) {
        lines.add("begin commitLsn=%s commitTimeMicros=%d xid=%s"
                .formatted(lsn(commitLsn), commitTimeMicros, Integer.toUnsignedString(xid)));
    }

    @Override
    public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
        lines.add("commit commitLsn=%s endLsn=%s commitTimeMicros=%d"
                .formatted(lsn(commitLsn), lsn(endLsn), commitTimeMicros));
    }

    @Override
    public void onRelation(Relation relation) {
        StringBuilder line = new StringBuilder("relation oid=%s %s %s"
                .formatted(
                        Integer.toUnsignedString(relation.oid()), quoted(relation.schema()), quoted(relation.name())));
        for (Relation.Column column : relation.columns()) {
            line.append(" %s:%s:%d%s"
                    .formatted(
                            quoted(column.name()),
                            Integer.toUnsignedString(column.typeOid()),
                            column.typeModifier(),
                            column.key() ? ":key" : ""));
        }
        lines.add(line.toString());
    }

    @Override
    public void onInsert(Relation relation, Tuple row) {
        StringBuilder line = new StringBuilder("insert %s".formatted(quoted(relation.name())));
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
        lines.add(line.toString());
    }

    @Override
    public void onMessage(boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length) {
        lines.add("message transactional=%s lsn=%s %s x%s"
                .formatted(
                        transactional,
                        lsn(lsn),
                        quoted(prefix),
                        HexFormat.of().formatHex(buffer, offset, offset + length)));
    }

    @Override
    public void onSkipped(MessageKind kind) {
        lines.add("skipped " + kind);
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
