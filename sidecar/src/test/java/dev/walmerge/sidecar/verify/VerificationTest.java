package dev.walmerge.sidecar.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.DocumentHash;
import dev.walmerge.sidecar.Sidecar;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.replication.Endpoint;
import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A proof that can fail: whatever is taken away or changed behind the sidecar's back is found, and nothing else. */
final class VerificationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final String slot = "verify_" + database.name();
    private Sidecar sidecar;

    @BeforeEach
    void start() throws Exception {
        sidecar = Sidecar.start(ConfigLoader.load(
                Map.of(
                        Setting.URL, database.url(),
                        Setting.SLOT, slot,
                        Setting.STATE_DIRECTORY, folder.toString()),
                Map.of(),
                null));
        // Text in two pieces, a map, one that waits for another, one that is malformed, one that is none, and two
        // frames.
        database.execute("insert into crdt.ops (doc, update, format) values"
                + " ('text', '\\x01010100040101740568656c6c6f00', null), ('text', '\\x010101058401040420796f7500', null),"
                + " ('map', '\\x0101010028010161016b0177017600', null), ('early', '\\x010101058401040420796f7500', null),"
                + " ('bad', '\\x0b', null), ('framed',"
                + " '\\x0f01010100040101740568656c6c6f000d010101058401040420796f7500', 'yjs-framed')");
        database.execute("insert into crdt.ops (doc, op) values ('json', '{\"at\": 0, \"insert\": \"x\"}')");
    }

    @AfterEach
    void stop() throws SQLException {
        sidecar.close();
        SlotFixture.drop(database, slot);
    }

    private Report verify() throws SQLException {
        return Verification.run(Endpoint.of(database.url()), slot, PATIENCE);
    }

    @Test
    void everyOpIsAccountedFor() throws Exception {
        Report report = verify();
        assertThat(report).isEqualTo(new Report(6, 7, 5, 2, 0, List.of(), 0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "update crdt.docs set body_text = 'hello yoo' where doc = 'text' | the text shown is not what is stored",
                "update crdt.docs set body_json = '{}' where doc = 'map' | the JSON shown is not what is stored",
                "insert into crdt.blocks values ('text', 'x', 1, 'x', 'x', 'x')"
                        + " | the blocks shown are not what is stored",
                "update crdt.docs set complete = false where doc = 'map'"
                        + " | the row says the opposite of whether the document is complete",
                "delete from crdt.docs where doc = 'map' | there is no row of docs",
                "update crdt.docs set op_count = 1 where doc = 'text' | the row counts 1 ops, what is stored 2",
                "delete from crdt.parked | row 4 is neither in its document nor a dead letter",
                "delete from crdt.dead_letter where doc = 'bad' | row 5 is neither in its document nor a dead letter",
                "delete from crdt.ydoc where doc = 'map' | row 3 is neither in its document nor a dead letter",
                "update crdt.ydoc set state = '\\x0101' where doc = 'framed' | what is stored can't be decoded: truncated",
                "update crdt.ydoc set state = '\\x01010100040101740568656c6c6f00' where doc = 'framed'"
                        + " | the text shown is not what is stored",
            })
    void whatWasTakenAwayIsFound(String harm, String fault) throws Exception {
        assertThat(verify().faults()).isEmpty();
        database.execute(harm);
        Report report = verify();
        assertThat(report.faultCount()).isPositive();
        assertThat(report.faults()).anyMatch(found -> found.endsWith(fault));
    }

    /** As long as the patience: the answer must not wait for it. */
    @Test
    void aSlotThatNobodyWritesByHasNoAnswer() throws Exception {
        assertThat(Verification.run(Endpoint.of(database.url()), "another", Duration.ofDays(1)))
                .isNull();
    }

    @Test
    void aHashLeadsToItsDocument() throws Exception {
        verify();
        List<String> found = new ArrayList<>();
        for (String doc : List.of("text", "bad")) {
            HashSearch.find(
                    Endpoint.of(database.url()), DocumentHash.print(DocumentHash.of("default", doc)), found::add);
        }
        assertThat(found).containsExactly("text", "bad");
        assertThat(HashSearch.find(Endpoint.of(database.url()), "00000000", found::add))
                .isZero();
    }

    @Test
    void withoutASidecarThereIsNoAnswer() throws Exception {
        sidecar.close();
        assertThat(Verification.run(Endpoint.of(database.url()), slot, Duration.ofMillis(200)))
                .isNull();
    }
}
