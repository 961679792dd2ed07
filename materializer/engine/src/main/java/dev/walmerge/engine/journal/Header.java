package dev.walmerge.engine.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What a journal says of itself: whose it is, and what the slot may have been told of it. Integers are big-endian.
 *
 * <pre>
 *  format version (32) | CRC32C of all that follows (32) | folder (64) |
 *  confirmed LSN (64) | number of the last record before it (64) |
 *  owner: bytes (16), UTF-8 | nonces: count (16), each 128 bits
 * </pre>
 *
 * @param folder the number of the folder whose records count
 * @param confirmedLsn every commit up to it is in that folder or was written before, and on the disk; 0 if nothing was
 *     ever promised
 * @param confirmedNumber of the last record that the promise needs
 * @param owner the incarnation of the server, and the slot
 * @param nonces one of these stands in the progress row, or the server is not the one that we wrote to last
 */
record Header(long folder, long confirmedLsn, long confirmedNumber, String owner, List<UUID> nonces) {
    static final int BYTES = 512;
    /** So many commits in a row whose end was not seen; then no nonce is known. */
    static final int NONCES_MAX = 12;

    private static final int VERSION = 1;
    private static final int CRC_OFFSET = 4;
    private static final int OWNER_BYTES_MAX = 192;

    Header {
        nonces = nonces.size() > NONCES_MAX ? List.of() : List.copyOf(nonces);
    }

    Header withNonces(List<UUID> others) {
        return new Header(folder, confirmedLsn, confirmedNumber, owner, others);
    }

    Header confirmed(long inFolder, long lsn, long number) {
        return new Header(inFolder, lsn, number, owner, nonces);
    }

    byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        byte[] name = owner.getBytes(StandardCharsets.UTF_8);
        if (name.length > OWNER_BYTES_MAX) {
            throw new IllegalArgumentException("an owner of " + name.length + " bytes");
        }
        out.putInt(VERSION).putInt(0).putLong(folder);
        out.putLong(confirmedLsn).putLong(confirmedNumber);
        out.putShort((short) name.length).put(name).putShort((short) nonces.size());
        for (UUID nonce : nonces) {
            out.putLong(nonce.getMostSignificantBits()).putLong(nonce.getLeastSignificantBits());
        }
        out.putInt(CRC_OFFSET, checksum(out.array()));
        return out.array();
    }

    /** Null if the bytes are not a header that was written whole. */
    static Header decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || in.getInt() != VERSION || in.getInt() != checksum(bytes)) {
            return null;
        }
        long folder = in.getLong();
        long confirmedLsn = in.getLong();
        long confirmedNumber = in.getLong();
        byte[] name = new byte[in.getShort()];
        in.get(name);
        int count = in.getShort();
        List<UUID> nonces = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            nonces.add(new UUID(in.getLong(), in.getLong()));
        }
        return new Header(folder, confirmedLsn, confirmedNumber, new String(name, StandardCharsets.UTF_8), nonces);
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, CRC_OFFSET + Integer.BYTES, bytes.length - CRC_OFFSET - Integer.BYTES);
        return (int) crc.getValue();
    }
}
