package dev.walmerge.crdt;

/** Writes structs that come by client and clock as an update, counting them while they pass. */
final class BlockWriter {
    private final UpdateWriter out;
    private int blocks;
    private int blockAt;
    private long client;
    private int structs;
    private int next;

    BlockWriter(UpdateFormat format) {
        out = UpdateWriter.of(format);
    }

    /** The struct a cursor is at, but its first {@code offset} units. */
    void struct(StructCursor cursor, int offset) {
        begin(cursor.client, cursor.clock + offset);
        if (cursor.skip) {
            writeSkip(cursor.length - offset);
        } else {
            PendingEncoder.struct(out, cursor.row, 0, offset);
        }
        next = cursor.end();
    }

    /** A struct of a buffer, but its first {@code offset} units. */
    void struct(StructBuffer in, int i, int offset) {
        begin(in.client[i], in.clock[i] + offset);
        PendingEncoder.struct(out, in, i, offset);
        next = in.end(i);
    }

    void gc(long ofClient, int clock, int length) {
        begin(ofClient, clock);
        out.info(Kind.GC);
        out.length(length);
        next = clock + length;
    }

    /** Starts a client, or bridges a gap in the one that is being written. */
    private void begin(long ofClient, int clock) {
        if (structs > 0 && ofClient == client) {
            if (clock > next) {
                writeSkip(clock - next);
                structs++;
            }
        } else {
            endBlock();
            client = ofClient;
            blockAt = out.rest.size();
            out.client(ofClient);
            out.rest.varUint(clock);
        }
        structs++;
    }

    private void writeSkip(int length) {
        out.info(Kind.SKIP);
        out.rest.varUint(length);
    }

    private void endBlock() {
        if (structs > 0) {
            out.rest.insertVarUint(blockAt, structs);
            structs = 0;
            blocks++;
        }
    }

    /** The update; {@code deletes} are put in order for it. */
    byte[] finish(ClockRanges deletes) {
        endBlock();
        out.rest.insertVarUint(0, blocks);
        deletes.sortAndMerge();
        StateEncoder.deletes(out, deletes);
        return out.finish();
    }
}
