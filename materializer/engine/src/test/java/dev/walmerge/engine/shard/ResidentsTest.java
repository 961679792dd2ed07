package dev.walmerge.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.Projection;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.ParkedUpdate;
import dev.walmerge.engine.writeback.StoredDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What goes when memory runs out, and in which order. */
final class ResidentsTest {
    private static final byte[] HELLO = HexFormat.of().parseHex("010101000401017405" + "68656c6c6f" + "00");
    private static final byte[] YOU = HexFormat.of().parseHex("010101058401040420796f7500");

    /** Text of a client that is unknown behind a unit that is not there. */
    private static final byte[] EARLY = HexFormat.of().parseHex("01010201840109017800");

    private static final int DOCUMENTS = 10;

    private final OpMerger merger = new OpMerger(EngineSettings.defaults(Path.of("unused")), new Core());
    private final DueHeap timers = new DueHeap();
    private final List<String> loaded = new ArrayList<>();
    private List<ParkedUpdate> parked = List.of();

    private final List<ResidentDocument> documents = new ArrayList<>();

    private Residents residents(long maxBytes) {
        return new Residents(this::load, merger, maxBytes, timers);
    }

    private StoredDocument load(DocumentKey key) {
        loaded.add(key.doc());
        return new StoredDocument("yjs-v1", HELLO, List.of(), 0, parked, 0x10, 1, "hello", true, false, null, null);
    }

    private ResidentDocument get(Residents residents, int document) {
        return residents.get(new DocumentKey("default", "doc-" + document), document);
    }

    private void getAll(Residents residents) {
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(get(residents, i));
        }
    }

    private int evicted() {
        return (int) documents.stream().filter(document -> document.evicted).count();
    }

    /** What one of the documents counts as while it is open. */
    private static long bytesOpen() {
        ResidentsTest other = new ResidentsTest();
        return other.get(other.residents(1), 0).residentBytes;
    }

    private static long bytesResting() {
        ResidentsTest other = new ResidentsTest();
        Residents one = other.residents(bytesOpen() - 1);
        ResidentDocument document = other.get(one, 0);
        one.relieve();
        return document.residentBytes;
    }

    @Test
    void theColdestRestBeforeAnyIsEvicted() {
        assertThat(bytesResting()).isLessThan(bytesOpen() / 2);
        Residents residents = residents(4 * bytesOpen() + 6 * bytesResting());
        getAll(residents);
        residents.relieve();
        assertThat(residents.count()).isEqualTo(DOCUMENTS);
        assertThat(residents.excessBytes()).isZero();
        for (int i = 0; i < DOCUMENTS; i++) {
            assertThat(documents.get(i).residentBytes)
                    .as("document %d", i)
                    .isEqualTo(i < 6 ? bytesResting() : bytesOpen());
            assertThat(residents.isClean(documents.get(i))).isTrue();
        }
    }

    @Test
    void oneThatRestsAnswersWithoutBeingLoaded() {
        Residents residents = residents(DOCUMENTS * bytesResting() + 1);
        getAll(residents);
        residents.relieve();
        ResidentDocument first = get(residents, 0);
        assertThat(merger.merge(first, new Op("default", "doc-0", null, YOU, null, "app", 1), "yjs-v1"))
                .isNull();
        residents.resized(first);
        assertThat(Projection.bodyText(first.doc, null)).isEqualTo("hello you");
        assertThat(residents.excessBytes()).as("it is open again").isPositive();
        assertThat(first.residentBytes).isGreaterThanOrEqualTo(bytesOpen());
        residents.relieve();
        assertThat(first.evicted)
                .as("what it says is not drained, so it doesn't rest")
                .isFalse();
        assertThat(evicted()).as("the others make room").isPositive();
        assertThat(loaded).hasSize(DOCUMENTS);
    }

    @Test
    void whatWasAskedForLastIsEvictedLast() {
        Residents residents = residents(2 * bytesResting());
        getAll(residents);
        residents.relieve();
        assertThat(evicted()).isEqualTo(DOCUMENTS - 2);
        ResidentDocument warm = get(residents, DOCUMENTS - 2);
        ResidentDocument again = get(residents, 0);
        assertThat(loaded).as("the evicted one is loaded").hasSize(DOCUMENTS + 1);
        residents.relieve();
        assertThat(documents.get(DOCUMENTS - 1).evicted).isTrue();
        assertThat(warm.evicted || again.evicted).isFalse();
        assertThat(residents.bytes()).isEqualTo(2 * bytesResting());
    }

    @Test
    void oneThatCannotRestIsEvictedInItsTurn() {
        parked = List.of(new ParkedUpdate(0, "yjs-v1", EARLY, 1, 0x10));
        Residents residents = residents(1);
        ResidentDocument waiting = get(residents, 0);
        assertThat(waiting.doc.hasPending()).isTrue();
        residents.relieve();
        assertThat(waiting.evicted).isTrue();
        assertThat(residents.bytes()).isZero();
        assertThat(residents.count()).isZero();
    }

    @Test
    void oneThatBecomesDirtyWhileItRestsStays() {
        Residents residents = residents(1 + bytesResting());
        ResidentDocument document = get(residents, 0);
        residents.relieve();
        assertThat(document.residentBytes).isEqualTo(bytesResting());
        residents.removeClean(document);
        getAll(residents);
        residents.relieve();
        assertThat(document.evicted).isFalse();
        assertThat(residents.isClean(document)).isFalse();
        assertThat(residents.bytes()).isEqualTo(document.residentBytes);
    }
}
