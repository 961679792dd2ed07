package dev.walmerge.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.writeback.DocumentKey;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The walk over all documents, by a clock that the test turns. */
final class ReprojectionTest {
    private static final long SECOND = 1_000_000_000;
    private static final int DOCUMENTS = 1_201;

    private final TreeSet<String> stored = new TreeSet<>();
    private final List<String> written = new ArrayList<>();
    private final List<Long> done = new ArrayList<>();
    private long walBytes;
    private boolean committed = true;
    private boolean readable = true;

    private final Reprojection reprojection = new Reprojection(
            new Reprojection.Documents() {
                @Override
                public List<DocumentKey> page(DocumentKey after, int limit) {
                    return readable
                            ? (after == null ? stored : stored.tailSet(after.doc(), false))
                                    .stream()
                                            .limit(limit)
                                            .map(doc -> new DocumentKey("default", doc))
                                            .toList()
                            : null;
                }

                @Override
                public boolean isMine(DocumentKey key) {
                    return !key.doc().endsWith("7");
                }

                @Override
                public long write(DocumentKey key) {
                    if (walBytes != Reprojection.NOT_NOW) {
                        written.add(key.doc());
                    }
                    return walBytes;
                }

                @Override
                public boolean isWritten() {
                    return committed;
                }

                @Override
                public void done(Command order) {
                    done.add(order.id());
                }
            },
            2);

    ReprojectionTest() {
        for (int i = 0; i < DOCUMENTS; i++) {
            stored.add("doc-" + (10_000 + i));
        }
    }

    private static Command order(long id, String doc) {
        return new Command(id, Command.REPROJECT, "default", doc, Command.NONE, null, null);
    }

    private void run(long nowNanos) {
        for (int i = 0; i < 10_000 && reprojection.step(nowNanos); i++) {
            assertThat(i).isLessThan(9_999);
        }
    }

    @Test
    void everyDocumentOfTheShardOnceAndThenItIsDone() {
        reprojection.order(order(1, null));
        committed = false;
        run(0);
        assertThat(written).hasSize(DOCUMENTS - DOCUMENTS / 10).doesNotHaveDuplicates();
        assertThat(done).isEmpty();
        committed = true;
        run(1);
        assertThat(done).containsExactly(1L);
        assertThat(reprojection.step(2)).isFalse();
    }

    @Test
    void oneDocument() {
        reprojection.order(order(1, "doc-10003"));
        run(0);
        assertThat(written).containsExactly("doc-10003");
        assertThat(done).containsExactly(1L);
    }

    @Test
    void notFasterThanItsShareOfFourMegabytesASecond() {
        walBytes = 20_000;
        reprojection.order(order(1, null));
        long now = 10 * SECOND;
        run(now);
        // Half a second of work was saved up.
        assertThat(written.size()).isBetween(50, 52);
        for (int millis = 0; millis < 2_000; millis += 100) {
            run(now + millis * 1_000_000L);
        }
        assertThat(written.size()).isBetween(230, 252);
    }

    @Test
    void aLaterOrderBeginsAgainAndEndsBoth() {
        reprojection.order(order(1, null));
        for (int i = 0; i < 700; i++) {
            reprojection.step(0);
        }
        int before = written.size();
        reprojection.order(order(2, null));
        // Comes again through the slot.
        reprojection.order(order(1, null));
        run(0);
        assertThat(written).hasSize(before + DOCUMENTS - DOCUMENTS / 10);
        assertThat(done).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void whatCannotBeNowIsLater() {
        readable = false;
        reprojection.order(order(1, null));
        assertThat(reprojection.step(0)).isFalse();
        readable = true;
        walBytes = Reprojection.NOT_NOW;
        run(0);
        assertThat(written).isEmpty();
        walBytes = 0;
        run(0);
        assertThat(written).hasSize(DOCUMENTS - DOCUMENTS / 10);
    }

    @Test
    void theLastShardToEndSaysSo() {
        LastShard last = new LastShard(2);
        last.begins(1, 0);
        last.begins(1, 1);
        assertThat(last.ends(1, 0)).isFalse();
        // The first one has it once more.
        last.begins(1, 0);
        assertThat(last.ends(1, 1)).isFalse();
        assertThat(last.ends(1, 0)).isTrue();
    }
}
