package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * The structs of one client ordered by clock, without gaps, as rows of {@link StructStore} in chunks of bounded size:
 * what is cut or joined in the middle moves part of one chunk, however long the list is. The rows of a chunk are spelled out
 * from when they don't follow each other, which in a document that was only loaded all do.
 *
 * <p>A position names a place until the list changes: the number of a chunk, then seven bits of the place in it. No chunk
 * is empty unless the list is.
 */
final class StructList {
    static final int NONE = -1;

    private static final int PLACE_BITS = 7;
    private static final int CHUNK = 1 << PLACE_BITS;
    private static final int PLACE = CHUNK - 1;

    /** Neighbours that hold no more than this together become one; far from what a full chunk is halved to. */
    private static final int SMALL = CHUNK / 2;

    /** How far behind the last search the next one is expected. */
    private static final int NEAR = 8;

    /** This and the smallest arrays. */
    private static final long OBJECT_BYTES = 120;

    /** By chunk: its rows, or null when each is one more than the one before. */
    private int[][] chunks = {null};

    /** The first row of a chunk whose rows aren't spelled out. */
    private int[] bases = {0};

    private int[] counts = {0};

    /** The first clock of each chunk. */
    private int[] firsts = {0};

    private int chunkCount = 1;

    /** Where the last search ended; checked before it is believed. */
    private int hint;

    boolean isEmpty() {
        return counts[0] == 0;
    }

    /** The position of the first struct, or NONE. */
    int first() {
        return isEmpty() ? NONE : 0;
    }

    int row(int position) {
        return row(position >>> PLACE_BITS, position & PLACE);
    }

    static int chunkAt(int position) {
        return position >>> PLACE_BITS;
    }

    static int placeAt(int position) {
        return position & PLACE;
    }

    int chunkCount() {
        return chunkCount;
    }

    int chunkSize(int chunk) {
        return counts[chunk];
    }

    int row(int chunk, int place) {
        return row(chunks[chunk], bases[chunk], place);
    }

    private static int row(int[] rows, int base, int place) {
        return rows == null ? base + place : rows[place];
    }

    /** The position behind, or NONE. */
    int next(int position) {
        int chunk = position >>> PLACE_BITS;
        if ((position & PLACE) + 1 < counts[chunk]) {
            return position + 1;
        }
        return chunk + 1 < chunkCount ? (chunk + 1) << PLACE_BITS : NONE;
    }

    /** The row of the last struct; the list must not be empty. */
    int newest() {
        int chunk = chunkCount - 1;
        return row(chunk, counts[chunk] - 1);
    }

    /** How many structs there are from a position on. */
    int countFrom(int position) {
        int chunk = position >>> PLACE_BITS;
        int count = counts[chunk] - (position & PLACE);
        while (++chunk < chunkCount) {
            count += counts[chunk];
        }
        return count;
    }

    /** Where the struct is that holds {@code at}, which must be below the client's state. */
    int position(int at, int[] clock) {
        int chunk = chunkOf(at);
        int[] rows = chunks[chunk];
        int base = bases[chunk];
        int count = counts[chunk];
        if (clock[row(rows, base, count - 1)] <= at) {
            return chunk << PLACE_BITS | (count - 1);
        }
        int place = 0;
        int guess = hint & PLACE;
        if (chunk == hint >>> PLACE_BITS && guess < count && clock[row(rows, base, guess)] <= at) {
            int near = Math.min(count - guess, NEAR);
            if (clock[row(rows, base, guess + near - 1)] > at) {
                place = guess;
                count = near;
            }
        }
        // Halving without a branch on what is found: which half it is can't be foretold.
        while (count > 1) {
            int half = count >>> 1;
            place = clock[row(rows, base, place + half)] <= at ? place + half : place;
            count -= half;
        }
        hint = chunk << PLACE_BITS | place;
        return hint;
    }

    private int chunkOf(int at) {
        int count = chunkCount;
        if (firsts[count - 1] <= at) {
            return count - 1;
        }
        int guess = hint >>> PLACE_BITS;
        if (guess < count - 1 && firsts[guess] <= at && firsts[guess + 1] > at) {
            return guess;
        }
        int chunk = 0;
        while (count > 1) {
            int half = count >>> 1;
            chunk = firsts[chunk + half] <= at ? chunk + half : chunk;
            count -= half;
        }
        return chunk;
    }

    void append(int row, int[] clock) {
        int chunk = chunkCount - 1;
        if (counts[chunk] == CHUNK) {
            addChunk(++chunk, null, row, 0, clock[row]);
        }
        put(chunk, counts[chunk], row);
    }

    /** Appends rows that follow each other. */
    void append(int first, int count, int[] clock) {
        int row = first;
        int end = first + count;
        while (row < end) {
            append(row++, clock);
            int chunk = chunkCount - 1;
            if (chunks[chunk] == null) {
                int more = Math.min(CHUNK - counts[chunk], end - row);
                counts[chunk] += more;
                row += more;
            }
        }
    }

    /** Puts a struct behind the one at a position and returns where it is now. */
    int insertAfter(int position, int row, int[] clock) {
        int chunk = position >>> PLACE_BITS;
        int place = (position & PLACE) + 1;
        if (counts[chunk] == CHUNK) {
            int half = CHUNK / 2;
            int[] upper = null;
            if (chunks[chunk] != null) {
                upper = new int[CHUNK];
                System.arraycopy(chunks[chunk], half, upper, 0, half);
            }
            counts[chunk] = half;
            addChunk(chunk + 1, upper, bases[chunk] + half, half, clock[row(upper, bases[chunk] + half, 0)]);
            if (place > half) {
                chunk++;
                place -= half;
            }
        }
        put(chunk, place, row);
        return chunk << PLACE_BITS | place;
    }

    private void put(int chunk, int place, int row) {
        int[] rows = chunks[chunk];
        int count = counts[chunk]++;
        if (rows == null) {
            if (count == 0) {
                bases[chunk] = row;
                return;
            }
            if (place == count && row == bases[chunk] + count) {
                return;
            }
            rows = spell(chunk, count, Math.min(CHUNK, count * 2));
        } else if (count == rows.length) {
            rows = Arrays.copyOf(rows, Math.min(CHUNK, count * 2));
            chunks[chunk] = rows;
        }
        if (place < count) {
            System.arraycopy(rows, place, rows, place + 1, count - place);
        }
        rows[place] = row;
    }

    /** The rows of a chunk, spelled out from now on. */
    private int[] spell(int chunk, int count, int room) {
        int[] rows = new int[room];
        for (int i = 0; i < count; i++) {
            rows[i] = bases[chunk] + i;
        }
        chunks[chunk] = rows;
        return rows;
    }

    private void addChunk(int chunk, int[] rows, int base, int count, int first) {
        if (chunkCount == chunks.length) {
            int capacity = chunkCount + (chunkCount >> 1) + 1;
            chunks = Arrays.copyOf(chunks, capacity);
            bases = Arrays.copyOf(bases, capacity);
            counts = Arrays.copyOf(counts, capacity);
            firsts = Arrays.copyOf(firsts, capacity);
        }
        moveChunks(chunk, chunk + 1);
        chunks[chunk] = rows;
        bases[chunk] = base;
        counts[chunk] = count;
        firsts[chunk] = first;
        chunkCount++;
    }

    private void moveChunks(int from, int to) {
        int count = chunkCount - from;
        System.arraycopy(chunks, from, chunks, to, count);
        System.arraycopy(bases, from, bases, to, count);
        System.arraycopy(counts, from, counts, to, count);
        System.arraycopy(firsts, from, firsts, to, count);
    }

    /** The struct that begins with {@code from} is about to begin with another clock, and the one before it to end there. */
    void moveStart(int from, int to, int[] clock) {
        int position = position(from, clock);
        if ((position & PLACE) == 0) {
            firsts[position >>> PLACE_BITS] = to;
        }
    }

    /**
     * Joins what says one run among the structs of {@code [from, end)}, the one before them and the one behind. Chunks that
     * got small are put together.
     */
    void join(StructStore store, int from, int end) {
        int position = position(from, store.clock);
        int read = position >>> PLACE_BITS;
        int place = position & PLACE;
        int before = NONE;
        if (place > 0) {
            before = row(read, place - 1);
        } else if (read > 0) {
            before = row(read - 1, counts[read - 1] - 1);
        }
        int write = read;
        boolean done = false;
        while (!done && read < chunkCount) {
            int[] rows = chunks[read];
            int base = bases[read];
            int count = counts[read];
            int start = place;
            int kept = place;
            while (!done && place < count) {
                int s = row(rows, base, place++);
                done = store.clock[s] >= end;
                if (before != NONE && store.tryJoin(before, s)) {
                    rows = rows == null ? spell(read, count, count) : rows;
                    continue;
                }
                if (rows != null) {
                    rows[kept] = s;
                }
                kept++;
                before = s;
            }
            if (kept < place) {
                System.arraycopy(rows, place, rows, kept, count - place);
                counts[read] = count - (place - kept);
                if (start == 0 && counts[read] > 0) {
                    firsts[read] = store.clock[rows[0]];
                }
            }
            write = keep(read++, write);
            place = 0;
        }
        if (read < chunkCount && write > 0 && counts[write - 1] + counts[read] <= SMALL) {
            write = keep(read++, write);
        }
        if (write < read) {
            moveChunks(read, write);
            Arrays.fill(chunks, chunkCount - (read - write), chunkCount, null);
            chunkCount -= read - write;
        }
    }

    /** Moves a chunk to {@code to}, which lies behind those that are done, or into the last of these; returns where they end. */
    private int keep(int chunk, int to) {
        int count = counts[chunk];
        if (to > 0 && counts[to - 1] + count <= SMALL) {
            int had = counts[to - 1];
            int[] rows = chunks[to - 1];
            if (rows == null || had + count > rows.length) {
                rows = rows == null ? spell(to - 1, had, CHUNK) : Arrays.copyOf(rows, CHUNK);
                chunks[to - 1] = rows;
            }
            for (int i = 0; i < count; i++) {
                rows[had + i] = row(chunk, i);
            }
            counts[to - 1] = had + count;
            return to;
        }
        if (count == 0) {
            return to;
        }
        if (to < chunk) {
            chunks[to] = chunks[chunk];
            bases[to] = bases[chunk];
            counts[to] = count;
            firsts[to] = firsts[chunk];
        }
        return to + 1;
    }

    /** Gives back the room behind what there is. */
    void trim() {
        chunks = Arrays.copyOf(chunks, chunkCount);
        bases = Arrays.copyOf(bases, chunkCount);
        counts = Arrays.copyOf(counts, chunkCount);
        firsts = Arrays.copyOf(firsts, chunkCount);
        for (int chunk = 0; chunk < chunkCount; chunk++) {
            int[] rows = chunks[chunk];
            chunks[chunk] = rows == null || rows.length == counts[chunk] ? rows : Arrays.copyOf(rows, counts[chunk]);
        }
    }

    long bytes() {
        long bytes = OBJECT_BYTES + 16L * chunks.length;
        for (int i = 0; i < chunkCount; i++) {
            bytes += chunks[i] == null ? 0 : 16 + 4L * chunks[i].length;
        }
        return bytes;
    }
}
