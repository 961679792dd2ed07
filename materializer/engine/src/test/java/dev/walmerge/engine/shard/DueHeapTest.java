package dev.walmerge.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.Doc;
import dev.walmerge.engine.writeback.DocumentKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DueHeapTest {
    @Test
    void behavesLikeASortedList() {
        Random random = new Random(7);
        DueHeap heap = new DueHeap();
        List<ResidentDocument> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(new ResidentDocument(new DocumentKey("default", "d" + i), i, Doc.create(true)));
        }
        List<ResidentDocument> model = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            ResidentDocument document = all.get(random.nextInt(all.size()));
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    heap.put(document, random.nextInt(1000));
                    if (!model.contains(document)) {
                        model.add(document);
                    }
                }
                case 2 -> {
                    heap.remove(document);
                    model.remove(document);
                }
                default -> {
                    if (!model.isEmpty()) {
                        ResidentDocument taken = heap.take();
                        assertThat(model.remove(taken)).isTrue();
                        assertThat(model).allMatch(other -> other.dueNanos >= taken.dueNanos);
                    }
                }
            }
            long first = model.stream()
                    .min(Comparator.comparingLong(d -> d.dueNanos))
                    .map(d -> d.dueNanos)
                    .orElse(DueHeap.NEVER);
            assertThat(heap.nextDueNanos()).isEqualTo(first);
        }
    }
}
