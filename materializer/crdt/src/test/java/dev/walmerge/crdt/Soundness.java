package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;

/** What must hold of a document and of the operations on updates, whatever bytes they were given. */
final class Soundness {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Soundness() {}

    /** A call that may refuse what it is given. */
    interface Call<T> {
        T run() throws MalformedUpdateException;
    }

    /** The result, or null when the input was refused, which must not have cost much. */
    static <T> T resultOrNull(byte[] input, long others, Call<T> call) {
        long allowed = 64L * (input.length + others) + (1 << 20);
        for (int attempt = 0; ; attempt++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            try {
                return call.run();
            } catch (MalformedUpdateException e) {
                long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
                assertThat(e.rule()).matches("[a-z0-9-]+");
                assertThat(e.offset()).isBetween(0, input.length);
                // Loading a class counts too, the first time.
                if (attempt > 0 || allocated < allowed) {
                    assertThat(allocated).as("bytes allocated").isLessThan(allowed);
                    return null;
                }
            }
        }
    }

    /** Applies an update and checks the document; the flags of {@link Doc#apply}, or -1 when it was refused. */
    static int apply(boolean gc, Doc doc, UpdateFormat format, byte[] update)
            throws IOException, MalformedUpdateException {
        String before = picture(doc);
        Integer flags = resultOrNull(update, 0, () -> Vectors.apply(doc, format, update));
        if (flags == null) {
            assertThat(picture(doc)).as("after an error").isEqualTo(before);
            return -1;
        }
        if ((flags & (Doc.PARKED | Doc.CONFLICT)) == 0) {
            assertThat(doc.contains(format, update, 0, update.length)).isTrue();
        }
        check(gc, doc);
        String after = picture(doc);
        assertThat(Vectors.apply(doc, format, update) & Doc.CHANGED).as("twice").isZero();
        assertThat(picture(doc)).as("after the same again").isEqualTo(after);
        return flags;
    }

    /** All that can be seen of a document. */
    private static String picture(Doc doc) {
        return Arrays.toString(doc.encodeStateWithPending(UpdateFormat.V1))
                + Arrays.toString(doc.encodeState(UpdateFormat.V2))
                + Arrays.toString(doc.stateVector())
                + doc.pending()
                + doc.roots()
                + Projection.bodyJson(doc)
                + Projection.bodyText(doc, null);
    }

    /** What was accepted must be whole: readable, writable, and equal after a round trip. */
    static void check(boolean gc, Doc doc) throws IOException, MalformedUpdateException {
        views(doc);
        boolean straight = Straightness.of(doc.store());
        Doc first = null;
        for (UpdateFormat format : UpdateFormat.values()) {
            Doc read = Doc.create(gc);
            Vectors.apply(read, format, doc.encodeState(format));
            assertThat(read.hasPending()).isFalse();
            assertThat(read.stateVector()).isEqualTo(doc.stateVector());
            if (first != null) {
                assertThat(read.sameContent(first)).as("both formats").isTrue();
            }
            first = read;
            Vectors.apply(Doc.create(true), format, doc.encodeStateWithPending(format));
            Snapshot snapshot = doc.snapshot();
            assertThat(Snapshot.decode(format, snapshot.encode(format))).isEqualTo(snapshot);
        }
        if (straight) {
            assertThat(first.sameContent(doc)).as("loaded again").isTrue();
            String before = Projection.bodyText(first, null);
            first.discardChanges();
            if (first.rest()) {
                assertThat(Projection.bodyText(first, null)).isEqualTo(before);
                assertThat(first.sameContent(doc)).as("rested").isTrue();
            }
        }
    }

    private static void views(Doc doc) throws IOException {
        for (BodyProjection projection : BodyProjection.values()) {
            String text = Projection.bodyText(doc, projection, null);
            assertThat(ValueText.storable(text)).isEqualTo(text);
            Vectors.JSON.readTree(Projection.bodyJson(doc, projection, null));
            Projection.blocks(doc, projection, null);
        }
        Vectors.JSON.readTree(Projection.bodyJson(doc));
        Projection.isPureText(doc);
        for (Root root : doc.roots()) {
            for (RootType type : RootType.values()) {
                Vectors.JSON.readTree(Projection.tree(doc, root.name(), type));
                Vectors.JSON.readTree(Projection.json(doc, root.name(), type));
            }
            Vectors.JSON.readTree(Projection.delta(doc, root.name()));
            Projection.xml(doc, root.name());
            int length = Projection.text(doc, root.name()).length();
            for (int assoc = -1; assoc < 1; assoc++) {
                RelativePosition.of(doc, root.name(), length / 2, assoc).in(doc);
            }
        }
    }

    /** Operations without a document take what a document takes, and make of it what that makes. */
    static void operations(UpdateFormat format, byte[] input) throws MalformedUpdateException {
        Doc direct = Doc.create(true);
        Integer flags = resultOrNull(input, 0, () -> Vectors.apply(direct, format, input));
        UpdateFormat other = format == UpdateFormat.V1 ? UpdateFormat.V2 : UpdateFormat.V1;
        byte[] nothing = {0};
        byte[] merged = resultOrNull(input, 0, () -> Updates.merge(format, List.of(input, input)));
        byte[] diff = resultOrNull(input, 0, () -> Updates.diff(format, input, nothing));
        byte[] same = resultOrNull(input, 0, () -> Updates.convert(input, format, format));
        byte[] converted = resultOrNull(input, 0, () -> Updates.convert(input, format, other));
        byte[] vector = resultOrNull(input, 0, () -> StateVectors.fromUpdate(format, input, 0, input.length));
        Missing missing = resultOrNull(input, 0, () -> Updates.missing(format, input, nothing));
        for (Object result : new Object[] {merged, diff, same, vector, missing}) {
            assertThat(result == null).as("refused alike").isEqualTo(flags == null);
        }
        if (flags == null) {
            assertThat(converted).isNull();
            return;
        }
        assertThat(missing.isEmpty()).as("nothing missing").isEqualTo((flags & Doc.PARKED) == 0);
        StateVectors.decode(vector);
        // With one client twice, two blocks may give one id to different content; then order decides.
        boolean ordered = Updates.check(new StructCursor(1 << 20), format, input, new ClockRanges());
        for (byte[] result : new byte[][] {merged, diff, same}) {
            Doc again = Doc.create(true);
            Vectors.apply(again, format, result);
            assertThat(!ordered || again.sameContent(direct))
                    .as("same document")
                    .isTrue();
        }
        if (converted != null) {
            Doc again = Doc.create(true);
            Vectors.apply(again, other, converted);
            assertThat(again.stateVector()).isEqualTo(direct.stateVector());
            if (other == UpdateFormat.V2 && ordered) {
                assertThat(again.sameContent(direct)).isTrue();
            }
        }
    }
}
