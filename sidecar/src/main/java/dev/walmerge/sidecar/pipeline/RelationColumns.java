package dev.walmerge.sidecar.pipeline;

import dev.walmerge.decoder.pgoutput.Relation;

/** Finds columns by name: their order differs between a fresh table and a migrated one. */
final class RelationColumns {
    private RelationColumns() {}

    static int required(Relation relation, String column) {
        int index = relation.indexOf(column);
        if (index < 0) {
            throw new UnexpectedStreamException("relation " + relation.schema() + "." + relation.name()
                    + " has no column " + column + ": its schema is not one that this version reads");
        }
        return index;
    }
}
