package dev.walmerge.engine.shard;

import dev.walmerge.crdt.ClockRange;
import dev.walmerge.crdt.Missing;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.LetterKey;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Dead letters that a retry found too early: each waits for the first thing it lacks, and is tried again once the document
 * has that, which another letter may have brought. So one retry frees all that it can, in whatever order they lie, and
 * reads a letter once for each thing it waited for. Single thread.
 */
final class EarlyLetters {
    /** About 100 bytes each. Those beyond wait for the next retry. */
    static final int MAX = 100_000;

    private final Residents residents;
    private final OpMerger merger;
    private final Function<String, FlushPolicy> policies;
    private final Map<DocumentKey, Map<Long, PriorityQueue<Early>>> waiting = new HashMap<>();
    private int count;

    /** @param clock of the client that the document must have come to */
    private record Early(LetterKey letter, int clock) {}

    EarlyLetters(Residents residents, OpMerger merger, Function<String, FlushPolicy> policies) {
        this.residents = residents;
        this.merger = merger;
        this.policies = policies;
    }

    /** Keeps a letter that was refused just now, if it was because others must come first. */
    void refused(LetterKey letter, Op op, Refusal refusal) {
        if (!refusal.rule().equals(OpMerger.OVERFLOW) || count == MAX) {
            return;
        }
        FlushPolicy policy = policies.apply(op.collection());
        Missing missing =
                merger.missing(document(letter.document()).doc, OpMerger.formatOf(op, policy.policy()), op.payload());
        if (missing == null || missing.isEmpty()) {
            return;
        }
        ClockRange first = missing.structs().isEmpty()
                ? missing.deletes().get(0)
                : missing.structs().get(0);
        waiting.computeIfAbsent(letter.document(), key -> new HashMap<>())
                .computeIfAbsent(first.client(), client -> new PriorityQueue<>(Comparator.comparingInt(Early::clock)))
                .add(new Early(letter, first.to()));
        count++;
    }

    /** Tries letters again as long as one of them may merge now; what is too early again comes back to {@link #refused}. */
    void free(Consumer<LetterKey> retry) {
        boolean any = true;
        while (any) {
            any = false;
            for (DocumentKey key : List.copyOf(waiting.keySet())) {
                any |= free(key, retry);
            }
        }
        waiting.clear();
        count = 0;
    }

    private boolean free(DocumentKey key, Consumer<LetterKey> retry) {
        boolean any = false;
        Map<Long, PriorityQueue<Early>> byClient = waiting.get(key);
        for (long client : List.copyOf(byClient.keySet())) {
            PriorityQueue<Early> queue = byClient.get(client);
            while (!queue.isEmpty() && queue.peek().clock() <= document(key).doc.clock(client)) {
                count--;
                any = true;
                retry.accept(queue.remove().letter());
            }
        }
        return any;
    }

    private ResidentDocument document(DocumentKey key) {
        return residents.get(key, DocumentHash.of(key.collection(), key.doc()));
    }
}
