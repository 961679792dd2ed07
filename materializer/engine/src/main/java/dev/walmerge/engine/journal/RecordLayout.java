package dev.walmerge.engine.journal;

import java.util.zip.CRC32C;

/**
 * One journal record. Integers are big-endian.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+---------------+-------------------------------+
 *  |    version    |     kind      |             flags             |   0
 *  +---------------+---------------+-------------------------------+
 *  |               CRC32C of all bytes but these four              |   4
 *  +---------------------------------------------------------------+
 *  |        document hash (0 in records for every shard)           |   8
 *  +---------------------------------------------------------------+
 *  |           sequence of the op in its transaction               |  12
 *  +---------------------------------------------------------------+
 *  |  OP, PART, BARRIER, POLICY, COMMAND: where the commit starts  |  16
 *  |  COMMIT: where it ends                       (LSN, 64 bits)   |
 *  |  FILE: where the last commit before this file ended           |
 *  +---------------------------------------------------------------+
 *  |  number of the record in its journal, from 0    (64 bits)     |  24
 *  +---------------------------------------------------------------+
 *  |  body, see {@link RecordBody}                                 |  32
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * <p>Every file begins with a FILE record, then IN_FORCE records. An op whose body is longer than {@link #MAX_BODY_BYTES} is cut: PART records,
 * then an OP record with {@link #FLAG_CONTINUES_PARTS}; among them may be the beginning of a file, and nothing else, because there
 * is one appender. The first PART says in its sequence how long the whole body is.
 */
final class RecordLayout {
    static final int VERSION = 2;

    static final int VERSION_OFFSET = 0;
    static final int KIND_OFFSET = 1;
    static final int FLAGS_OFFSET = 2;
    static final int CRC_OFFSET = 4;
    static final int HASH_OFFSET = 8;
    static final int SEQUENCE_OFFSET = 12;
    static final int LSN_OFFSET = 16;
    static final int NUMBER_OFFSET = 24;
    static final int BODY_OFFSET = 32;

    static final byte KIND_OP = 1;
    static final byte KIND_PART = 2;
    static final byte KIND_BARRIER = 3;
    static final byte KIND_POLICY = 4;
    static final byte KIND_COMMIT = 5;
    /** What came since the last COMMIT comes again: the reader lost its connection inside a transaction. */
    static final byte KIND_ABANDON = 6;

    static final byte KIND_FILE = 7;
    /** A policy that was in force where the file begins; the same body as POLICY. */
    static final byte KIND_IN_FORCE = 8;

    static final byte KIND_COMMAND = 9;

    /** OP, PART: the body starts in the PART records before it. */
    static final int FLAG_CONTINUES_PARTS = 1;
    /** COMMIT: the transaction held ops. */
    static final int FLAG_HAS_OPS = 1;
    /** COMMIT: the transaction held a barrier. */
    static final int FLAG_HAS_BARRIER = 2;
    /** FILE: the file before it ends inside a transaction. */
    static final int FLAG_INSIDE_TRANSACTION = 1;

    /** So much and the queue's own index fit into {@link JournalFile#AHEAD_BYTES}. */
    static final int MAX_BODY_BYTES = 1 << 16;

    private RecordLayout() {}

    static int checksum(CRC32C crc, byte[] record, int length) {
        crc.reset();
        crc.update(record, 0, CRC_OFFSET);
        crc.update(record, HASH_OFFSET, length - HASH_OFFSET);
        return (int) crc.getValue();
    }
}
