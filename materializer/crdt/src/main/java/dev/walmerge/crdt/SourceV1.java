package dev.walmerge.crdt;

/** Version 1: every field in one stream. */
final class SourceV1 extends StructSource {
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
        return rest.string();
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
        return rest.string();
    }

    @Override
    void json(StructBuffer out) throws MalformedUpdateException {
        int at = rest.pos();
        if (!JsonParser.parse(rest.string(), out.blob)) {
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

    @Override
    long structsPossible() {
        return rest.remaining() / 2;
    }
}
