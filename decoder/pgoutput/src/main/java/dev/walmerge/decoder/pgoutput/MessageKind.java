package dev.walmerge.decoder.pgoutput;

/** The messages of pgoutput by the byte that starts each (PostgreSQL manual, Logical Replication Message Formats). */
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
    MESSAGE('M'),
    STREAM_START('S'),
    STREAM_STOP('E'),
    STREAM_COMMIT('c'),
    STREAM_ABORT('A'),
    BEGIN_PREPARE('b'),
    PREPARE('P'),
    STREAM_PREPARE('p'),
    COMMIT_PREPARED('K'),
    ROLLBACK_PREPARED('r');

    private final byte tag;

    MessageKind(char tag) {
        this.tag = (byte) tag;
    }

    public byte tag() {
        return tag;
    }
}
