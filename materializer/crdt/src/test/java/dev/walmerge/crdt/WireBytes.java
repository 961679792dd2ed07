package dev.walmerge.crdt;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Writes the fields of version 1 as WIRE.md has them, with nothing of the code under test. */
final class WireBytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** An update of some structs of one client, and deletes. */
    static byte[] update(long client, int clock, int count, WireBytes structs, Set<Id> deletes) {
        WireBytes update = new WireBytes();
        update.number(count > 0 ? 1 : 0);
        if (count > 0) {
            update.number(count).number(client).number(clock).raw(structs);
        }
        TreeMap<Long, TreeSet<Integer>> byClient = new TreeMap<>();
        deletes.forEach(id ->
                byClient.computeIfAbsent(id.client(), c -> new TreeSet<>()).add(id.clock()));
        update.number(byClient.size());
        byClient.descendingMap().forEach(update::deletes);
        return update.out.toByteArray();
    }

    private void deletes(long client, NavigableSet<Integer> clocks) {
        WireBytes ranges = new WireBytes();
        int count = 0;
        for (Integer first = clocks.first(); first != null; first = clocks.higher(first)) {
            int end = first + 1;
            while (clocks.contains(end)) {
                end++;
            }
            ranges.number(first).number(end - first);
            count++;
            first = end - 1;
        }
        number(client).number(count).raw(ranges);
    }

    WireBytes u8(int value) {
        out.write(value);
        return this;
    }

    WireBytes number(long value) {
        long rest = value;
        for (; rest > 127; rest >>>= 7) {
            out.write((int) (rest & 127) | 128);
        }
        return u8((int) rest);
    }

    /** With a sign: six bits in the first byte. */
    WireBytes integer(long value) {
        long rest = Math.abs(value);
        out.write((int) (rest & 63) | (value < 0 ? 64 : 0) | (rest > 63 ? 128 : 0));
        return rest > 63 ? number(rest >>> 6) : this;
    }

    /** Big endian. */
    WireBytes bits(long value, int bytes) {
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            out.write((int) (value >>> shift));
        }
        return this;
    }

    WireBytes string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    WireBytes id(Id id) {
        return number(id.client()).number(id.clock());
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    WireBytes raw(WireBytes bytes) {
        out.writeBytes(bytes.out.toByteArray());
        return this;
    }
}
