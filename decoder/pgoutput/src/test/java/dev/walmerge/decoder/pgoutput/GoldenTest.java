package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bytes that real servers sent. */
final class GoldenTest {
    static Stream<GoldenFile> files() {
        return GoldenFile.all();
    }

    @ParameterizedTest
    @MethodSource("files")
    void eachMessageMeansWhatIsWrittenBesideIt(GoldenFile file) throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder(file.session().protocol());
        List<String> meanings = new ArrayList<>();
        for (GoldenFile.Entry entry : file.entries()) {
            decoder.decode(entry.message(), 0, entry.message().length, new EventText(meanings));
            assertThat(meanings).last().isEqualTo(entry.meaning());
        }
        assertThat(meanings).hasSameSizeAs(file.entries());
        assertThat(decoder.insideTransaction()).isFalse();
    }

    /** Whichever server sent it, by whichever version, as text or binary, and streamed or not. */
    @ParameterizedTest
    @MethodSource("files")
    void whatWasCommittedIsWhatWasDone(GoldenFile file) throws Exception {
        boolean streamed = file.session().version() > 1;
        assertThat(file.committed()).isEqualTo(GoldenWorkload.committed(streamed));
    }

    @ParameterizedTest
    @MethodSource("files")
    void whatIsDescribedIsWhatWasCreated(GoldenFile file) throws Exception {
        Descriptions descriptions = new Descriptions();
        PgoutputDecoder decoder = new PgoutputDecoder(file.session().protocol());
        for (GoldenFile.Entry entry : file.entries()) {
            decoder.decode(entry.message(), 0, entry.message().length, descriptions);
        }
        assertThat(descriptions.seen).isEqualTo(GoldenWorkload.DESCRIBED);
        assertThat(descriptions.origins)
                .isEqualTo(GoldenWorkload.origins(file.session().version() > 1));
    }

    /** All that the version has, so that none goes untested. */
    @ParameterizedTest
    @MethodSource("files")
    void eachKindIsThere(GoldenFile file) {
        StringBuilder kinds = new StringBuilder();
        for (MessageKind kind : MessageKind.values()) {
            if (file.entries().stream().anyMatch(entry -> entry.message()[0] == kind.tag())) {
                kinds.append((char) kind.tag());
            }
        }
        String streaming = file.session().version() >= 2 ? "SEcA" : "";
        String twoPhase = file.session().version() >= 3 ? "bPpKr" : "";
        assertThat(kinds).hasToString("BCORYIUDTM" + streaming + twoPhase);
    }

    @ParameterizedTest
    @MethodSource("files")
    void aMessageCutAnywhereIsATypedErrorThatChangesNothing(GoldenFile file) throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder(file.session().protocol());
        List<String> meanings = new ArrayList<>();
        EventText handler = new EventText(meanings);
        int decoded = 0;
        for (GoldenFile.Entry entry : file.entries()) {
            byte[] message = entry.message();
            for (int length = 0; length < message.length; length++) {
                byte[] cut = Arrays.copyOf(message, length);
                MalformedMessageException error = refusal(decoder, cut, 0, length, handler);
                // Plainly, as there are some hundred thousand.
                if (error == null || error.offset() < 0 || error.offset() > length) {
                    throw new AssertionError("cut to %d bytes: %s".formatted(length, entry.meaning()), error);
                }
            }
            decoder.decode(message, 0, message.length, handler);
            assertThat(meanings).hasSize(++decoded);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void aSliceOfALargerBufferIsReadAndNothingAroundIt(GoldenFile file) throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder(file.session().protocol());
        List<String> meanings = new ArrayList<>();
        EventText handler = new EventText(meanings);
        for (GoldenFile.Entry entry : file.entries()) {
            byte[] message = entry.message();
            byte[] larger = new byte[message.length + 12];
            Arrays.fill(larger, (byte) 'n');
            System.arraycopy(message, 0, larger, 5, message.length);
            for (int extra = 1; extra <= 7; extra++) {
                MalformedMessageException error = refusal(decoder, larger, 5, message.length + extra, handler);
                assertThat(error.rule()).isEqualTo(MalformedMessageException.Rule.TRAILING_BYTES);
                assertThat(error.offset()).isEqualTo(message.length);
            }
            assertThat(refusal(decoder, larger, 5, message.length - 1, handler)).isNotNull();
            decoder.decode(larger, 5, message.length, handler);
            assertThat(meanings).last().isEqualTo(entry.meaning());
        }
    }

    /** The error, or null. */
    private static MalformedMessageException refusal(
            PgoutputDecoder decoder, byte[] buffer, int offset, int length, ReplicationHandler handler) {
        try {
            decoder.decode(buffer, offset, length, handler);
            return null;
        } catch (MalformedMessageException e) {
            return e;
        }
    }

    private static final class Descriptions extends IgnoringHandler {
        private final Set<String> seen = new HashSet<>();
        private final List<String> origins = new ArrayList<>();
        private int moodOid;

        @Override
        public void onType(int xid, int oid, String schema, String name) {
            seen.add("type " + schema + " " + name);
            moodOid = oid;
        }

        @Override
        public void onOrigin(long commitLsn, String name) {
            origins.add(EventText.lsn(commitLsn) + " " + name);
        }

        @Override
        public void onRelation(int xid, Relation relation) {
            StringBuilder text = new StringBuilder("relation ")
                    .append(relation.schema())
                    .append(' ')
                    .append(relation.name())
                    .append(' ')
                    .append(relation.replicaIdentity());
            for (Relation.Column column : relation.columns()) {
                boolean other = column.typeOid() == moodOid;
                text.append(' ').append(column.name()).append(':');
                text.append(other ? "other" : Integer.toString(column.typeOid()));
                text.append(':').append(column.typeModifier()).append(column.key() ? ":key" : "");
            }
            seen.add(text.toString());
        }
    }
}
