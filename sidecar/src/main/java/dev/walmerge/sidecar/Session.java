package dev.walmerge.sidecar;

import dev.walmerge.decoder.pgoutput.PgoutputDecoder;
import dev.walmerge.engine.Engine;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.EngineStats;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.journal.JournalHome;
import dev.walmerge.engine.journal.JournalLostException;
import dev.walmerge.engine.journal.JournalReplay;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.pipeline.BackfillPipeline;
import dev.walmerge.sidecar.pipeline.OpPipeline;
import dev.walmerge.sidecar.pipeline.Pacing;
import dev.walmerge.sidecar.pipeline.PolicyHistory;
import dev.walmerge.sidecar.pipeline.ReplayPipeline;
import dev.walmerge.sidecar.replication.Backfill;
import dev.walmerge.sidecar.replication.CreatedSlot;
import dev.walmerge.sidecar.replication.Endpoint;
import dev.walmerge.sidecar.replication.ReplicationConnection;
import dev.walmerge.sidecar.replication.ReplicationException;
import dev.walmerge.sidecar.replication.SlotReader;
import dev.walmerge.sidecar.replication.SlotReaderOptions;
import dev.walmerge.sidecar.replication.SlotState;
import dev.walmerge.sidecar.replication.SystemIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.postgresql.replication.LogSequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One hold of the slot: from taking it over to letting it go. Whatever ends a session, the next one starts from the
 * tables and what the slot has not been told.
 */
final class Session implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final String PUBLICATION = "walmerge";

    private final SidecarSettings settings;
    private final boolean startOverAnyway;
    private final Endpoint endpoint;
    /** Closed in reverse order. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private Connection control;
    private Lease lease;
    private volatile SlotReader reader;
    private Engine engine;
    private OpSink sink;
    private JournalHome home;
    /** What an earlier session's journal holds that was not written, or null. */
    private JournalReplay replay;

    private PolicyHistory history;
    private volatile boolean stopping;

    /** @param startOver whether the slot is of no use although it is there */
    Session(SidecarSettings settings, boolean startOver) {
        this.settings = settings;
        this.startOverAnyway = startOver;
        this.endpoint = Endpoints.of(settings);
    }

    /** Takes the slot and the documents over; when it returns, ops can flow. */
    void open() throws OperatingException {
        try {
            takeHold();
        } catch (SQLException e) {
            throw OperatingErrors.of(e);
        } catch (ReplicationException e) {
            throw OperatingErrors.of(e);
        } catch (FencedException e) {
            throw OperatingErrors.of(e);
        } catch (IOException e) {
            throw OperatingErrors.of(e, settings.stateDirectory());
        }
    }

    private void takeHold()
            throws SQLException, ReplicationException, FencedException, IOException, OperatingException {
        control = part(endpoint.connect("control"));
        SchemaCheck.requireCurrent(control);
        SlotLock.take(control, settings.slot());
        ReplicationConnection replication = part(ReplicationConnection.open(endpoint));
        SystemIdentity server = replication.identifySystem();
        TakeOver.Before before =
                TakeOver.before(control, settings.slot(), server.systemIdentifier(), server.timeline());
        SlotState slot = usableSlot(server);
        home = part(JournalHome.open(
                journalDirectory(server), server.systemIdentifier(), server.timeline(), settings.slot()));
        if (before.written() != 0 && slot != null && journalHasTheRest(before, slot)) {
            goOn(replication, server, before, slot);
        } else {
            startOver(replication, server);
        }
        LOG.info("ready: {}", whereWeAre());
    }

    /**
     * Whether the slot will send all that is not written, or the journal has what it will not: the slot may have been
     * told of ops that only the journal and the tables hold.
     */
    private boolean journalHasTheRest(TakeOver.Before before, SlotState slot) {
        if (!before.journaled() || !Lsn.isBefore(before.written(), slot.confirmedFlushLsn())) {
            return true;
        }
        try {
            replay = home.replay(before.nonce(), before.written(), slot.confirmedFlushLsn());
            return true;
        } catch (JournalLostException e) {
            LOG.warn(
                    "slot {}: it was told of what is not written, and the journal can't be used: {}",
                    settings.slot(),
                    e.getMessage());
            return false;
        }
    }

    private void goOn(ReplicationConnection replication, SystemIdentity server, TakeOver.Before before, SlotState slot)
            throws SQLException, ReplicationException, IOException, OperatingException {
        long startLsn = Lsn.max(before.written(), slot.confirmedFlushLsn());
        reader = part(SlotReader.start(replication, SlotReaderOptions.of(settings.slot(), PUBLICATION, startLsn)));
        lease = TakeOver.takeOver(control, settings.slot(), server.systemIdentifier(), server.timeline());
        if (!before.nonce().equals(lease.previousNonce())) {
            throw new OperatingException(
                    Kind.RETRYABLE,
                    "slot-in-use",
                    "another sidecar wrote by slot " + settings.slot() + " meanwhile",
                    "let only one sidecar run on a slot",
                    null);
        }
        Failpoint.AFTER_TAKE_OVER.reach();
        startEngine(server);
        LOG.info("slot {}: going on from {}, epoch {}", settings.slot(), lsn(lease.written()), lease.epoch());
        if (replay != null) {
            part(replay);
            LOG.info("slot {}: up to {} from the journal", settings.slot(), lsn(replay.confirmedLsn()));
            if (new ReplayPipeline(sink, pacing()).run(replay)) {
                engine.replayed(replay.confirmedLsn());
            }
        }
    }

    private Pacing pacing() {
        return new Pacing(reader::keepAlive, () -> stopping || engine.failure() != null);
    }

    private String whereWeAre() throws SQLException {
        try (Statement statement = control.createStatement();
                ResultSet row = statement.executeQuery("select format('database %s on %s as %s', current_database(),"
                        + " coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a local socket'),"
                        + " current_user)")) {
            row.next();
            return row.getString(1);
        }
    }

    /** The slot, if it is there and can be read, or null. One that belongs to another database is never touched. */
    private SlotState usableSlot(SystemIdentity server) throws SQLException, OperatingException {
        SlotState slot = SlotState.read(control, settings.slot());
        if (slot == null) {
            return null;
        }
        if (!server.database().equals(slot.database()) || !"pgoutput".equals(slot.plugin())) {
            throw new OperatingException(
                    Kind.OPERATOR,
                    "slot-exists",
                    "the slot " + settings.slot() + " belongs to the database " + slot.database() + ", with the plugin "
                            + slot.plugin(),
                    "names of slots are server-wide: give this database's sidecar another with --slot",
                    null);
        }
        return startOverAnyway || slot.lost() ? null : slot;
    }

    /** Makes the slot anew and reads every row its snapshot sees: the first start, and every resync. */
    private void startOver(ReplicationConnection replication, SystemIdentity server)
            throws SQLException, ReplicationException, FencedException, IOException {
        lease = TakeOver.takeOver(control, settings.slot(), server.systemIdentifier(), server.timeline());
        // First of all: were we killed after the slot is made, its being there would look like a job done.
        lease = TakeOver.startOver(control, lease);
        Failpoint.AFTER_START_OVER.reach();
        if (SlotState.read(control, settings.slot()) != null) {
            LOG.warn(
                    "slot {}: dropped, it can't be gone on with; everything is read from the tables again",
                    settings.slot());
            replication.dropSlot(settings.slot());
        }
        CreatedSlot slot = replication.createSlot(settings.slot());
        Failpoint.AFTER_CREATE_SLOT.reach();
        try (Backfill backfill = Backfill.open(endpoint, slot)) {
            LOG.info(
                    "slot {}: new at {}, {} rows to backfill, epoch {}",
                    settings.slot(),
                    lsn(slot.consistentPointLsn()),
                    backfill.rowCount(),
                    lease.epoch());
            reader = part(SlotReader.start(replication, SlotReaderOptions.of(settings.slot(), PUBLICATION, 0)));
            startEngine(server);
            engine.trimming(false);
            new BackfillPipeline(sink, pacing()).run(backfill, slot.consistentPointLsn());
            engine.trimming(true);
        }
    }

    private void startEngine(SystemIdentity server) throws SQLException, IOException {
        history = PolicyHistory.read(control);
        engine = part(
                Engine.start(engineSettings(server), () -> endpoint.connect("engine"), lease, history.inForce(), home));
        sink = engine.sink();
    }

    /** A slot's name is unique in one cluster only, and two sidecars on this machine must not share a journal. */
    private Path journalDirectory(SystemIdentity server) {
        return settings.stateDirectory()
                .resolve("journal")
                .resolve(server.systemIdentifier())
                .resolve(settings.slot());
    }

    private EngineSettings engineSettings(SystemIdentity server) {
        return EngineSettings.with(journalDirectory(server))
                .shards(settings.shards())
                .memoryBytes(settings.memoryBytes())
                .journalMaxBytes(settings.journalMaxBytes())
                .journalReserveBytes(settings.journalReserveBytes())
                .journalAboveBytes(settings.journalAboveBytes())
                .maxPayloadBytes(settings.payloadMaxBytes())
                .build();
    }

    /** Reads until {@link #stop}, on the calling thread. */
    void run() throws OperatingException {
        PgoutputDecoder decoder = new PgoutputDecoder();
        OpPipeline pipeline = new OpPipeline(sink, history);
        try {
            reader.run(
                    (lsn, buffer, offset, length) -> decoder.decode(buffer, offset, length, pipeline),
                    () -> engine.durableLsn(reader.receivedLsn(), reader.confirmedLsn()),
                    engine::quiet,
                    this::hasRoom);
        } catch (ReplicationException e) {
            // At the start an operator must make it. Gone while it was read, or made anew meanwhile: the slot can't
            // pass
            // what was written without it.
            throw e.code() == ReplicationException.Code.PUBLICATION_MISSING
                    ? OperatingErrors.slotPastPublication(e)
                    : OperatingErrors.of(e);
        } catch (UncheckedIOException e) {
            throw OperatingErrors.of(e.getCause(), settings.stateDirectory());
        }
        if (engine.failure() != null) {
            throw OperatingErrors.of(engine.failure());
        }
    }

    private boolean hasRoom() {
        if (engine.failure() != null) {
            reader.stop();
        }
        return sink.hasRoom();
    }

    /** Writes everything that was read. */
    void drain(Duration timeout) {
        boolean written = engine.drain(timeout);
        LOG.info(
                "slot {}: {} at {}",
                settings.slot(),
                written ? "all written" : "not all written, it will be read again",
                lsn(engine.writtenLsn()));
    }

    EngineStats stats() {
        return engine.stats();
    }

    /** Makes {@link #run} return. */
    void stop() {
        stopping = true;
        SlotReader current = reader;
        if (current != null) {
            current.stop();
        }
    }

    private static String lsn(long lsn) {
        return LogSequenceNumber.valueOf(lsn).asString();
    }

    private <T extends AutoCloseable> T part(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                LOG.debug("close: {}", e.getClass().getName());
            }
        }
    }
}
