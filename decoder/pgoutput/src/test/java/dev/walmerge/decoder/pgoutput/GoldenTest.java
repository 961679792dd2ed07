package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
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
        PgoutputDecoder decoder = new PgoutputDecoder();
        List<String> meanings = new ArrayList<>();
        for (GoldenFile.Entry entry : file.entries()) {
            decoder.decode(entry.message(), 0, entry.message().length, new EventText(meanings));
            assertThat(meanings).last().isEqualTo(entry.meaning());
        }
        assertThat(meanings).hasSameSizeAs(file.entries());
        assertThat(decoder.insideTransaction()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("files")
    void theRowsAreThoseThatWereInserted(GoldenFile file) throws Exception {
        boolean binary = file.name().endsWith("binary");
        List<GoldenWorkload.Row> rows = new ArrayList<>();
        PgoutputDecoder decoder = new PgoutputDecoder();
        for (GoldenFile.Entry entry : file.entries()) {
            decoder.decode(entry.message(), 0, entry.message().length, new RowCollector(binary, rows));
        }
        assertThat(rows).usingRecursiveFieldByFieldElementComparator().isEqualTo(GoldenWorkload.ROWS);
    }

    @ParameterizedTest
    @MethodSource("files")
    void transactionsComeWholeAndInOrder(GoldenFile file) {
        List<String> transactions = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        for (GoldenFile.Entry entry : file.entries()) {
            String[] words = entry.meaning().split(" ", 2);
            if (words[0].equals("relation") || words[0].equals("type")) {
                continue;
            }
            open.append(open.isEmpty() ? "" : " ").append(words[0]);
            if (words[0].equals("commit") || open.toString().equals("message")) {
                transactions.add(open.toString());
                open.setLength(0);
            }
        }
        List<String> expected = new ArrayList<>();
        GoldenWorkload.ROWS.forEach(row -> expected.add("begin insert commit"));
        expected.addAll(GoldenWorkload.KINDS_AFTER_ROWS);
        assertThat(transactions).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("files")
    void aMessageCutAnywhereIsATypedErrorThatChangesNothing(GoldenFile file) throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder();
        List<String> meanings = new ArrayList<>();
        EventText handler = new EventText(meanings);
        int decoded = 0;
        for (GoldenFile.Entry entry : file.entries()) {
            byte[] message = entry.message();
            for (int length = 0; length < message.length; length++) {
                byte[] cut = Arrays.copyOf(message, length);
                assertThatExceptionOfType(MalformedMessageException.class)
                        .isThrownBy(() -> decoder.decode(cut, 0, cut.length, handler))
                        .matches(e -> e.offset() >= 0 && e.offset() <= cut.length);
            }
            decoder.decode(message, 0, message.length, handler);
            assertThat(meanings).hasSize(++decoded);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void aSliceOfALargerBufferIsReadAndNothingAroundIt(GoldenFile file) throws Exception {
        PgoutputDecoder decoder = new PgoutputDecoder();
        List<String> meanings = new ArrayList<>();
        EventText handler = new EventText(meanings);
        for (GoldenFile.Entry entry : file.entries()) {
            byte[] message = entry.message();
            byte[] larger = new byte[message.length + 12];
            Arrays.fill(larger, (byte) 'n');
            System.arraycopy(message, 0, larger, 5, message.length);
            for (int extra = 1; extra <= 7; extra++) {
                int length = message.length + extra;
                assertThatExceptionOfType(MalformedMessageException.class)
                        .isThrownBy(() -> decoder.decode(larger, 5, length, handler))
                        .matches(e -> e.rule() == MalformedMessageException.Rule.TRAILING_BYTES)
                        .matches(e -> e.offset() == message.length);
            }
            assertThatExceptionOfType(MalformedMessageException.class)
                    .isThrownBy(() -> decoder.decode(larger, 5, message.length - 1, handler));
            decoder.decode(larger, 5, message.length, handler);
            assertThat(meanings).last().isEqualTo(entry.meaning());
        }
    }

    /** Reads the rows of {@code public.sample} with the types' own formats. */
    private static final class RowCollector extends IgnoringHandler {
        private final boolean binary;
        private final List<GoldenWorkload.Row> rows;

        RowCollector(boolean binary, List<GoldenWorkload.Row> rows) {
            this.binary = binary;
            this.rows = rows;
        }

        @Override
        public void onInsert(int xid, Relation relation, Tuple row) {
            if (!relation.name().equals("sample")) {
                return;
            }
            assertThat(relation.schema()).isEqualTo("public");
            for (int i = 0; i < row.count(); i++) {
                assertThat(row.kind(i)).isIn(Tuple.Kind.NULL, binary ? Tuple.Kind.BINARY : Tuple.Kind.TEXT);
            }
            byte[] id = bytes(row, relation.indexOf("id"));
            byte[] update = bytes(row, relation.indexOf("update"));
            rows.add(new GoldenWorkload.Row(
                    binary ? ByteBuffer.wrap(id).getLong() : Long.parseLong(utf8(id)),
                    utf8(bytes(row, relation.indexOf("doc"))),
                    binary || update == null ? update : fromEscapedHex(utf8(update)),
                    json(bytes(row, relation.indexOf("op"))),
                    utf8(bytes(row, relation.indexOf("mood")))));
        }

        /** jsonb's binary form is a version byte and its text. */
        private String json(byte[] value) {
            if (!binary || value == null) {
                return utf8(value);
            }
            assertThat(value[0]).isEqualTo((byte) 1);
            return utf8(Arrays.copyOfRange(value, 1, value.length));
        }

        private static byte[] bytes(Tuple row, int column) {
            return row.kind(column) == Tuple.Kind.NULL
                    ? null
                    : Arrays.copyOfRange(row.buffer(), row.offset(column), row.offset(column) + row.length(column));
        }

        private static String utf8(byte[] value) {
            return value == null ? null : new String(value, StandardCharsets.UTF_8);
        }

        private static byte[] fromEscapedHex(String value) {
            assertThat(value).startsWith("\\x");
            return HexFormat.of().parseHex(value, 2, value.length());
        }
    }
}
