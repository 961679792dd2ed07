package dev.walmerge.sidecar.pipeline;

import dev.walmerge.decoder.pgoutput.Relation;
import dev.walmerge.decoder.pgoutput.Tuple;
import dev.walmerge.engine.Op;

/** Where the columns of an op table stand in its relation, looked up once a relation. */
record OpsColumns(String collection, int id, int doc, int update, int format, int op, int role) {
    static OpsColumns of(Relation relation, String collection) {
        return new OpsColumns(
                collection,
                required(relation, "id"),
                required(relation, "doc"),
                required(relation, "update"),
                required(relation, "format"),
                required(relation, "op"),
                required(relation, "role"));
    }

    Op read(Tuple row) {
        return new Op(
                collection,
                ColumnValues.text(row, doc),
                ColumnValues.text(row, format),
                ColumnValues.bytea(row, update),
                ColumnValues.jsonb(row, op),
                ColumnValues.text(row, role),
                ColumnValues.int8(row, id));
    }

    private static int required(Relation relation, String column) {
        return RelationColumns.required(relation, column);
    }
}
