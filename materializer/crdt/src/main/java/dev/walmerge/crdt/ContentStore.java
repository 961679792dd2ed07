package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * The content of a document's structs: the units of strings in one row, everything else as bytes in another.
 *
 * <p>A run that grows in place leaves nothing behind; one that can't is moved to the end with room to grow, and what it
 * left is counted as waste until {@link #compactIfWorthIt} copies what lives.
 */
final class ContentStore {
    private static final int WASTE_WORTH_A_COPY = 4096;

    /** The units of strings, and room between them. */
    Units units = new Units();

    byte[] blob = {};
    int blobCount;
    private long wastedUnits;
    private long wastedBytes;
    private boolean adopting;

    /**
     * Takes over what an update brought into an empty document, and copies nothing: {@link #addUnits} and {@link #addBytes}
     * then only say that it is used. Call {@link #endAdoption} when all that is used was added.
     */
    void adopt(StructBuffer in) {
        units = in.units;
        blob = in.blob.array();
        blobCount = in.blob.size();
        wastedUnits = units.count;
        wastedBytes = blobCount;
        adopting = true;
    }

    /** The update's buffer keeps nothing of what was taken over. */
    void endAdoption(StructBuffer in) {
        adopting = false;
        in.giveContentAway();
        units.trim();
        blob = blob.length == blobCount ? blob : Arrays.copyOf(blob, blobCount);
    }

    boolean isEmpty() {
        return units.count == 0 && blobCount == 0;
    }

    /** Whether every string comes back from an update as it is: none begins or ends within a pair. */
    boolean isWellFormed(StructStore s) {
        for (int i = 0; units.isWide() && i < s.used; i++) {
            if (s.kind(i) == Kind.STRING
                    && !s.isFree(i)
                    && !units.isWellFormed(s.content[i], s.content[i] + s.length[i])) {
                return false;
            }
        }
        return true;
    }

    int addUnits(Units from, int at, int count) {
        if (adopting && from == units) {
            wastedUnits -= count;
            return at;
        }
        units.add(from, at, count);
        return units.count - count;
    }

    int addBytes(byte[] from, int at, int count) {
        if (adopting && from == blob) {
            wastedBytes -= count;
            return at;
        }
        roomForBytes(count);
        System.arraycopy(from, at, blob, blobCount, count);
        blobCount += count;
        return blobCount - count;
    }

    int addUnits(String from) {
        units.add(from);
        return units.count - from.length();
    }

    /** Appends to the string of a row; the caller adds the length. */
    void append(StructStore s, int row, String more) {
        int count = s.length[row];
        int needed = Math.addExact(count, more.length());
        if (s.room[row] < needed) {
            int wanted = Math.addExact(needed, needed / 2 + 8);
            if (s.content[row] + s.room[row] == units.count) {
                units.reserve(wanted - s.room[row]);
                units.count += wanted - s.room[row];
            } else {
                units.reserve(wanted);
                units.move(s.content[row], units.count, count);
                wastedUnits += s.room[row];
                s.content[row] = units.count;
                units.count += wanted;
            }
            s.room[row] = wanted;
        }
        units.put(s.content[row] + count, more);
    }

    private void roomForBytes(int more) {
        int needed = Math.addExact(blobCount, more);
        if (needed > blob.length) {
            blob = Arrays.copyOf(blob, Math.max(needed, blob.length + (blob.length >> 1) + 8));
        }
    }

    void dropUnits(int at, int capacity) {
        if (at + capacity == units.count) {
            units.count = at;
        } else {
            wastedUnits += capacity;
        }
    }

    void dropBytes(int at, int capacity) {
        if (at + capacity == blobCount) {
            blobCount = at;
        } else {
            wastedBytes += capacity;
        }
    }

    /** Appends the string of {@code right} to that of {@code left}; the caller joins the lengths. */
    void joinUnits(StructStore s, int left, int right) {
        int leftCount = s.length[left];
        int rightCount = s.length[right];
        if (s.room[left] == leftCount && s.content[left] + leftCount == s.content[right]) {
            s.room[left] = leftCount + s.room[right];
            return;
        }
        roomBehind(s, left, rightCount);
        units.move(s.content[right], s.content[left] + leftCount, rightCount);
        dropUnits(s.content[right], s.room[right]);
    }

    /** Appends units to the string of a row; the caller adds their count to its length. */
    void append(StructStore s, int row, Units from, int at, int more) {
        if (adopting && from == units && s.content[row] + s.room[row] == at && s.room[row] == s.length[row]) {
            s.room[row] += more;
            wastedUnits -= more;
            return;
        }
        roomBehind(s, row, more);
        units.put(s.content[row] + s.length[row], from, at, more);
    }

    /** Makes room for {@code more} units behind those of a row. */
    private void roomBehind(StructStore s, int row, int more) {
        int count = s.length[row];
        int room = s.room[row];
        if (room - count >= more) {
            return;
        }
        int wanted = Math.addExact(count + more, (count + more) / 2);
        if (s.content[row] + room == units.count) {
            units.reserve(wanted - room);
            units.count += wanted - room;
        } else {
            units.reserve(wanted);
            units.move(s.content[row], units.count, count);
            wastedUnits += room;
            s.content[row] = units.count;
            units.count += wanted;
        }
        s.room[row] = wanted;
    }

    /** Appends the values of {@code right} to those of {@code left}. */
    void joinBytes(StructStore s, int left, int right) {
        int leftCount = s.contentBytes[left];
        int rightCount = s.contentBytes[right];
        s.contentBytes[left] = leftCount + rightCount;
        if (s.room[left] == leftCount && s.content[left] + leftCount == s.content[right]) {
            s.room[left] = leftCount + s.room[right];
            return;
        }
        int from = s.content[right];
        if (s.room[left] - leftCount < rightCount) {
            int wanted = Math.addExact(leftCount + rightCount, (leftCount + rightCount) / 2);
            roomForBytes(wanted);
            System.arraycopy(blob, s.content[left], blob, blobCount, leftCount);
            wastedBytes += s.room[left];
            s.content[left] = blobCount;
            blobCount += wanted;
            s.room[left] = wanted;
        }
        System.arraycopy(blob, from, blob, s.content[left] + leftCount, rightCount);
        dropBytes(from, s.room[right]);
    }

    /** The string of a row loses units at its start. */
    void cutFront(StructStore s, int row, int count) {
        s.content[row] += count;
        s.room[row] -= count;
        wastedUnits += count;
    }

    void compactIfWorthIt(StructStore s) {
        if (wastedUnits > WASTE_WORTH_A_COPY && wastedUnits > units.count / 2) {
            compactUnits(s);
        }
        if (wastedBytes > WASTE_WORTH_A_COPY && wastedBytes > blobCount / 2) {
            compactBytes(s);
        }
    }

    private void compactUnits(StructStore s) {
        Units target = new Units();
        target.reserve((int) Math.max(16, units.count - wastedUnits));
        for (int i = 0; i < s.used; i++) {
            if (s.kind(i) == Kind.STRING && !s.isFree(i)) {
                int count = s.length[i];
                target.add(units, s.content[i], count);
                s.content[i] = target.count - count;
                s.room[i] = count;
            }
        }
        units = target;
        wastedUnits = 0;
    }

    private void compactBytes(StructStore s) {
        byte[] target = new byte[(int) Math.max(16, blobCount - wastedBytes)];
        int at = 0;
        for (int i = 0; i < s.used; i++) {
            if (Kind.inBlob(s.kind(i)) && !s.isFree(i)) {
                int count = s.contentBytes[i];
                if (at + count > target.length) {
                    target = Arrays.copyOf(target, Math.max(at + count, target.length * 2));
                }
                System.arraycopy(blob, s.content[i], target, at, count);
                s.content[i] = at;
                if (s.kind(i) != Kind.FORMAT) {
                    s.room[i] = count;
                }
                at += count;
            }
        }
        blob = target;
        blobCount = at;
        wastedBytes = 0;
    }

    long bytes() {
        return units.bytes() + blob.length;
    }
}
