package dev.walmerge.decoder.pgoutput;

/** The messages of pgoutput protocol 1, by the byte that starts each (PostgreSQL manual, Logical Replication Message Formats). */
public enum MessageKind {
    BEGIN('B'),
    COMMIT('C'),
    ORIGIN('O'),
    RELATION('R'),
    TYPE('Y'),
    INSERT('I'),
    UPDATE('U'),
    DELETE('D'),
    TRUNCATE('T'),
    MESSAGE('M');

    private final byte tag;

    MessageKind(char tag) {
        this.tag = (byte) tag;
    }

    public byte tag() {
        return tag;
    }
}
