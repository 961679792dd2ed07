package dev.walmerge.decoder.pgoutput;

import java.util.List;

/**
 * The shape of a published table as the server described it.
 *
 * @param oid the relation's object id in that server, unsigned
 * @param schema empty for {@code pg_catalog}
 */
public record Relation(int oid, String schema, String name, ReplicaIdentity replicaIdentity, List<Column> columns) {
    /** What of a row before its change goes into the log ({@code alter table ... replica identity}). */
    public enum ReplicaIdentity {
        /** The primary key, if there is one. */
        DEFAULT,
        NOTHING,
        FULL,
        /** The columns of a unique index that was named. */
        INDEX
    }

    /**
     * @param key whether the column is part of the replica identity
     * @param typeOid the type's object id, unsigned
     */
    public record Column(String name, boolean key, int typeOid, int typeModifier) {}

    /** The index of a column, or -1. */
    public int indexOf(String column) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(column)) {
                return i;
            }
        }
        return -1;
    }
}
