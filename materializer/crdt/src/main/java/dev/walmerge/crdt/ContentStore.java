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

    /** Reserved behind what is typed here, besides half as much again. */
    private static final int TYPING_ROOM = 8;

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
                    && !units.isWellFormed(s.content[i], s.content[i] + s.length.get(i))) {
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

    /** Appends to the string of a row. */
    void append(StructStore s, int row, String more) {
        int count = s.length.get(row);
        useSpare(s, row, count, more.length(), TYPING_ROOM);
        units.put(s.content[row] + count, more);
        s.length.set(row, count + more.length());
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
        int leftCount = s.length.get(left);
        int rightCount = s.length.get(right);
        if (s.spare.get(left) == 0 && s.content[left] + leftCount == s.content[right]) {
            s.spare.set(left, s.spare.get(right));
            return;
        }
        useSpare(s, left, leftCount, rightCount, 0);
        units.move(s.content[right], s.content[left] + leftCount, rightCount);
        dropUnits(s.content[right], rightCount + s.spare.get(right));
    }

    /** Appends units to the string of a row. */
    void append(StructStore s, int row, Units from, int at, int more) {
        int count = s.length.get(row);
        s.length.set(row, count + more);
        if (adopting && from == units && s.content[row] + count == at && s.spare.get(row) == 0) {
            wastedUnits -= more;
            return;
        }
        useSpare(s, row, count, more, 0);
        units.put(s.content[row] + count, from, at, more);
    }

    /** Takes room for {@code more} units behind the {@code count} of a row; when there is too little makes half as much again and {@code extra}. */
    private void useSpare(StructStore s, int row, int count, int more, int extra) {
        int spare = s.spare.get(row);
        if (spare >= more) {
            s.spare.set(row, spare - more);
            return;
        }
        int room = count + spare;
        int wanted = Math.addExact(count + more, (count + more) / 2 + extra);
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
        s.spare.set(row, wanted - count - more);
    }

    /** Appends the values of {@code right} to those of {@code left}. */
    void joinBytes(StructStore s, int left, int right) {
        int leftCount = s.contentBytes.get(left);
        int rightCount = s.contentBytes.get(right);
        int spare = s.spare.get(left);
        int from = s.content[right];
        s.contentBytes.set(left, leftCount + rightCount);
        if (spare == 0 && s.content[left] + leftCount == from) {
            s.spare.set(left, s.spare.get(right));
            return;
        }
        if (spare < rightCount) {
            int wanted = Math.addExact(leftCount + rightCount, (leftCount + rightCount) / 2);
            roomForBytes(wanted);
            System.arraycopy(blob, s.content[left], blob, blobCount, leftCount);
            wastedBytes += leftCount + spare;
            s.content[left] = blobCount;
            blobCount += wanted;
            spare = wanted - leftCount;
        }
        System.arraycopy(blob, from, blob, s.content[left] + leftCount, rightCount);
        s.spare.set(left, spare - rightCount);
        dropBytes(from, rightCount + s.spare.get(right));
    }

    /** The string of a row loses units at its start; the caller takes them off its length. */
    void cutFront(StructStore s, int row, int count) {
        s.content[row] += count;
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
                int count = s.length.get(i);
                target.add(units, s.content[i], count);
                s.content[i] = target.count - count;
                s.spare.set(i, 0);
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
                int count = s.contentBytes.get(i);
                if (at + count > target.length) {
                    target = Arrays.copyOf(target, Math.max(at + count, target.length * 2));
                }
                System.arraycopy(blob, s.content[i], target, at, count);
                s.content[i] = at;
                if (s.kind(i) != Kind.FORMAT) {
                    s.spare.set(i, 0);
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
