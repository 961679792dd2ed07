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
 *  |  OP, PART, COMMAND: LSN at which the commit record starts     |  16
 *  |  COMMIT: LSN at which it ends            (64 bits)            |
 *  +---------------------------------------------------------------+
 *  |  body, see {@link RecordBody}                                 |  24
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * <p>An op whose body is longer than {@link #MAX_BODY_BYTES} is cut: PART records, then an OP record with
 * {@link #FLAG_CONTINUES_PARTS}, all next to each other, because there is one appender.
 */
final class RecordLayout {
    static final int VERSION = 1;

    static final int VERSION_OFFSET = 0;
    static final int KIND_OFFSET = 1;
    static final int FLAGS_OFFSET = 2;
    static final int CRC_OFFSET = 4;
    static final int HASH_OFFSET = 8;
    static final int SEQUENCE_OFFSET = 12;
    static final int LSN_OFFSET = 16;
    static final int BODY_OFFSET = 24;

    static final byte KIND_OP = 1;
    static final byte KIND_PART = 2;
    static final byte KIND_BARRIER = 3;
    static final byte KIND_POLICY = 4;
    static final byte KIND_COMMIT = 5;
    /** What came since the last COMMIT comes again: the reader lost its connection inside a transaction. */
    static final byte KIND_ABANDON = 6;

    static final byte KIND_COMMAND = 7;

    /** OP: the body starts in the PART records before it. */
    static final int FLAG_CONTINUES_PARTS = 1;
    /** COMMIT: the transaction held ops. */
    static final int FLAG_HAS_OPS = 1;
    /** COMMIT: the transaction held a barrier. */
    static final int FLAG_HAS_BARRIER = 2;

    /** Far below a quarter of the mapped block, which is what Chronicle Queue can append at once. */
    static final int MAX_BODY_BYTES = 1 << 20;

    private RecordLayout() {}

    static int checksum(CRC32C crc, byte[] record, int length) {
        crc.reset();
        crc.update(record, 0, CRC_OFFSET);
        crc.update(record, HASH_OFFSET, length - HASH_OFFSET);
        return (int) crc.getValue();
    }
}
