package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * The content of a document's structs: UTF-16 units of strings in one array, everything else as bytes in another.
 *
 * <p>A run that grows in place leaves nothing behind; one that can't is moved to the end with room to grow, and what it
 * left is counted as waste until {@link #compactIfWorthIt} copies what lives.
 */
final class ContentStore {
    private static final int WASTE_WORTH_A_COPY = 4096;

    char[] chars = {};
    int charCount;
    byte[] blob = {};
    int blobCount;
    private long wastedChars;
    private long wastedBytes;

    int addChars(char[] from, int at, int count) {
        roomForChars(count);
        System.arraycopy(from, at, chars, charCount, count);
        charCount += count;
        return charCount - count;
    }

    int addBytes(byte[] from, int at, int count) {
        roomForBytes(count);
        System.arraycopy(from, at, blob, blobCount, count);
        blobCount += count;
        return blobCount - count;
    }

    private void roomForChars(int more) {
        int needed = Math.addExact(charCount, more);
        if (needed > chars.length) {
            chars = Arrays.copyOf(chars, Math.max(needed, chars.length + (chars.length >> 1) + 8));
        }
    }

    private void roomForBytes(int more) {
        int needed = Math.addExact(blobCount, more);
        if (needed > blob.length) {
            blob = Arrays.copyOf(blob, Math.max(needed, blob.length + (blob.length >> 1) + 8));
        }
    }

    void dropChars(int at, int capacity) {
        if (at + capacity == charCount) {
            charCount = at;
        } else {
            wastedChars += capacity;
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
    void joinChars(StructStore s, int left, int right) {
        int leftCount = s.length[left];
        int rightCount = s.length[right];
        if (s.room[left] == leftCount && s.content[left] + leftCount == s.content[right]) {
            s.room[left] = leftCount + s.room[right];
            return;
        }
        int from = s.content[right];
        if (s.room[left] - leftCount < rightCount) {
            int wanted = Math.addExact(leftCount + rightCount, (leftCount + rightCount) / 2);
            if (s.content[left] + s.room[left] == charCount) {
                roomForChars(wanted - s.room[left]);
                charCount += wanted - s.room[left];
            } else {
                roomForChars(wanted);
                System.arraycopy(chars, s.content[left], chars, charCount, leftCount);
                wastedChars += s.room[left];
                s.content[left] = charCount;
                charCount += wanted;
            }
            s.room[left] = wanted;
        }
        System.arraycopy(chars, from, chars, s.content[left] + leftCount, rightCount);
        dropChars(from, s.room[right]);
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

    void compactIfWorthIt(StructStore s) {
        if (wastedChars > WASTE_WORTH_A_COPY && wastedChars > charCount / 2) {
            compactChars(s);
        }
        if (wastedBytes > WASTE_WORTH_A_COPY && wastedBytes > blobCount / 2) {
            compactBytes(s);
        }
    }

    private void compactChars(StructStore s) {
        char[] target = new char[(int) Math.max(16, charCount - wastedChars)];
        int at = 0;
        for (int i = 0; i < s.used; i++) {
            if (s.kind(i) == Kind.STRING && !s.isFree(i)) {
                int count = s.length[i];
                if (at + count > target.length) {
                    target = Arrays.copyOf(target, Math.max(at + count, target.length * 2));
                }
                System.arraycopy(chars, s.content[i], target, at, count);
                s.content[i] = at;
                s.room[i] = count;
                at += count;
            }
        }
        chars = target;
        charCount = at;
        wastedChars = 0;
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
        return 2L * chars.length + blob.length;
    }
}
