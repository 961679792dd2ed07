package dev.walmerge.crdt;

import java.util.Objects;

/**
 * The structs of one update one after the other, straight from its bytes: only the current one is in memory. Skips are
 * stops of their own or passed over, as the user asks; structs of no length are always passed over.
 */
final class StructCursor {
    private final int maxStructs;
    private final SourceV1 v1 = new SourceV1();
    private SourceV2 v2;
    private StructSource source = v1;
    private boolean withSkips;
    private long blocks;
    private long structs;
    private long total;
    private int nextClock;

    /** The content of the current struct, in row 0. */
    final StructBuffer row = new StructBuffer();

    long client;
    int clock;
    int length;
    boolean skip;
    boolean done;

    StructCursor(int maxStructs) {
        this.maxStructs = maxStructs;
    }

    /** Starts an update and stops at its first struct. */
    StructCursor open(UpdateFormat format, byte[] bytes, boolean skips) throws MalformedUpdateException {
        if (Objects.requireNonNull(format) == UpdateFormat.V2 && v2 == null) {
            v2 = new SourceV2();
        }
        source = format == UpdateFormat.V1 ? v1 : v2;
        source.reset(bytes, 0, bytes.length);
        withSkips = skips;
        blocks = source.rest.count("count-too-large");
        structs = 0;
        total = 0;
        done = false;
        next();
        return this;
    }

    int end() {
        return clock + length;
    }

    boolean isGc() {
        return !skip && row.kind(0) == Kind.GC;
    }

    /** JSON text has no undefined: an embed or format that is can't be written as such. */
    void checkText() throws MalformedUpdateException {
        boolean text = !skip && (row.kind(0) == Kind.EMBED || row.kind(0) == Kind.FORMAT);
        if (text && (row.blob.array()[row.content[0]] & 0xff) == AnyValue.UNDEFINED) {
            throw source.rest.fault("not-in-v1");
        }
    }

    /** Goes to the next struct, or sets {@link #done}. */
    void next() throws MalformedUpdateException {
        while (true) {
            while (structs == 0) {
                if (blocks == 0) {
                    done = true;
                    return;
                }
                nextBlock();
            }
            structs--;
            clock = nextClock;
            row.restart();
            length = UpdateDecoder.readStruct(source, client, clock, row);
            if (clock > Integer.MAX_VALUE - length) {
                throw source.rest.fault("clock-too-large");
            }
            nextClock = clock + length;
            skip = row.size == 0;
            if (length > 0 && (withSkips || !skip)) {
                return;
            }
        }
    }

    private void nextBlock() throws MalformedUpdateException {
        blocks--;
        ByteReader rest = source.rest;
        int at = rest.pos();
        structs = rest.varUint();
        client = source.client();
        nextClock = rest.clock();
        if (structs > source.structsPossible()) {
            throw rest.faultAt("count-too-large", at);
        }
        total += structs;
        if (total > maxStructs) {
            throw rest.faultAt("too-many-structs", at);
        }
    }

    /** Reads what follows the last struct, all of which must have been visited, and checks that nothing is left over. */
    void deletes(ClockRanges out) throws MalformedUpdateException {
        UpdateDecoder.readDeletes(source, out);
        source.finish();
    }
}
