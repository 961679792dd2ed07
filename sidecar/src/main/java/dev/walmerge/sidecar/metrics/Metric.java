package dev.walmerge.sidecar.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;

/** One metric as it is now. Numbers are doubles in the end, exact up to 2^53. */
final class Metric {
    private Metric() {}

    static GaugeSnapshot gauge(String name, String help, double value) {
        return gauges(name, help).dataPoint(point(value, Labels.EMPTY)).build();
    }

    static GaugeSnapshot gauge(String name, String help, long value) {
        return gauge(name, help, (double) value);
    }

    /** For several values, told apart by labels. */
    static GaugeSnapshot.Builder gauges(String name, String help) {
        return GaugeSnapshot.builder().name(name).help(help);
    }

    static GaugeDataPointSnapshot point(double value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
    }

    static GaugeDataPointSnapshot point(long value, Labels labels) {
        return point((double) value, labels);
    }

    static CounterSnapshot counter(String name, String help, long value) {
        return counter(name, help, (double) value);
    }

    /** @param name without {@code _total}, which the formats add */
    static CounterSnapshot counter(String name, String help, double value) {
        return CounterSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(CounterDataPointSnapshot.builder().value(value).build())
                .build();
    }
}
