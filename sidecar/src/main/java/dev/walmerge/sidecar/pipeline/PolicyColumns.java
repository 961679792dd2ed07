package dev.walmerge.sidecar.pipeline;

import dev.walmerge.crdt.BodyProjection;
import dev.walmerge.decoder.pgoutput.Relation;
import dev.walmerge.decoder.pgoutput.Tuple;
import dev.walmerge.engine.Policy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Reads versions of {@code crdt.collection}, from the table ({@link PolicyHistory}) and from the stream. */
final class PolicyColumns {
    // Milliseconds are computed by the server: pgjdbc's interval class drops what it takes for noise.
    static final String SELECTED = """
            format, root, json_for_text,
                   (extract(epoch from flush_debounce) * 1000)::bigint as flush_debounce,
                   (extract(epoch from flush_interval) * 1000)::bigint as flush_interval,
                   wal_budget,
                   (extract(epoch from staleness_max) * 1000)::bigint as staleness_max,
                   fold_bytes, fold_ratio, fold_rows,
                   (extract(epoch from fold_idle) * 1000)::bigint as fold_idle,
                   (extract(epoch from rotate_after) * 1000)::bigint as rotate_after,
                   projection, blocks""";

    private final Relation relation;

    PolicyColumns(Relation relation) {
        this.relation = relation;
    }

    static Policy read(ResultSet row) throws SQLException {
        return new Policy(
                row.getString("format"),
                row.getString("root"),
                row.getBoolean("json_for_text"),
                Duration.ofMillis(row.getLong("flush_debounce")),
                Duration.ofMillis(row.getLong("flush_interval")),
                row.getInt("wal_budget"),
                Duration.ofMillis(row.getLong("staleness_max")),
                row.getInt("fold_bytes"),
                row.getFloat("fold_ratio"),
                row.getInt("fold_rows"),
                Duration.ofMillis(row.getLong("fold_idle")),
                Duration.ofMillis(row.getLong("rotate_after")),
                BodyProjection.of(row.getString("projection")),
                row.getBoolean("blocks"));
    }

    String collection(Tuple row) {
        return ColumnValues.text(row, column("name"));
    }

    Policy read(Tuple row) {
        return new Policy(
                ColumnValues.text(row, column("format")),
                ColumnValues.text(row, column("root")),
                ColumnValues.bool(row, column("json_for_text")),
                ColumnValues.interval(row, column("flush_debounce")),
                ColumnValues.interval(row, column("flush_interval")),
                ColumnValues.int4(row, column("wal_budget")),
                ColumnValues.interval(row, column("staleness_max")),
                ColumnValues.int4(row, column("fold_bytes")),
                ColumnValues.float4(row, column("fold_ratio")),
                ColumnValues.int4(row, column("fold_rows")),
                ColumnValues.interval(row, column("fold_idle")),
                ColumnValues.interval(row, column("rotate_after")),
                projection(row),
                blocks(row));
    }

    /** A version that is older than the column, and still on its way, has its default. */
    private BodyProjection projection(Tuple row) {
        int column = relation.indexOf("projection");
        return column < 0 ? BodyProjection.AUTO : BodyProjection.of(ColumnValues.text(row, column));
    }

    private boolean blocks(Tuple row) {
        int column = relation.indexOf("blocks");
        return column >= 0 && ColumnValues.bool(row, column);
    }

    private int column(String name) {
        return RelationColumns.required(relation, name);
    }
}
