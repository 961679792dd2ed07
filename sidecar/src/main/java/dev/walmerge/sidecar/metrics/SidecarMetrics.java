package dev.walmerge.sidecar.metrics;

import static dev.walmerge.sidecar.metrics.Metric.counter;
import static dev.walmerge.sidecar.metrics.Metric.gauge;
import static dev.walmerge.sidecar.metrics.Metric.gauges;
import static dev.walmerge.sidecar.metrics.Metric.point;

import dev.walmerge.engine.EngineStats;
import dev.walmerge.engine.Watermarks;
import dev.walmerge.engine.journal.JournalState;
import dev.walmerge.sidecar.Status;
import dev.walmerge.sidecar.Status.Counts;
import dev.walmerge.sidecar.config.SidecarSettings;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/** What there is to say of a sidecar in numbers. METRICS.md lists them for readers, and a test compares. */
final class SidecarMetrics {
    private static final double TWO_TO_64 = 0x1p64;

    private SidecarMetrics() {}

    static void add(Status status, SidecarSettings settings, MetricSnapshots.Builder to) {
        String version = SidecarMetrics.class.getPackage().getImplementationVersion();
        to.metricSnapshot(gauges("walmerge_build_info", "The version that runs; always 1.")
                .dataPoint(point(1, Labels.of("version", version == null ? "unknown" : version)))
                .build());
        to.metricSnapshot(gauge("walmerge_ready", "1 if /ready says 200.", status.isReady() ? 1 : 0));
        to.metricSnapshot(gauges("walmerge_state", "The code that /ready says, as a label; always 1.")
                .dataPoint(point(1, Labels.of("code", status.code())))
                .build());
        to.metricSnapshot(counter("walmerge_sessions", "Sessions begun, attempts included.", status.sessions()));
        addCounts(status.counts(), to);
        to.metricSnapshot(gauge(
                "walmerge_resident_limit_bytes",
                "The setting memory: what documents in memory may take.",
                settings.memoryBytes()));
        to.metricSnapshot(gauge(
                "walmerge_journal_limit_bytes",
                "The setting journal-max: what the journal may take on the disk.",
                settings.journalMaxBytes()));
        EngineStats engine = status.engine();
        to.metricSnapshot(gauge(
                "walmerge_connected",
                "1 while a session holds the slot and the documents.",
                engine == null || status.failing() ? 0 : 1));
        if (engine != null) {
            to.metricSnapshot(gauge("walmerge_epoch", "Of the session under way; grows with each.", status.epoch()));
            addPositions(engine.watermarks(), status.confirmedLsn(), to);
            addHoldings(engine, to);
            if (!Double.isNaN(status.readLagSeconds())) {
                to.metricSnapshot(gauge(
                        "walmerge_read_lag_seconds",
                        "Since what is being read was committed; 0 when all is read.",
                        status.readLagSeconds()));
            }
        }
    }

    private static void addCounts(Counts counts, MetricSnapshots.Builder to) {
        to.metricSnapshot(counter("walmerge_ops", "Ops taken from the journal.", counts.ops()));
        to.metricSnapshot(counter("walmerge_merged_ops", "Ops merged into a document, or parked.", counts.merged()));
        to.metricSnapshot(counter("walmerge_dead_letters", "Ops that were refused.", counts.deadLetters()));
        to.metricSnapshot(
                counter("walmerge_document_flushes", "Documents handed to the write-back.", counts.flushes()));
        to.metricSnapshot(counter(
                "walmerge_document_folds", "Flushes that compacted the tail into a new state.", counts.folds()));
    }

    private static void addPositions(Watermarks marks, long confirmedLsn, MetricSnapshots.Builder to) {
        to.metricSnapshot(gauges("walmerge_watermark_bytes", "How far ops have come, as positions in the WAL.")
                .dataPoint(point(position(marks.received()), stage("received")))
                .dataPoint(point(position(marks.journaled()), stage("journaled")))
                .dataPoint(point(position(marks.merged()), stage("merged")))
                .dataPoint(point(position(marks.written()), stage("written")))
                .build());
        to.metricSnapshot(gauges("walmerge_behind_bytes", "WAL by which a watermark is behind the one before it.")
                .dataPoint(point(marks.received() - marks.journaled(), stage("journaled")))
                .dataPoint(point(marks.journaled() - marks.merged(), stage("merged")))
                .dataPoint(point(marks.merged() - marks.written(), stage("written")))
                .build());
        to.metricSnapshot(gauge(
                "walmerge_slot_confirmed_bytes",
                "What the slot was told, as a position in the WAL: the server may forget what is before it.",
                position(confirmedLsn)));
        to.metricSnapshot(gauge(
                "walmerge_slot_behind_bytes",
                "WAL that was received and that the slot holds back.",
                Math.max(0, marks.received() - confirmedLsn)));
    }

    private static Labels stage(String stage) {
        return Labels.of("stage", stage);
    }

    /** LSNs are unsigned. */
    private static double position(long lsn) {
        return lsn >= 0 ? (double) lsn : (double) lsn + TWO_TO_64;
    }

    private static void addHoldings(EngineStats engine, MetricSnapshots.Builder to) {
        to.metricSnapshot(gauge(
                "walmerge_dirty_documents",
                "Documents that changed and were not handed to the write-back yet.",
                engine.dirtyDocuments()));
        to.metricSnapshot(gauge("walmerge_resident_documents", "Documents in memory.", engine.residentDocuments()));
        to.metricSnapshot(
                gauge("walmerge_resident_bytes", "What documents in memory take, estimated.", engine.residentBytes()));
        to.metricSnapshot(
                gauge("walmerge_journal_bytes", "What the journal takes on the disk.", engine.journalBytes()));
        to.metricSnapshot(gauge(
                "walmerge_journal_backlog_bytes", "In the journal and not merged yet.", engine.journalBacklogBytes()));
        GaugeSnapshot.Builder states = gauges("walmerge_journal_state", "1 for the state that the journal is in.");
        for (JournalState state : JournalState.values()) {
            states.dataPoint(point(engine.journalState() == state ? 1 : 0, Labels.of("state", state.code())));
        }
        to.metricSnapshot(states.build());
    }
}
