package dev.walmerge.bench.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TraceLibraryTest {
    @Test
    void readsEveryHistoryOfTheManifest() {
        TraceLibrary library = TraceLibrary.open();
        assertThat(library.traces())
                .extracting(Trace::name)
                .containsExactly("friendsforever", "clownschool", "sveltecomponent", "rustcode");
        assertThat(library.traces())
                .extracting(trace -> trace.updates().size())
                .containsExactly(26_078, 23_136, 18_335, 36_981);
        assertThat(library.todoHex()).matches("([0-9a-f]{2})+");
    }

    @Test
    void hashesTextAsUtf8() {
        assertThat(TraceLibrary.sha256("å")).hasSize(64).startsWith("e83979df");
    }
}
