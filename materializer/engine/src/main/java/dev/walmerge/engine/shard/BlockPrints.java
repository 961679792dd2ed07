package dev.walmerge.engine.shard;

import dev.walmerge.crdt.TextBlock;
import java.util.Arrays;
import java.util.List;

/**
 * Fingerprints of the blocks of a document: whether one of them is another than when they were sent last, and about what
 * sending them again costs. Write-back compares the rows themselves.
 */
final class BlockPrints {
    /** Of no block. */
    static final BlockPrints NONE = new BlockPrints(new int[0], 0);

    private static final int ROW_BYTES = 96;

    private final int[] texts;
    /** Of everything, the places too. */
    private final long whole;

    private BlockPrints(int[] texts, long whole) {
        this.texts = texts;
        this.whole = whole;
    }

    static BlockPrints of(List<TextBlock> blocks) {
        if (blocks.isEmpty()) {
            return NONE;
        }
        int[] texts = new int[blocks.size()];
        long whole = 0;
        for (int i = 0; i < texts.length; i++) {
            TextBlock block = blocks.get(i);
            long text = WriteBuilder.print(block.text());
            texts[i] = Long.hashCode(text);
            whole = 31
                            * (31
                                            * (31 * (31 * whole + WriteBuilder.print(block.id()))
                                                    + WriteBuilder.print(block.kind()))
                                    + WriteBuilder.print(block.path()))
                    + text;
        }
        return new BlockPrints(texts, whole);
    }

    /** Whether they are of the same blocks, all but certainly. */
    boolean isSame(BlockPrints other) {
        return other != null && whole == other.whole && Arrays.equals(texts, other.texts);
    }

    /** What they cost in memory. */
    long bytes() {
        return texts.length * (long) Integer.BYTES;
    }

    /** What blocks cost in memory. */
    static long bytes(List<TextBlock> blocks) {
        long bytes = 0;
        for (TextBlock block : blocks) {
            bytes += ROW_BYTES
                    + 2L
                            * (block.text().length()
                                    + block.path().length()
                                    + block.id().length());
        }
        return bytes;
    }

    /**
     * About what writing these blocks costs in WAL: those between a beginning and an end that stayed.
     *
     * @param before what was sent last, or null when that is not known: all of it
     * @param blocks that these are of
     */
    long walBytes(BlockPrints before, List<TextBlock> blocks) {
        int[] old = before == null ? NONE.texts : before.texts;
        int shared = Math.min(old.length, texts.length);
        int head = 0;
        while (head < shared && old[head] == texts[head]) {
            head++;
        }
        int tail = 0;
        while (tail < shared - head && old[old.length - 1 - tail] == texts[texts.length - 1 - tail]) {
            tail++;
        }
        int changed = texts.length - head - tail;
        long units = 0;
        for (int i = head; i < head + changed; i++) {
            units += blocks.get(i).text().length();
        }
        boolean placesChanged = old.length != texts.length;
        int removed = Math.max(0, old.length - head - tail - changed);
        return FlushPolicy.blockBytes(changed + removed, units, placesChanged ? tail : 0);
    }
}
