package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** A row of units against a plain string, over all that makes a row wide and all that doesn't. */
class UnitsPropertyTest {
    private static final String[] PIECES = {
        "",
        "a",
        "plain ASCII that is longer than eight",
        "\0",
        "é",
        "ÿ",
        "Ā",
        "漢字",
        "😀",
        "\ud83d",
        "\ude00",
        "\uffff",
        "caf\u00e9 12345678"
    };

    /** Which of the pieces, and what is done with it. */
    record Step(String text, int action, int place) {}

    @Provide
    Arbitrary<List<Step>> steps() {
        return Arbitraries.integers()
                .between(0, 1 << 24)
                .map(n -> new Step(PIECES[n % PIECES.length], n / 16 % 5, n / 128))
                .list()
                .ofMaxSize(30);
    }

    @Property(tries = 2000)
    void isAString(@ForAll("steps") List<Step> steps, @ForAll @Size(max = 3) List<Boolean> restarts) {
        Units units = new Units();
        StringBuilder model = new StringBuilder();
        for (boolean restart : restarts) {
            if (restart) {
                units.restart();
            } else {
                units.clear();
            }
            model.setLength(0);
            for (Step step : steps) {
                take(step, units, model);
                same(units, model);
            }
        }
        units.trim();
        same(units, model);
    }

    private static void take(Step step, Units units, StringBuilder model) {
        String text = step.text;
        switch (step.action) {
            case 0 -> {
                units.add(text);
                model.append(text);
            }
            case 1 -> {
                byte[] utf8 = ("x" + text + "y").getBytes(StandardCharsets.UTF_8);
                String sound = new String(utf8, 1, utf8.length - 2, StandardCharsets.UTF_8);
                assertThat(units.addUtf8(utf8, 1, utf8.length - 1)).isEqualTo(sound.length());
                model.append(sound);
            }
            case 2 -> {
                Units other = new Units();
                other.add("漢" + text);
                int from = step.place % 2;
                units.add(other, from, text.length() + 1 - from);
                model.append("漢", 0, 1 - from).append(text);
            }
            case 3 -> {
                if (model.length() > 0) {
                    char unit = text.isEmpty() ? 'z' : text.charAt(0);
                    units.set(step.place % model.length(), unit);
                    model.setCharAt(step.place % model.length(), unit);
                }
            }
            default -> {
                int from = step.place % (model.length() + 1);
                int to = step.place / 3 % (model.length() + 1);
                int count = model.length() - Math.max(from, to);
                units.move(from, to, count);
                model.replace(to, to + count, model.substring(from, from + count));
            }
        }
    }

    private static void same(Units units, StringBuilder model) {
        String expected = model.toString();
        assertThat(units.count).isEqualTo(expected.length());
        assertThat(units.string(0, units.count)).isEqualTo(expected);
        StringBuilder appended = new StringBuilder("_");
        int half = units.count / 2;
        units.appendTo(appended, half, units.count - half);
        assertThat(appended.substring(1)).isEqualTo(expected.substring(half));
        for (int i = 0; i < units.count; i++) {
            assertThat(units.at(i)).isEqualTo(expected.charAt(i));
        }
        assertThat(units.isWide() || expected.chars().allMatch(unit -> unit <= 0xff))
                .isTrue();
        byte[] utf8 = wellFormed(expected.substring(half)).getBytes(StandardCharsets.UTF_8);
        int count = units.utf8Bytes(half, units.count);
        byte[] bytes = new byte[count + 1];
        units.toUtf8(half, units.count, bytes, 1, count);
        assertThat(count).isEqualTo(utf8.length);
        assertThat(new String(bytes, 1, count, StandardCharsets.UTF_8))
                .isEqualTo(new String(utf8, StandardCharsets.UTF_8));
    }

    private static String wellFormed(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints()
                .map(point -> point >= 0xd800 && point <= 0xdfff ? Utf8.REPLACEMENT : point)
                .forEach(out::appendCodePoint);
        return out.toString();
    }

    @Property(tries = 3000)
    void findsTheSameFaultWhateverIsInIt(@ForAll @Size(max = 12) byte[] bytes, @ForAll boolean wide) {
        Units units = new Units();
        units.add(wide ? "漢" : "é");
        int added = units.addUtf8(bytes, 0, bytes.length);
        int fault = Utf8.firstFault(bytes, 0, bytes.length);
        if (fault >= 0) {
            assertThat(added).isEqualTo(~fault);
        } else {
            assertThat(units.string(1, added)).isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        }
    }
}
