package dev.walmerge.crdt;

import java.util.Arrays;

/** Version 1: every field in one stream. */
final class SourceV1 extends StructSource {
    /** The last typed struct: where it begins, and how far from there its origin's clock and its unit are. */
    private int typedAt;

    private int typedClock;
    private int typedBytes;
    private final NamesRead names = new NamesRead();

    /** As what it is used as: who makes it so needn't load this class to be verified. */
    static StructSource create() {
        return new SourceV1();
    }

    @Override
    void reset(byte[] bytes, int off, int len) {
        rest.reset(bytes, off, off, off + len);
    }

    @Override
    long client() throws MalformedUpdateException {
        return rest.varUint();
    }

    @Override
    int info() throws MalformedUpdateException {
        return rest.u8();
    }

    @Override
    void leftId() throws MalformedUpdateException {
        idClient = rest.varUint();
        idClock = rest.clock();
    }

    @Override
    void rightId() throws MalformedUpdateException {
        leftId();
    }

    @Override
    boolean startTyped(int at) {
        byte[] bytes = rest.bytes();
        int unit = rest.pos() - 1;
        if (bytes[unit] < 0) {
            return false;
        }
        int clock = at + 1;
        while (bytes[clock++] < 0) {
            // the client of the origin
        }
        typedAt = at;
        typedClock = clock - at;
        typedBytes = unit - at;
        return true;
    }

    /** Somebody who types makes structs of twenty bytes of which two differ: comparing them is half the work of reading. */
    @Override
    boolean typedOn(StructBuffer out) {
        int at = rest.pos();
        byte[] bytes = rest.bytes();
        int before = typedAt + typedClock;
        int clock = at + typedClock;
        int unit = at + typedBytes;
        if (rest.remaining() <= typedBytes
                || bytes[clock] != bytes[before] + 1
                || (bytes[clock] & 0x7f) == 0
                || bytes[unit] < 0
                || !Arrays.equals(bytes, at, clock, bytes, typedAt, before)
                || !Arrays.equals(bytes, clock + 1, unit, bytes, before + 1, typedAt + typedBytes)) {
            return false;
        }
        rest.jump(unit + 1);
        typedAt = at;
        out.addTyped(bytes[unit]);
        return true;
    }

    @Override
    boolean parentIsRoot() throws MalformedUpdateException {
        return rest.varUint() == 1;
    }

    @Override
    int typeRef() throws MalformedUpdateException {
        return rest.clock();
    }

    @Override
    int length() throws MalformedUpdateException {
        return rest.clock();
    }

    @Override
    String string() throws MalformedUpdateException {
        return names.read(rest);
    }

    @Override
    int chars(StructBuffer out) throws MalformedUpdateException {
        int count = rest.count("truncated");
        int from = rest.pos();
        rest.skip(count);
        int length = out.units.addUtf8(rest.bytes(), from, from + count);
        if (length < 0) {
            throw rest.faultAt("invalid-utf8", from + ~length);
        }
        return length;
    }

    @Override
    String key() throws MalformedUpdateException {
        return names.read(rest);
    }

    @Override
    void json(StructBuffer out) throws MalformedUpdateException {
        int at = rest.pos();
        if (!JsonParser.parseOrUndefined(rest.string(), out.blob)) {
            throw rest.faultAt("invalid-json", at);
        }
    }

    @Override
    void startDeletes() {}

    @Override
    int deleteClock() throws MalformedUpdateException {
        return rest.clock();
    }

    @Override
    int deleteLength() throws MalformedUpdateException {
        return rest.clock();
    }

    @Override
    void finish() throws MalformedUpdateException {
        if (!rest.atEnd()) {
            throw rest.fault("trailing-bytes");
        }
    }

    /** Of what lies between others, most is numbers. */
    @Override
    int unitsToCome() {
        return rest.remaining() / 3;
    }

    @Override
    long structsPossible() {
        return rest.remaining() / 2;
    }
}
