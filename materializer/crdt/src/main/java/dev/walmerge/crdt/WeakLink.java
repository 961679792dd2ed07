package dev.walmerge.crdt;

import java.nio.charset.StandardCharsets;

/**
 * What a weak link of Yrs points to: flags, then where it starts and where it ends, each an id or the name of a root. It
 * is kept as it came and not followed. Between reading and writing it is a string of its bytes in version 1.
 */
final class WeakLink {
    private static final int QUOTE = 1;
    private static final int START_UNBOUNDED = 8;
    private static final int END_UNBOUNDED = 16;
    private static final int PARENT_ROOT = 32;

    private WeakLink() {}

    static String read(StructSource source) throws MalformedUpdateException {
        ByteWriter kept = new ByteWriter();
        int flags = source.rest.u8();
        kept.u8(flags);
        end(source, flags, START_UNBOUNDED, kept);
        if ((flags & (QUOTE | END_UNBOUNDED)) != 0) {
            end(source, flags, END_UNBOUNDED, kept);
        }
        return new String(kept.array(), 0, kept.size(), StandardCharsets.ISO_8859_1);
    }

    private static void end(StructSource source, int flags, int unbounded, ByteWriter kept)
            throws MalformedUpdateException {
        if (ofRoot(flags, unbounded)) {
            kept.string(source.string());
        } else {
            kept.varUint(source.rest.varUint());
            kept.varUint(source.rest.clock());
        }
    }

    private static boolean ofRoot(int flags, int unbounded) {
        return (flags & unbounded) != 0 && (flags & PARENT_ROOT) != 0;
    }

    static void write(UpdateWriter out, String link) {
        byte[] kept = link.getBytes(StandardCharsets.ISO_8859_1);
        int flags = kept[0] & 0xff;
        out.rest.u8(flags);
        int at = writeEnd(out, flags, START_UNBOUNDED, kept, 1);
        if ((flags & (QUOTE | END_UNBOUNDED)) != 0) {
            writeEnd(out, flags, END_UNBOUNDED, kept, at);
        }
    }

    private static int writeEnd(UpdateWriter out, int flags, int unbounded, byte[] kept, int at) {
        int behind = AnyValue.endOfNumber(kept, at);
        if (ofRoot(flags, unbounded)) {
            out.string(AnyValue.text(kept, at));
            return behind + (int) AnyValue.number(kept, at);
        }
        out.rest.varUint(AnyValue.number(kept, at));
        out.rest.varUint(AnyValue.number(kept, behind));
        return AnyValue.endOfNumber(kept, behind);
    }
}
