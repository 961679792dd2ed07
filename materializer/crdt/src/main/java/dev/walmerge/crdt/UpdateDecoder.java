package dev.walmerge.crdt;

/**
 * Reads and checks a whole update before anything of it reaches a document. Skips leave no struct, only a gap, and
 * structs of no length are dropped (CASES: Yjs 13 accepts them, nothing may write them).
 */
final class UpdateDecoder {
    /**
     * As many structs, and one more for so many bytes, are kept while they are read: a row takes 66 bytes, and twice that with what the columns
     * were before they grew, so that even those that are refused in the end cost less than 64 bytes for each byte of the update. Honest
     * states have 5 bytes a struct and more.
     */
    private static final int CHEAP_STRUCTS = 1024;

    private static final int CHEAP_BYTES = 5;

    /** So many structs in a row that room for their text is worth making at once. */
    private static final int MANY = 256;

    /** Made when there is something to read: a process that reads one format needn't load the other. */
    private StructSource v1;

    private StructSource v2;

    /** Fills {@code structs} and {@code deletes}, which must be empty. */
    void decode(
            UpdateFormat format,
            byte[] bytes,
            int off,
            int len,
            int maxStructs,
            StructBuffer structs,
            ClockRanges deletes)
            throws MalformedUpdateException {
        StructSource source = source(format);
        source.reset(bytes, off, len);
        if (!readStructs(source, maxStructs, CHEAP_STRUCTS + len / CHEAP_BYTES, structs)) {
            // A run can claim millions of structs in a few bytes: all is checked once before memory is spent on it.
            structs.clear();
            structs.keep = false;
            source.checking = true;
            try {
                source.reset(bytes, off, len);
                readStructs(source, maxStructs, Long.MAX_VALUE, structs);
                readDeletes(source, new ClockRanges());
                source.finish();
            } finally {
                structs.keep = true;
                source.checking = false;
            }
            source.reset(bytes, off, len);
            readStructs(source, maxStructs, Long.MAX_VALUE, structs);
        }
        readDeletes(source, deletes);
        source.finish();
    }

    private StructSource source(UpdateFormat format) {
        if (format == UpdateFormat.V2) {
            v2 = v2 == null ? SourceV2.create() : v2;
            return v2;
        }
        v1 = v1 == null ? SourceV1.create() : v1;
        return v1;
    }

    /** Lets go of the bytes that were read last. */
    void release() {
        if (v1 != null) {
            v1.release();
        }
        if (v2 != null) {
            v2.release();
        }
    }

    /** False when there are more than {@code cheap} structs; some may have been read then. */
    private static boolean readStructs(StructSource source, int maxStructs, long cheap, StructBuffer out)
            throws MalformedUpdateException {
        ByteReader rest = source.rest;
        int blocks = rest.count("count-too-large");
        long total = 0;
        for (int block = 0; block < blocks; block++) {
            int at = rest.pos();
            long count = rest.varUint();
            long client = source.client();
            long clock = rest.clock();
            if (count > source.structsPossible()) {
                throw rest.faultAt("count-too-large", at);
            }
            if (count > maxStructs - total) {
                throw rest.faultAt("too-many-structs", at);
            }
            total += count;
            if (total > cheap) {
                return false;
            }
            out.reserve((int) count, Math.min(cheap, maxStructs));
            if (count > MANY && out.size == 0) {
                out.units.reserve(source.unitsToCome());
            }
            boolean typed = false;
            for (long i = 0; i < count; i++) {
                if (typed && source.typedOn(out)) {
                    clock++;
                } else {
                    at = rest.pos();
                    clock += readStruct(source, client, (int) clock, out);
                    typed = out.joinTyped() && source.startTyped(at);
                }
                if (clock > Integer.MAX_VALUE) {
                    throw rest.fault("clock-too-large");
                }
            }
        }
        return true;
    }

    /** Reads one struct into the next row and returns its length; a Skip leaves no row. */
    static int readStruct(StructSource source, long client, int clock, StructBuffer out)
            throws MalformedUpdateException {
        int info = source.info();
        int kind = info & Kind.MASK;
        if (kind == Kind.SKIP) {
            return source.rest.clock();
        }
        int i = out.next();
        out.client[i] = client;
        out.clock[i] = clock;
        int length;
        if (kind == Kind.GC) {
            length = source.length();
        } else {
            readPlace(source, client, clock, info, i, out);
            length = readContent(source, kind, i, out);
        }
        out.length[i] = length;
        out.commit(length > 0);
        return length;
    }

    private static void readPlace(StructSource source, long client, int clock, int info, int i, StructBuffer out)
            throws MalformedUpdateException {
        int bits = info;
        if ((info & StructBuffer.HAS_ORIGIN) != 0) {
            source.leftId();
            out.originClient[i] = source.idClient;
            out.originClock[i] = source.idClock;
            checkPast(source, client, clock);
        }
        if ((info & StructBuffer.HAS_RIGHT_ORIGIN) != 0) {
            source.rightId();
            out.rightClient[i] = source.idClient;
            out.rightClock[i] = source.idClock;
            checkPast(source, client, clock);
        }
        if ((info & (StructBuffer.HAS_ORIGIN | StructBuffer.HAS_RIGHT_ORIGIN)) == 0) {
            if (source.parentIsRoot()) {
                bits |= StructBuffer.PARENT_ROOT;
                out.setRoot(i, source.name());
            } else {
                bits |= StructBuffer.PARENT_ID;
                source.leftId();
                out.originClient[i] = source.idClient;
                out.originClock[i] = source.idClock;
                checkPast(source, client, clock);
            }
            if ((info & StructBuffer.HAS_SUB) != 0) {
                out.setSub(i, source.name());
            }
        }
        out.info[i] = (short) bits;
    }

    /** A struct can't depend on a later one of its own client. */
    private static void checkPast(StructSource source, long client, int clock) throws MalformedUpdateException {
        if (source.idClient == client && source.idClock >= clock) {
            throw source.rest.fault("future-reference");
        }
        if (source.idClient > Limits.CLIENT_LAST) {
            throw source.rest.fault("client-too-large");
        }
    }

    private static int readContent(StructSource source, int kind, int i, StructBuffer out)
            throws MalformedUpdateException {
        if (kind == Kind.DELETED) {
            return source.length();
        }
        if (kind == Kind.STRING) {
            out.content[i] = out.units.count;
            return source.chars(out);
        }
        if (kind == Kind.TYPE) {
            int ref = source.typeRef();
            if (!TypeRef.known(ref)) {
                throw source.rest.fault("unknown-type-ref");
            }
            out.content[i] = ref;
            if (TypeRef.named(ref)) {
                out.setKey(i, TypeRef.readName(ref, source));
            }
            return 1;
        }
        int from = out.blob.size();
        out.content[i] = from;
        int length = readValues(source, kind, i, out);
        out.contentBytes[i] = out.blob.size() - from;
        return length;
    }

    private static int readValues(StructSource source, int kind, int i, StructBuffer out)
            throws MalformedUpdateException {
        switch (kind) {
            case Kind.BINARY -> source.binary(out);
            case Kind.EMBED -> source.json(out);
            case Kind.FORMAT -> {
                out.setKey(i, source.key());
                source.json(out);
            }
            case Kind.DOC -> {
                String guid = source.string();
                out.blob.u8(AnyValue.STRING);
                out.blob.string(guid);
                source.any(out);
            }
            case Kind.ANY -> {
                int count = source.length();
                if (count > source.rest.remaining()) {
                    throw source.rest.fault("count-too-large");
                }
                for (int n = 0; n < count; n++) {
                    source.any(out);
                }
                return count;
            }
            case Kind.JSON -> {
                int count = source.length();
                for (int n = 0; n < count; n++) {
                    readJsonText(source, out);
                }
                return count;
            }
            default -> throw source.rest.fault("unknown-content");
        }
        return 1;
    }

    private static void readJsonText(StructSource source, StructBuffer out) throws MalformedUpdateException {
        if (!JsonParser.parseOrUndefined(source.string(), out.blob)) {
            throw source.rest.fault("invalid-json");
        }
    }

    static void readDeletes(StructSource source, ClockRanges out) throws MalformedUpdateException {
        ByteReader rest = source.rest;
        int clients = rest.count("count-too-large");
        for (int c = 0; c < clients; c++) {
            source.startDeletes();
            long client = rest.varUint();
            int ranges = rest.count("count-too-large");
            for (int i = 0; i < ranges; i++) {
                int clock = source.deleteClock();
                int length = source.deleteLength();
                if (clock > Integer.MAX_VALUE - length) {
                    throw rest.fault("clock-too-large");
                }
                if (length > 0) {
                    out.add(client, clock, length);
                }
            }
        }
    }
}
