package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** The small parts everything stands on, against the JDK or a plain model. */
class BuildingBlocksPropertyTest {
    @Property
    void mapIsAMap(@ForAll @Size(max = 300) List<@IntRange(min = -40, max = 40) Integer> steps) {
        LongIntMap map = new LongIntMap();
        Map<Long, Integer> model = new HashMap<>();
        for (int i = 0; i < steps.size(); i++) {
            long key = steps.get(i) * 0x100000001L;
            if (i % 3 == 2) {
                map.remove(key);
                model.remove(key);
            } else {
                map.put(key, i);
                model.put(key, i);
            }
            assertThat(map.size()).isEqualTo(model.size());
        }
        for (int i = -40; i <= 40; i++) {
            long key = i * 0x100000001L;
            assertThat(map.get(key)).isEqualTo(model.getOrDefault(key, LongIntMap.NONE));
        }
    }

    @Property
    void rangesAreSortedAndJoined(@ForAll @Size(max = 100) List<@IntRange(max = 9999) Integer> numbers) {
        ClockRanges ranges = new ClockRanges();
        TreeMap<Long, BitSet> model = new TreeMap<>();
        for (int number : numbers) {
            long client = number % 3;
            int clock = number / 10 % 100;
            int length = 1 + number % 7;
            ranges.add(client, clock, length);
            model.computeIfAbsent(client, c -> new BitSet()).set(clock, clock + length);
        }
        ranges.sortAndMerge();
        int i = 0;
        for (Map.Entry<Long, BitSet> entry : model.descendingMap().entrySet()) {
            BitSet bits = entry.getValue();
            for (int from = bits.nextSetBit(0); from >= 0; from = bits.nextSetBit(bits.nextClearBit(from))) {
                assertThat(ranges.client[i]).isEqualTo(entry.getKey());
                assertThat(ranges.clock[i]).isEqualTo(from);
                assertThat(ranges.end(i)).isEqualTo(bits.nextClearBit(from));
                i++;
            }
        }
        assertThat(ranges.size).isEqualTo(i);
    }

    @Property(tries = 3000)
    void decodesUtf8AsTheJdkDoes(@ForAll @Size(max = 12) byte[] bytes) {
        char[] chars = new char[bytes.length];
        int length = Utf8.decode(bytes, 0, bytes.length, chars, 0);
        try {
            CharBuffer expected = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            assertThat(new String(chars, 0, Math.max(0, length))).isEqualTo(expected.toString());
            assertThat(Utf8.firstFault(bytes, 0, bytes.length)).isEqualTo(-1);
        } catch (CharacterCodingException e) {
            assertThat(length).isNegative();
            assertThat(Utf8.firstFault(bytes, 0, bytes.length)).isEqualTo(~length);
        }
    }

    @Property
    void encodesUtf8WithReplacements(@ForAll String text) {
        String noNul = text.replace('\0', '0');
        ByteWriter out = new ByteWriter();
        out.string(noNul);
        ByteWriter expected = new ByteWriter();
        byte[] bytes = ValueText.storable(noNul).getBytes(StandardCharsets.UTF_8);
        expected.varUint(bytes.length);
        expected.raw(bytes, 0, bytes.length);
        assertThat(out.toBytes()).isEqualTo(expected.toBytes());
    }

    @Property
    void numbersComeBack(@ForAll @LongRange(min = 0, max = Limits.CLIENT_LAST) long value, @ForAll boolean negative)
            throws MalformedUpdateException {
        ByteWriter out = new ByteWriter();
        out.varUint(value);
        out.varInt(value, negative);
        ByteReader in = new ByteReader().reset(out.array(), 0, 0, out.size());
        assertThat(in.varUint()).isEqualTo(value);
        assertThat(in.varInt()).isEqualTo(negative ? -value : value);
        assertThat(in.wasNegative()).isEqualTo(negative);
        assertThat(in.atEnd()).isTrue();
    }

    @Property
    void columnsComeBack(@ForAll @Size(min = 1, max = 60) List<@IntRange(max = 3) Integer> values)
            throws MalformedUpdateException {
        RunWriter runs = new RunWriter();
        DiffRunWriter steps = new DiffRunWriter();
        ByteRunWriter bytes = new ByteRunWriter();
        for (int value : values) {
            runs.write(value);
            steps.write(value * 1000);
            bytes.write(value);
        }
        ByteWriter out = new ByteWriter();
        out.block(runs.finish());
        out.block(steps.finish());
        out.block(bytes.bytes());
        ByteReader in = new ByteReader().reset(out.array(), 0, 0, out.size());
        RunReader readRuns = new RunReader();
        DiffRunReader readSteps = new DiffRunReader();
        ByteRunReader readBytes = new ByteRunReader();
        readRuns.start(in);
        readSteps.start(in);
        readBytes.start(in);
        for (int value : values) {
            assertThat(readRuns.next()).isEqualTo(value);
            assertThat(readSteps.next()).isEqualTo(value * 1000);
            assertThat(readBytes.next()).isEqualTo(value);
        }
        readRuns.finish();
        readSteps.finish();
        readBytes.finish();
        assertThat(in.atEnd()).isTrue();
    }

    @Property
    void doublesPrintAndReadBack(@ForAll double value) throws Exception {
        assertThat(Double.parseDouble(JsNumber.format(value))).isEqualTo(value == 0 ? 0.0 : value);
        ByteWriter out = new ByteWriter();
        AnyValue.writeNumber(out, value);
        assertThat(AnyValue.numeric(out.array(), 0)).isEqualTo(value);
        assertThat(AnyValue.end(out.array(), 0)).isEqualTo(out.size());
    }

    @Property
    void jsonIsReadAndWritten(
            @ForAll @Size(max = 5) Map<String, @Size(max = 4) List<Integer>> object, @ForAll double number)
            throws Exception {
        Map<String, Object> value = new HashMap<>(object);
        value.put("n", number);
        value.put("deep", List.of(Map.of("x", true), List.of(), Map.of(), "\"\\\u0001\n\u2028"));
        JsonNode expected = Vectors.JSON.valueToTree(value);
        ByteWriter out = new ByteWriter();
        assertThat(JsonParser.parse(Vectors.JSON.writeValueAsString(value), out))
                .isTrue();
        ByteReader in = new ByteReader().reset(out.array(), 0, 0, out.size());
        AnyValue.validate(in);
        assertThat(in.atEnd()).isTrue();
        JsonNode actual = Vectors.JSON.readTree(ValueText.jsonText(out.array(), 0));
        assertThat(actual.get("n").doubleValue()).isEqualTo(number == 0 ? 0.0 : number);
        assertThat(actual.get("deep")).isEqualTo(expected.get("deep"));
        assertThat(actual.size()).isEqualTo(expected.size());
    }

    @Property(tries = 3000)
    void jsonNeverSurprises(@ForAll @Size(max = 12) List<@IntRange(max = 15) Integer> picks) {
        StringBuilder text = new StringBuilder();
        for (int pick : picks) {
            text.append("[]{}\",:0-1.e\\tu ".charAt(pick));
        }
        boolean taken = JsonParser.parse(text.toString(), new ByteWriter());
        boolean valid;
        try (com.fasterxml.jackson.core.JsonParser parser =
                Vectors.JSON.getFactory().createParser(text.toString())) {
            valid = parser.nextToken() != null;
            parser.skipChildren();
            valid &= parser.nextToken() == null;
        } catch (IOException e) {
            valid = false;
        }
        assertThat(taken).as(text.toString()).isEqualTo(valid);
    }
}
