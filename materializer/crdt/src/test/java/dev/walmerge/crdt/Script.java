package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads any bytes as a script of updates: each one well-formed, with structs of few clients that refer to each other in
 * every way an update can, early, late, twice and across lists. Shorter scripts are prefixes of longer ones.
 */
final class Script {
    private static final int MOST_UPDATES = 24;
    private static final long[] CLIENTS = {1, 2, 300, Limits.CLIENT_LAST};
    private static final String[] ROOTS = {"t", "", "m"};
    private static final String[] KEYS = {"k", "", "bold"};
    private static final String[] TEXTS = {"a", "bc", "\ud83d\udcca", "xyz", ""};
    private static final String[] VALUES = {"1", "null", "{\"b\":[true,-0.5]}", "\"s\""};
    private static final int[] KINDS = {
        Kind.STRING,
        Kind.STRING,
        Kind.STRING,
        Kind.ANY,
        Kind.TYPE,
        Kind.DELETED,
        Kind.GC,
        Kind.FORMAT,
        Kind.EMBED,
        Kind.JSON,
        Kind.BINARY,
        Kind.DOC,
        Kind.SKIP
    };
    private static final int[] TYPES = {
        TypeRef.ARRAY,
        TypeRef.MAP,
        TypeRef.TEXT,
        TypeRef.XML_ELEMENT,
        TypeRef.XML_FRAGMENT,
        TypeRef.XML_TEXT,
        TypeRef.XML_HOOK,
        TypeRef.UNDEFINED
    };

    private final byte[] bytes;
    private int at;

    /** By place in {@link #CLIENTS}: the clock no struct so far has. */
    private final int[] next = new int[CLIENTS.length];

    /** Whether one id was given to two structs, so that the order of updates decides. */
    boolean overlaps;

    record Update(byte[] v1, byte[] v2) {
        byte[] in(UpdateFormat format) {
            return format == UpdateFormat.V1 ? v1 : v2;
        }
    }

    Script(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Each update in both formats. */
    List<Update> updates() {
        List<Update> updates = new ArrayList<>();
        while (at < bytes.length && updates.size() < MOST_UPDATES) {
            StructBuffer structs = new StructBuffer();
            ClockRanges deletes = new ClockRanges();
            int head = take();
            for (int block = 0; block < (head & 3); block++) {
                block(structs);
            }
            for (int i = 0; i < (head >> 2 & 3); i++) {
                deletes.add(CLIENTS[take() & 3], take() & 31, 1 + (take() & 7));
            }
            updates.add(new Update(write(UpdateFormat.V1, structs, deletes), write(UpdateFormat.V2, structs, deletes)));
        }
        return updates;
    }

    private static byte[] write(UpdateFormat format, StructBuffer structs, ClockRanges deletes) {
        BlockWriter out = new BlockWriter(format);
        for (int i = 0; i < structs.size; i++) {
            out.struct(structs, i, 0);
        }
        return out.finish(deletes);
    }

    private int take() {
        return at < bytes.length ? bytes[at++] & 0xff : 0;
    }

    private void block(StructBuffer out) {
        int head = take();
        int c = head & 3;
        int clock = next[c];
        int move = head >> 2 & 7;
        if (move == 7) {
            clock += 1 + (take() & 3);
        } else if (move == 6) {
            clock = Math.max(0, clock - 1 - (take() & 3));
            overlaps |= clock < next[c];
        }
        for (int i = 0; i <= head >> 5; i++) {
            clock += struct(out, c, clock);
            next[c] = Math.max(next[c], clock);
        }
    }

    private int struct(StructBuffer out, int c, int clock) {
        int head = take();
        int kind = KINDS[(head & 15) % KINDS.length];
        int i = out.next();
        out.client[i] = CLIENTS[c];
        out.clock[i] = clock;
        if (kind == Kind.SKIP) {
            return 1 + (take() & 3);
        }
        int info = kind;
        if (kind != Kind.GC) {
            info |= place(out, i, c, clock, head);
        }
        out.info[i] = (short) info;
        out.length[i] = content(out, i, kind);
        int length = out.length[i];
        out.commit(length > 0);
        return length;
    }

    private int place(StructBuffer out, int i, int c, int clock, int head) {
        int info = 0;
        if ((head & 0x10) != 0 && origin(c, clock)) {
            info |= StructBuffer.HAS_ORIGIN;
            out.originClient[i] = originClient;
            out.originClock[i] = originClock;
        }
        if ((head & 0x20) != 0 && origin(c, clock)) {
            info |= StructBuffer.HAS_RIGHT_ORIGIN;
            out.rightClient[i] = originClient;
            out.rightClock[i] = originClock;
        }
        if (info != 0) {
            return info;
        }
        if ((head & 0x40) != 0) {
            info |= StructBuffer.HAS_SUB;
            out.setSub(i, KEYS[take() % KEYS.length]);
        }
        if ((head & 0x80) != 0 && origin(c, clock)) {
            out.originClient[i] = originClient;
            out.originClock[i] = originClock;
            return info | StructBuffer.PARENT_ID;
        }
        out.setRoot(i, ROOTS[take() % ROOTS.length]);
        return info | StructBuffer.PARENT_ROOT;
    }

    private long originClient;
    private int originClock;

    /** An id an item of this client and clock may refer to: of its own client only what is before it. */
    private boolean origin(int c, int clock) {
        int of = take();
        int other = of & 3;
        int end = other == c ? clock : next[other] + 1;
        originClient = CLIENTS[other];
        // Most refer to what is newest.
        originClock = (of & 4) == 0 ? end - 1 : end == 0 ? 0 : (of >> 3) % end;
        return end > 0;
    }

    private int content(StructBuffer out, int i, int kind) {
        int pick = take();
        switch (kind) {
            case Kind.GC, Kind.DELETED -> {
                return 1 + (pick & 3);
            }
            case Kind.STRING -> {
                String text = TEXTS[pick % TEXTS.length];
                out.content[i] = out.units.count;
                out.units.add(text);
                return text.length();
            }
            case Kind.TYPE -> {
                out.content[i] = TYPES[pick % TYPES.length];
                if (TypeRef.named(out.content[i])) {
                    out.setKey(i, pick > 99 ? "br" : "p");
                }
                return 1;
            }
            default -> {
                return values(out, i, kind, pick);
            }
        }
    }

    private static int values(StructBuffer out, int i, int kind, int pick) {
        int from = out.blob.size();
        int length = kind == Kind.ANY || kind == Kind.JSON ? pick >> 4 & 3 : 1;
        switch (kind) {
            case Kind.BINARY -> out.blob.u8(pick);
            case Kind.DOC -> {
                out.blob.u8(AnyValue.STRING);
                out.blob.string("guid");
                out.blob.u8(AnyValue.NULL);
            }
            default -> {
                for (int n = 0; n < length; n++) {
                    if (!JsonParser.parse(VALUES[(pick + n) % VALUES.length], out.blob)) {
                        throw new AssertionError();
                    }
                }
            }
        }
        if (kind == Kind.FORMAT) {
            out.setKey(i, KEYS[pick >> 4 & 1]);
        }
        out.content[i] = from;
        out.contentBytes[i] = out.blob.size() - from;
        return length;
    }
}
