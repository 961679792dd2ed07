package dev.walmerge.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.bench.trace.TraceLibrary;
import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.engine.failpoint.Failpoint;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the soak would insert, and do, without a server. */
final class PlanTest {
    private static final List<History> HISTORIES = Histories.load();

    @Test
    void aDocumentsWindowsHoldEachUpdateAndAreWhatYjsGives() throws Exception {
        for (History history : HISTORIES) {
            PlannedDocument document = new PlannedDocument("d", history, 2);
            List<PlannedOp> ops = new ArrayList<>();
            Random random = new Random(7);
            while (!document.isDone()) {
                document.addWindow(ops, new BadOps(), random);
            }
            Doc doc = Doc.create(true);
            for (PlannedOp op : ops) {
                if (!op.bad()) {
                    doc.apply(UpdateFormat.V1, op.payload(), 0, op.payload().length);
                }
            }
            assertThat(doc.hasPending()).isFalse();
            String answer =
                    history.json() ? CanonicalJson.of(Projection.bodyJson(doc)) : Projection.bodyText(doc, null);
            assertThat(TraceLibrary.sha256(answer)).as(history.name()).isEqualTo(history.answerAt(2));
            assertThat(ops).as("some come twice, some are bad").hasSizeGreaterThan(1000);
        }
    }

    @Test
    void aDocumentEndsAtTheNextAnswer() {
        PlannedDocument document = new PlannedDocument("d", HISTORIES.get(0), 9);
        document.addWindow(new ArrayList<>(), new BadOps(), new Random(1));
        document.endSoon();
        assertThat(document.targetStep()).isEqualTo(1);
        assertThat(document.updates()).hasSize(500);
    }

    @Test
    void noBadOpCanBeMergedAndNoTwoAreTheSame() {
        BadOps bad = new BadOps();
        Random random = new Random(3);
        History history = HISTORIES.get(0);
        PlannedDocument document = new PlannedDocument("d", history, 1);
        Set<String> payloads = new HashSet<>();
        for (int i = 0; i < 400; i++) {
            PlannedOp op = bad.next(document, history.updates().get(i), random);
            payloads.add(HexFormat.of().formatHex(op.payload()));
            if (op.format() == null || op.format().equals("yjs-v1")) {
                assertThat(merges(op.payload())).isFalse();
            }
        }
        assertThat(payloads).hasSize(400);
    }

    private static boolean merges(byte[] payload) {
        try {
            Doc.create(true).apply(UpdateFormat.V1, payload, 0, payload.length);
            return true;
        } catch (MalformedUpdateException e) {
            return false;
        }
    }

    @Test
    void whereItWasNotKilledYetIsDealtAndNothingElseUntilItWas() {
        Deck deck = new Deck(new Random(5));
        Set<Failpoint> dealt = EnumSet.noneOf(Failpoint.class);
        Set<Failpoint> missed = EnumSet.of(Failpoint.AFTER_TRIM, Failpoint.INSIDE_BACKFILL);
        for (int i = 0; i < Failpoint.values().length; i++) {
            Deck.Card card = deck.next();
            assertThat(card.kills()).isTrue();
            dealt.add(card.at());
            if (!missed.contains(card.at())) {
                deck.killed(card);
            }
        }
        assertThat(dealt).containsExactlyInAnyOrder(Failpoint.values());
        for (int i = 0; i < 3; i++) {
            Failpoint one = deck.next().at();
            Failpoint other = deck.next().at();
            assertThat(EnumSet.of(one, other)).isEqualTo(missed);
        }
    }

    @Test
    void afterThatEveryFailpointIsDealtBeforeAnyComesAgainAndOneThatWasMissedComesSoon() {
        Deck deck = new Deck(new Random(5));
        for (int i = 0; i < Failpoint.values().length; i++) {
            deck.killed(deck.next());
        }
        Set<String> actions = new HashSet<>();
        for (int pass = 0; pass < 5; pass++) {
            Set<Failpoint> dealt = EnumSet.noneOf(Failpoint.class);
            for (int i = 0; i < Failpoint.values().length; i++) {
                Deck.Card card = deck.next();
                dealt.add(card.at());
                actions.add(card.action());
            }
            assertThat(dealt).containsExactlyInAnyOrder(Failpoint.values());
        }
        assertThat(actions).contains("kill", "stop", "throw");

        Deck.Card missed = deck.next();
        deck.putBack(missed);
        assertThat(List.of(
                        deck.next().at(),
                        deck.next().at(),
                        deck.next().at(),
                        deck.next().at()))
                .contains(missed.at());
    }

    @Test
    void theSameSeedDealsTheSame() {
        Deck one = new Deck(new Random(11));
        Deck other = new Deck(new Random(11));
        for (int i = 0; i < 50; i++) {
            assertThat(one.next()).isEqualTo(other.next());
        }
    }

    @Test
    void jsonIsComparedWithoutTheOrderOfKeys() throws Exception {
        assertThat(CanonicalJson.of("{\"b\": [1, {}, []], \"a\": {\"d\": null, \"c\": \"é\"}}"))
                .isEqualTo("{\"a\":{\"c\":\"é\",\"d\":null},\"b\":[1,{},[]]}");
    }
}
