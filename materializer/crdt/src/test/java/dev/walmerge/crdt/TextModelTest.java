package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** A text that is edited at random against a plain string: Latin-1, what makes it wide, NUL, and cuts through pairs. */
class TextModelTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_204L);
    private static final String[] PLAIN = {"a", "hello world", "the quick brown fox jumps", "\n"};
    private static final String[] LATIN = {"é", "caf\u00e9", "\0", "ÿ\0a"};
    private static final String[] WIDE = {"漢字", "😀", "a😀b😀", "Ā", "\uffff", "𝒳𝒴"};

    @RepeatedTest(150)
    void isAString(RepetitionInfo run) throws Exception {
        Random random = new Random(SEED + run.getCurrentRepetition());
        Doc doc = Doc.create(random.nextBoolean());
        Doc replica = Doc.create(true);
        StringBuilder model = new StringBuilder();
        for (int step = 0; step < 40; step++) {
            SharedText text = doc.edit(7 + random.nextInt(2)).text("t");
            if (model.length() > 0 && random.nextInt(3) == 0) {
                int from = random.nextInt(model.length());
                int count = 1 + random.nextInt(Math.min(6, model.length() - from));
                text.delete(from, count);
                cut(model, from);
                cut(model, from + count);
                model.delete(from, from + count);
            } else {
                int at = random.nextInt(4) == 0 ? random.nextInt(model.length() + 1) : model.length();
                String piece = piece(random, step);
                text.insert(at, piece);
                cut(model, at);
                model.insert(at, piece);
            }
            assertThat(text.toString())
                    .as("seed %d, step %d", SEED + run.getCurrentRepetition(), step)
                    .isEqualTo(model.toString());
            UpdateFormat format = step % 2 == 0 ? UpdateFormat.V1 : UpdateFormat.V2;
            byte[] update = doc.drainChanges(format);
            Vectors.apply(replica, format, update);
            if (random.nextInt(5) == 0) {
                assertThat(doc.rest()).isTrue();
            }
        }
        check(doc, model.toString());
        check(replica, model.toString());
    }

    private static String piece(Random random, int step) {
        String[] pieces = step < 10 ? PLAIN : step < 20 ? LATIN : WIDE;
        return pieces[random.nextInt(pieces.length)];
    }

    /** Both halves of a pair that is cut are given up. */
    private static void cut(StringBuilder model, int at) {
        if (at > 0 && at < model.length() && Character.isSurrogatePair(model.charAt(at - 1), model.charAt(at))) {
            model.setCharAt(at - 1, Utf8.REPLACEMENT);
            model.setCharAt(at, Utf8.REPLACEMENT);
        }
    }

    private static void check(Doc doc, String expected) throws Exception {
        assertThat(Projection.text(doc, "t")).isEqualTo(expected);
        assertThat(Projection.bodyText(doc, null)).isEqualTo(expected.replace('\0', Utf8.REPLACEMENT));
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] state = doc.encodeState(format);
            Doc again = Doc.create(true);
            Vectors.apply(again, format, state);
            assertThat(Projection.text(again, "t")).isEqualTo(expected);
            assertThat(again.encodeStateSince(format, new byte[] {0})).isEqualTo(again.encodeState(format));
            again.discardChanges();
            assertThat(again.rest()).isTrue();
            assertThat(Projection.text(again, "t")).isEqualTo(expected);
        }
    }
}
