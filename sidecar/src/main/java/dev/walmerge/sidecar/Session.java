package dev.walmerge.sidecar;

import dev.walmerge.decoder.pgoutput.PgoutputDecoder;
import dev.walmerge.engine.Engine;
import dev.walmerge.engine.EngineSettings;
import dev.walmerge.engine.EngineStats;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.journal.JournalHome;
import dev.walmerge.engine.journal.JournalReplay;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.config.StateDirectory;
import dev.walmerge.sidecar.pipeline.BackfillPipeline;
import dev.walmerge.sidecar.pipeline.CommitLag;
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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
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
    private final long epochBefore;
    private final Endpoint endpoint;
    /** Closed in reverse order. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private Connection control;
    private Lease lease;
    private volatile long epoch;
    private ServerRun server;
    private Hold hold;
    private IdleMark idleMark;
    private volatile ReplicationConnection replication;
    private volatile SlotReader reader;
    private volatile OperatingException lost;
    private volatile Engine engine;
    private OpSink sink;
    private JournalHome home;
    private PolicyHistory history;
    private volatile CommitLag lag;
    private boolean behind;
    private volatile boolean stopping;
    /** Whether the sink was given all that the slot does not send. */
    private boolean whole = true;

    private volatile boolean fromTables;
    private volatile boolean reading;

    /**
     * @param startOver whether the slot is of no use although it is there
     * @param epochBefore of this process's last session, 0 for the first one
     */
    Session(SidecarSettings settings, boolean startOver, long epochBefore) {
        this.settings = settings;
        this.startOverAnyway = startOver;
        this.epochBefore = epochBefore;
        this.endpoint = Endpoints.of(settings);
    }

    /** Takes the slot and the documents over; when it returns, ops can flow. */
    void open() throws OperatingException {
        try {
            takeHold();
        } catch (SQLException e) {
            throw lost != null ? lost : OperatingErrors.of(e);
        } catch (ReplicationException e) {
            throw lost != null ? lost : OperatingErrors.of(e);
        } catch (FencedException e) {
            throw OperatingErrors.of(e);
        } catch (IOException e) {
            throw OperatingErrors.of(e, settings.stateDirectory());
        }
    }

    private void takeHold()
            throws SQLException, ReplicationException, FencedException, IOException, OperatingException {
        control = part(endpoint.connect("control"));
        server = ServerRun.of(control);
        if (server.isStandby()) {
            throw OperatingErrors.standby();
        }
        SchemaCheck.requireCurrent(control);
        // Before it waits: who takes over may do so at night.
        StateDirectory.requireWritable(settings.stateDirectory());
        try {
            hold = part(Hold.take(endpoint, settings.slot(), this::lose));
        } catch (OperatingException e) {
            requireNotFenced();
            throw e;
        }
        requirePublication();
        lag = CommitLag.behind(control);
        replication = part(ReplicationConnection.open(endpoint));
        SystemIdentity identity = replication.identifySystem();
        if (identity.timeline() != server.timeline()) {
            throw OperatingErrors.anotherServer();
        }
        idleMark = new IdleMark(idleFile(identity));
        home = part(JournalHome.open(
                journalDirectory(identity), identity.systemIdentifier(), identity.timeline(), settings.slot()));
        StartingPoint start = StartingPoint.find(control, settings.slot(), identity, home, idleFile(identity));
        endLeftOverReader();
        if (start.obstacle() == null && !startOverAnyway) {
            goOn(identity, start);
        } else {
            startOver(identity, startOverAnyway ? "the slot can't send all that is missing" : start.obstacle());
        }
        LOG.info("ready: {}", whereWeAre());
    }

    private void goOn(SystemIdentity identity, StartingPoint start)
            throws SQLException, ReplicationException, IOException, OperatingException {
        reader = part(
                SlotReader.start(replication, SlotReaderOptions.of(settings.slot(), PUBLICATION, start.readFromLsn())));
        takeOver(identity);
        if (!start.before().nonce().equals(lease.previousNonce())) {
            throw OperatingErrors.slotInUse(settings.slot());
        }
        if (start.replay() == null) {
            // The take-over changed the nonce that the file is bound to.
            idleMark.keep(start.readFromLsn(), lease.nonce());
        }
        Failpoint.AFTER_TAKE_OVER.reach();
        hold.watch(lease, idleMark);
        startEngine(identity);
        LOG.info("slot {}: going on from {}, epoch {}", settings.slot(), Lsn.format(lease.written()), lease.epoch());
        JournalReplay replay = start.replay();
        if (replay != null) {
            part(replay);
            // Read again: up to the moment the slot was ours, someone may have told it more.
            long slotLsn = Lsn.max(
                    start.readFromLsn(),
                    SlotState.read(control, settings.slot()).confirmedFlushLsn());
            replay.endAt(slotLsn);
            LOG.info("slot {}: up to {} from the journal", settings.slot(), Lsn.format(slotLsn));
            whole = new ReplayPipeline(sink, pacing()).run(replay);
            LOG.info(
                    "slot {}: {} of the journal handed over, up to the commit at {}",
                    settings.slot(),
                    whole ? "all" : "not all",
                    Lsn.format(engine.watermarks().journaled()));
            if (whole) {
                engine.replayed(slotLsn);
            }
        }
    }

    private Pacing pacing() {
        return new Pacing(reader::keepAlive, () -> stopping || lost != null || engine.failure() != null);
    }

    /** A process that was taken over ends, whichever of its threads finds out first. */
    private void requireNotFenced() throws SQLException, FencedException {
        long now = epochNow();
        if (epochBefore != 0 && now > epochBefore) {
            throw new FencedException(
                    "slot " + settings.slot() + " was taken over: epoch " + now + ", ours was " + epochBefore);
        }
    }

    private long epochNow() throws SQLException {
        try (PreparedStatement select = control.prepareStatement(HoldSql.EPOCH)) {
            select.setString(1, settings.slot());
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    private void takeOver(SystemIdentity identity) throws SQLException {
        // Should the answer to the commit get lost, it still is ours.
        epoch = epochNow() + 1;
        lease = TakeOver.takeOver(control, settings.slot(), identity.systemIdentifier(), identity.timeline());
        epoch = lease.epoch();
    }

    private void requirePublication() throws SQLException, OperatingException {
        try (Statement statement = control.createStatement();
                ResultSet row = statement.executeQuery(HoldSql.PUBLISHED)) {
            row.next();
            if (!row.getBoolean(1)) {
                // At the first start an operator has to act; who loses it later waits for that.
                throw OperatingErrors.publicationNotWhole(epochBefore == 0 ? Kind.OPERATOR : Kind.RETRYABLE);
            }
        }
    }

    /** Whoever reads our slot while we hold the documents stands still somewhere, or is cut off and does not know it yet. */
    private void endLeftOverReader() throws SQLException {
        try (PreparedStatement end = control.prepareStatement(HoldSql.END_READER)) {
            end.setString(1, settings.slot());
            try (ResultSet row = end.executeQuery()) {
                row.next();
                if (row.getBoolean(1)) {
                    LOG.warn("slot {}: a reader that was left over is ended", settings.slot());
                }
            }
        }
    }

    /** Makes everything end, as soon as it may be asked for. On the hold's thread. */
    private void lose(OperatingException why) {
        lost = why;
        SlotReader current = reader;
        ReplicationConnection connection = replication;
        if (current != null) {
            current.stop();
        } else if (connection != null) {
            connection.abort();
        }
    }

    /** For the engine: never a connection to another server, or to this one after it may have forgotten commits. */
    private Connection connectToSameServer() throws SQLException {
        Connection connection = endpoint.connect("engine");
        boolean same = false;
        try {
            same = ServerRun.of(connection).equals(server);
        } finally {
            if (!same) {
                connection.abort(Runnable::run);
            }
        }
        if (!same) {
            lose(OperatingErrors.anotherServer());
            throw new SQLException("another server, or another run of it, answers now", "08006");
        }
        return connection;
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

    /** Makes the slot anew and reads every row its snapshot sees: the first start, and every resync. */
    private void startOver(SystemIdentity identity, String reason)
            throws SQLException, ReplicationException, FencedException, IOException {
        takeOver(identity);
        // First of all: were we killed after the slot is made, its being there would look like a job done.
        lease = TakeOver.startOver(control, lease);
        fromTables = true;
        hold.watch(lease, idleMark);
        Failpoint.AFTER_START_OVER.reach();
        if (!lease.firstStart()) {
            LOG.warn("slot {}: everything is read from the tables: {}", settings.slot(), reason);
        }
        if (SlotState.read(control, settings.slot()) != null) {
            replication.dropSlot(settings.slot());
        }
        CreatedSlot slot = replication.createSlot(settings.slot());
        Failpoint.AFTER_CREATE_SLOT.reach();
        try (Backfill backfill = Backfill.open(endpoint, slot)) {
            LOG.info(
                    "slot {}: new at {}, {} rows to backfill, epoch {}",
                    settings.slot(),
                    Lsn.format(slot.consistentPointLsn()),
                    backfill.rowCount(),
                    lease.epoch());
            hold.showResync(backfill.rowCount(), backfill::readCount);
            reader = part(SlotReader.start(replication, SlotReaderOptions.of(settings.slot(), PUBLICATION, 0)));
            startEngine(identity);
            engine.trimming(false);
            whole = new BackfillPipeline(sink, pacing()).run(backfill, slot.consistentPointLsn());
            engine.trimming(true);
        }
    }

    private void startEngine(SystemIdentity identity) throws SQLException, IOException {
        history = PolicyHistory.read(control);
        engine =
                part(Engine.start(engineSettings(identity), this::connectToSameServer, lease, history.inForce(), home));
        sink = engine.sink();
        hold.showTrouble(engine::trouble);
    }

    private Path idleFile(SystemIdentity identity) {
        return settings.stateDirectory()
                .resolve("idle")
                .resolve(identity.systemIdentifier())
                .resolve(settings.slot());
    }

    /** A slot's name is unique in one cluster only, and two sidecars on this machine must not share a journal. */
    private Path journalDirectory(SystemIdentity identity) {
        return settings.stateDirectory()
                .resolve("journal")
                .resolve(identity.systemIdentifier())
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
        if (whole) {
            read();
        } else if (!stopping && lost == null && engine.failure() == null) {
            throw new IllegalStateException("nobody stopped what was to be handed over, and it is not whole");
        }
        if (lost != null) {
            throw lost;
        }
        if (engine.failure() != null) {
            throw OperatingErrors.of(engine.failure());
        }
    }

    private void read() throws OperatingException {
        PgoutputDecoder decoder = new PgoutputDecoder();
        OpPipeline pipeline = new OpPipeline(sink, history, lag);
        reading = true;
        try {
            reader.run(
                    (lsn, buffer, offset, length) -> decoder.decode(buffer, offset, length, pipeline),
                    () -> Lsn.max(engine.durableLsn(reader.receivedLsn(), reader.confirmedLsn()), idleMark.keptLsn()),
                    this::idle,
                    this::hasRoom);
        } catch (ReplicationException e) {
            if (lost != null) {
                throw lost;
            }
            if (engine.failure() instanceof FencedException fenced) {
                throw OperatingErrors.of(fenced);
            }
            // At the start an operator must make it. Gone while it was read, or made anew: the slot can't pass that.
            throw e.code() == ReplicationException.Code.PUBLICATION_MISSING
                    ? OperatingErrors.slotPastPublication(e)
                    : OperatingErrors.of(e);
        } catch (UncheckedIOException e) {
            throw OperatingErrors.of(e.getCause(), settings.stateDirectory());
        }
    }

    /** The slot may go on where nothing is left to write, but only once that is on record: see {@link IdleMark}. */
    private boolean idle() {
        lag.caughtUp();
        if (engine.quiet()) {
            idleMark.offer(reader.receivedLsn());
        }
        return false;
    }

    private boolean hasRoom() {
        if (engine.failure() != null) {
            reader.stop();
        }
        if (lag.isBehind() != behind) {
            behind = !behind;
            engine.readerIsBehind(behind);
        }
        return sink.hasRoom();
    }

    /** Writes everything that was read. */
    void drain(Duration timeout) {
        // What was not handed over can't be written.
        boolean written = engine.drain(timeout) && whole;
        if (written) {
            settle();
        }
        LOG.info(
                "slot {}: {} at {}",
                settings.slot(),
                written ? "all written" : "not all written, it will be read again",
                Lsn.format(engine.writtenLsn()));
    }

    /** Puts on record how far the slot was told, for a next start that has not our files. */
    private void settle() {
        try (PreparedStatement settle = control.prepareStatement(HoldSql.SETTLE)) {
            settle.setString(1, Lsn.format(reader.confirmedLsn()));
            settle.setString(2, settings.slot());
            settle.setLong(3, lease.epoch());
            settle.executeUpdate();
        } catch (SQLException e) {
            LOG.debug("settle failed: {}", e.getSQLState());
        }
    }

    /** Of the take-over, 0 before it. */
    long epoch() {
        return epoch;
    }

    /** Null before there is an engine. */
    EngineStats stats() {
        Engine current = engine;
        return current == null ? null : current.stats();
    }

    /** Null, or why this session has come to its end. */
    OperatingException failure() {
        Engine current = engine;
        if (lost != null || current == null || current.failure() == null) {
            return lost;
        }
        return OperatingErrors.of(current.failure());
    }

    /** Whether ops come from the slot, not from the tables or the journal any more. */
    boolean isReading() {
        return reading;
    }

    /** Whether it began at the tables. */
    boolean isFromTables() {
        return fromTables;
    }

    /** How long ago what is being read was committed. */
    long lagMicros() {
        return lag.micros();
    }

    /** What the slot was told. */
    long confirmedLsn() {
        return reader.confirmedLsn();
    }

    /** Up to where everything is written, 0 before the take-over. */
    long writtenLsn() {
        return engine == null ? 0 : engine.writtenLsn();
    }

    /** Makes {@link #run} return. */
    void stop() {
        stopping = true;
        SlotReader current = reader;
        if (current != null) {
            current.stop();
        }
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
