package dev.walmerge.sidecar.pipeline;

import dev.walmerge.decoder.pgoutput.Relation;
import dev.walmerge.decoder.pgoutput.Tuple;
import dev.walmerge.engine.Command;

/** Reads rows of {@code crdt.command} from the stream. */
final class CommandColumns {
    private final Relation relation;

    CommandColumns(Relation relation) {
        this.relation = relation;
    }

    Command read(Tuple row) {
        int deadLetter = column("dead_letter");
        return new Command(
                ColumnValues.int8(row, column("id")),
                ColumnValues.text(row, column("name")),
                ColumnValues.text(row, column("collection")),
                ColumnValues.text(row, column("doc")),
                ColumnValues.isNull(row, deadLetter) ? Command.NONE : ColumnValues.int8(row, deadLetter),
                ColumnValues.text(row, column("rule")),
                ColumnValues.text(row, column("format")));
    }

    private int column(String name) {
        return RelationColumns.required(relation, name);
    }
}
