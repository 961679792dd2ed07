package dev.walmerge.sidecar;

import dev.walmerge.decoder.pgoutput.PgoutputDecoder;
import dev.walmerge.engine.Engine;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.EngineStats;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.pipeline.BackfillPipeline;
import dev.walmerge.sidecar.pipeline.OpPipeline;
import dev.walmerge.sidecar.pipeline.PolicyHistory;
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
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
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
    private final Endpoint endpoint;
    /** Closed in reverse order. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private Connection control;
    private Lease lease;
    private volatile SlotReader reader;
    private Engine engine;
    private OpSink sink;
    private PolicyHistory history;
    private volatile boolean stopping;

    Session(SidecarSettings settings) {
        this.settings = settings;
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
        long written = TakeOver.writtenBefore(control, settings.slot(), server.systemIdentifier(), server.timeline());
        if (written != 0 && slotIsUsable()) {
            reader = part(SlotReader.start(replication, SlotReaderOptions.of(settings.slot(), PUBLICATION, written)));
            lease = TakeOver.takeOver(control, settings.slot(), server.systemIdentifier(), server.timeline());
            startEngine(server);
            LOG.info("slot {}: going on, epoch {}, written {}", settings.slot(), lease.epoch(), lsn(lease.written()));
        } else {
            startOver(replication, server);
        }
    }

    private boolean slotIsUsable() throws SQLException {
        SlotState slot = SlotState.read(control, settings.slot());
        return slot != null && !slot.lost();
    }

    /** Makes the slot anew and reads every row its snapshot sees: the first start, and every resync. */
    private void startOver(ReplicationConnection replication, SystemIdentity server)
            throws SQLException, ReplicationException, FencedException, IOException {
        lease = TakeOver.takeOver(control, settings.slot(), server.systemIdentifier(), server.timeline());
        // First of all: were we killed after the slot is made, its being there would look like a job done.
        lease = TakeOver.startOver(control, lease);
        if (SlotState.read(control, settings.slot()) != null) {
            replication.dropSlot(settings.slot());
        }
        CreatedSlot slot = replication.createSlot(settings.slot());
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
            new BackfillPipeline(sink, reader::keepAlive, () -> stopping).run(backfill, slot.consistentPointLsn());
            engine.trimming(true);
        }
    }

    private void startEngine(SystemIdentity server) throws SQLException, IOException {
        history = PolicyHistory.read(control);
        engine = part(Engine.start(engineSettings(server), () -> endpoint.connect("engine"), lease, history.inForce()));
        sink = engine.sink();
    }

    private EngineSettings engineSettings(SystemIdentity server) {
        // A slot's name is unique in one cluster only, and two sidecars on this machine must not share a journal.
        Path journal = settings.stateDirectory()
                .resolve("journal")
                .resolve(server.systemIdentifier())
                .resolve(settings.slot());
        return EngineSettings.defaults(journal)
                .withShards(settings.shards())
                .withMemoryBytes(settings.memoryBytes())
                .withJournalMaxBytes(settings.journalMaxBytes())
                .withMaxPayloadBytes(settings.payloadMaxBytes());
    }

    /** Reads until {@link #stop}, on the calling thread. */
    void run() throws OperatingException {
        PgoutputDecoder decoder = new PgoutputDecoder();
        OpPipeline pipeline = new OpPipeline(sink, history);
        try {
            reader.run(
                    (lsn, buffer, offset, length) -> decoder.decode(buffer, offset, length, pipeline),
                    engine::writtenLsn,
                    engine::quiet,
                    this::hasRoom);
        } catch (ReplicationException e) {
            throw OperatingErrors.of(e);
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
