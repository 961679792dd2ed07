package dev.walmerge.sidecar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as an outsider may send them: one answer each, with every key. */
class InspectLinesTest {
    /** Root text "t" of client 1: "hi", then "!" behind it. */
    private static final String HI = "AQEBAAQBAXQCaGkA";

    private static final String MARK = "AQEBAoQBAQEhAA==";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode answer(String line) throws IOException {
        JsonNode answer = JSON.readTree(new Inspection().inspect(line));
        List<String> keys = new ArrayList<>();
        answer.fieldNames().forEachRemaining(keys::add);
        assertThat(keys)
                .containsExactly(
                        "id", "json", "text", "delta", "xml", "tree", "sv", "stateV1", "stateV2", "pending", "error");
        return answer;
    }

    private static String line(String rest) {
        return "{\"id\":1,\"updates\":[\"" + HI + "\",\"" + MARK + "\"]" + rest + "}";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "x",
                "null",
                "[]",
                "[{\"updates\":[]}]",
                "\"updates\"",
                "{",
                "{}",
                "{\"updates\":[]} {\"updates\":[]}",
                "{\"updates\":[]}x",
                "{\"updates\":null}",
                "{\"updates\":{}}",
                "{\"updates\":\"AAA=\"}",
                "{\"updates\":[],\"format\":\"yjs\"}",
                "{\"updates\":[],\"format\":1}",
                "{\"updates\":[],\"format\":\"YJS-V1\"}",
                "{\"updates\":[],\"gc\":\"false\"}",
                "{\"updates\":[],\"gc\":0}",
                "{\"updates\":[],\"roots\":{}}",
                "{\"updates\":[],\"roots\":\"t\"}",
                "{\"updates\":[],\"roots\":[\"t\"]}",
                "{\"updates\":[],\"roots\":[{\"name\":\"t\"}]}",
                "{\"updates\":[],\"roots\":[{\"name\":1,\"type\":\"text\"}]}",
                "{\"updates\":[],\"roots\":[{\"name\":\"t\",\"type\":\"xml\"}]}",
                "{\"updates\":[],\"roots\":[{\"name\":\"t\",\"type\":null}]}",
                "{\"updates\":[],\"roots\":[{\"name\":\"t\",\"type\":\"text\"},{\"name\":\"t\",\"type\":\"map\"}]}",
                "\u0000",
                "{\"updates\":[],\"a\":NaN}",
            })
    void badLines(String line) throws IOException {
        JsonNode answer = answer(line);
        assertThat(answer.at("/error/code").textValue()).isEqualTo("bad-line");
        assertThat(answer.at("/error/message").textValue()).isNotBlank();
        assertThat(answer.at("/error/update").isNull()).isTrue();
        assertThat(answer.at("/error/offset").isNull()).isTrue();
        assertThat(answer.get("json").isObject()).isTrue();
        assertThat(answer.get("stateV1").textValue()).isEqualTo("AAA=");
        assertThat(answer.get("sv").textValue()).isEqualTo("AA==");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "null",
                "1",
                "1.50",
                "123456789012345678901234567890",
                "\"a\\u0000\\ud800b\"",
                "{\"a\":[1,null]}",
                "[]",
                "true",
                "\"\""
            })
    void anyIdComesBack(String id) throws IOException {
        for (String rest : List.of("\"updates\":[]", "\"updates\":5")) {
            assertThat(answer("{\"id\":" + id + "," + rest + "}").get("id")).isEqualTo(JSON.readTree(id));
        }
        assertThat(answer("{\"updates\":[]}").get("id").isNull()).isTrue();
    }

    @Test
    void noUpdatesAreAnEmptyDocument() throws IOException {
        JsonNode empty = answer(
                "{\"updates\":[],\"roots\":[{\"name\":\"t\",\"type\":\"text\"},"
                        + "{\"name\":\"m\",\"type\":\"map\"},{\"name\":\"\",\"type\":\"array\"},{\"name\":\"x\",\"type\":\"xmlFragment\"}]}");
        assertThat(empty.get("error").isNull()).isTrue();
        assertThat(empty.get("json").toString()).isEqualTo("{\"t\":\"\",\"m\":{},\"\":[],\"x\":\"\"}");
        assertThat(empty.get("text").toString()).isEqualTo("{\"t\":\"\"}");
        assertThat(empty.get("delta").toString()).isEqualTo("{\"t\":[]}");
        assertThat(empty.get("xml").toString()).isEqualTo("{\"x\":\"\"}");
        assertThat(empty.at("/tree/m").toString()).isEqualTo("{\"k\":\"map\",\"e\":{}}");
        assertThat(answer("{\"updates\":[],\"roots\":[]}").get("json").toString())
                .isEqualTo("{}");
    }

    @Test
    void formatRootsAndGcMayBeLeftOutOrNull() throws IOException {
        for (String rest : List.of("", ",\"format\":null,\"roots\":null,\"gc\":null", ",\"unknown\":{\"a\":[]}")) {
            JsonNode answer = answer(line(rest));
            assertThat(answer.get("error").isNull()).isTrue();
            assertThat(answer.get("text").toString()).isEqualTo("{\"t\":\"hi!\"}");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"!!!\"|not-base64|null",
                "\"AQEBAAQBAXQCaGkA=\"|not-base64|null",
                "null|not-base64|null",
                "5|not-base64|null",
                "[]|not-base64|null",
                "\"\"|truncated|0",
                "\"AQEB\"|truncated|3",
                "\"AAAA\"|trailing-bytes|2",
                "\"AQEBAAQBAXQCaP8A\"|invalid-utf8|10",
            })
    void theFirstBadUpdateIsToldAndTheOthersCount(String bad, String code, String offset) throws IOException {
        JsonNode answer = answer("{\"updates\":[\"" + HI + "\"," + bad + ",7,\"" + MARK + "\"],\"format\":\"yjs-v1\"}");
        assertThat(answer.at("/text/t").textValue()).isEqualTo("hi!");
        assertThat(answer.at("/error/code").textValue()).isEqualTo(code);
        assertThat(answer.at("/error/message").textValue()).isNotBlank();
        assertThat(answer.at("/error/update").intValue()).isEqualTo(1);
        assertThat(answer.at("/error/offset").toString()).isEqualTo(offset);
    }

    @Test
    void loneSurrogatesSurvive() {
        String line = new Inspection().inspect("{\"updates\":[],\"roots\":[{\"name\":\"\\ud83d\",\"type\":\"text\"}]}");
        assertThat(line)
                .contains("\"\\uD83D\":")
                .isEqualTo(new String(line.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
    }

    @Test
    void everyLineIsAnsweredWithOne() throws IOException {
        String in = "\n{\"updates\":[]}\r\n\n" + line("") + "\n\u00ff\u0000\n" + line("");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        InputStream bytes = new ByteArrayInputStream(in.getBytes(StandardCharsets.ISO_8859_1));
        assertThat(InspectCommand.answer(bytes, out)).isTrue();
        String[] answers = out.toString(StandardCharsets.UTF_8).split("\n", -1);
        assertThat(answers).hasSize(7);
        assertThat(JSON.readTree(answers[1]).get("error").isNull()).isTrue();
        assertThat(JSON.readTree(answers[5]).at("/text/t").textValue()).isEqualTo("hi!");
        assertThat(answers[6]).isEmpty();
    }

    @Test
    void aLineThatIsTooLongIsPassedOver() throws IOException {
        Lines lines = new Lines(
                new ByteArrayInputStream("abc\nabcd\nabcde\n\nabcdefgh\nx".getBytes(StandardCharsets.UTF_8)), 4);
        List<String> seen = new ArrayList<>();
        while (lines.next()) {
            seen.add(lines.tooLong() ? "too long" : lines.text());
        }
        assertThat(seen).containsExactly("abc", "abcd", "too long", "", "too long", "x");
        JsonNode answer = JSON.readTree(new Inspection().tooLong(4));
        assertThat(answer.at("/error/code").textValue()).isEqualTo("bad-line");
    }

    @Test
    void anUpdateOfManyMegabytesIsTaken() throws IOException {
        byte[] update = new byte[24 << 20];
        String base64 = Base64.getEncoder().encodeToString(update);
        JsonNode answer = answer("{\"updates\":[\"" + base64 + "\"]}");
        assertThat(answer.at("/error/code").textValue()).isEqualTo("trailing-bytes");
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void linesStreamThrough() throws IOException {
        byte[] line = (line("") + "\n").getBytes(StandardCharsets.UTF_8);
        long lines = Long.getLong("walmerge.lines", 50_000);
        long[] answered = {0};
        OutputStream out = new OutputStream() {
            @Override
            public void write(int b) {
                answered[0] += b == '\n' ? 1 : 0;
            }
        };
        assertThat(InspectCommand.answer(new Repeated(line, lines), out)).isTrue();
        assertThat(answered[0]).isEqualTo(lines);
    }

    @Test
    void aReaderThatHasGoneEndsIt() throws IOException {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        byte[] line = (line("") + "\n").getBytes(StandardCharsets.UTF_8);
        assertThat(InspectCommand.answer(new Repeated(line, Long.MAX_VALUE), closed))
                .isFalse();
    }

    /** The same line again and again. */
    private static final class Repeated extends InputStream {
        private final byte[] line;
        private long left;
        private int at;

        Repeated(byte[] line, long times) {
            this.line = line;
            this.left = times;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int off, int len) {
            if (left == 0) {
                return -1;
            }
            int count = Math.min(len, line.length - at);
            System.arraycopy(line, at, target, off, count);
            at += count;
            if (at == line.length) {
                at = 0;
                left--;
            }
            return count;
        }
    }
}
