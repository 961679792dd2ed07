package dev.walmerge.sidecar.metrics;

import static dev.walmerge.sidecar.metrics.Metric.counter;
import static dev.walmerge.sidecar.metrics.Metric.gauge;
import static dev.walmerge.sidecar.metrics.Metric.gauges;
import static dev.walmerge.sidecar.metrics.Metric.point;

import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.concurrent.TimeUnit;

/**
 * The JVM and its process, under the names that Prometheus's own client gives them. Only what can be had without stopping
 * threads: no look for deadlocks, no walk over the heap.
 */
final class JvmMetrics {
    private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private JvmMetrics() {}

    static void add(MetricSnapshots.Builder to) {
        addMemory(to);
        addCollections(to);
        to.metricSnapshot(gauge(
                "jvm_threads_current",
                "Live threads.",
                ManagementFactory.getThreadMXBean().getThreadCount()));
        to.metricSnapshot(gauge(
                "process_start_time_seconds",
                "When the process started, since the Unix epoch.",
                (double) ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS_PER_SECOND));
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            to.metricSnapshot(counter(
                    "process_cpu_seconds",
                    "Processor time of the process.",
                    (double) system.getProcessCpuTime() / NANOS_PER_SECOND));
            to.metricSnapshot(gauge("process_open_fds", "Open files.", system.getOpenFileDescriptorCount()));
            to.metricSnapshot(
                    gauge("process_max_fds", "How many files may be open.", system.getMaxFileDescriptorCount()));
        }
    }

    private static void addMemory(MetricSnapshots.Builder to) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        MemoryUsage other = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage();
        to.metricSnapshot(areas("jvm_memory_used_bytes", "Memory in use.", heap.getUsed(), other.getUsed()));
        to.metricSnapshot(areas(
                "jvm_memory_committed_bytes",
                "Memory taken from the system.",
                heap.getCommitted(),
                other.getCommitted()));
        to.metricSnapshot(areas("jvm_memory_max_bytes", "-1: without a bound.", heap.getMax(), other.getMax()));
        GaugeSnapshot.Builder pools = gauges("jvm_buffer_pool_used_bytes", "NIO buffers outside of the heap.");
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            pools.dataPoint(point(pool.getMemoryUsed(), Labels.of("pool", pool.getName())));
        }
        to.metricSnapshot(pools.build());
    }

    private static GaugeSnapshot areas(String name, String help, long heapBytes, long otherBytes) {
        return gauges(name, help)
                .dataPoint(point(heapBytes, Labels.of("area", "heap")))
                .dataPoint(point(otherBytes, Labels.of("area", "nonheap")))
                .build();
    }

    private static void addCollections(MetricSnapshots.Builder to) {
        SummarySnapshot.Builder collections =
                SummarySnapshot.builder().name("jvm_gc_collection_seconds").help("Garbage collections.");
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections.dataPoint(SummaryDataPointSnapshot.builder()
                    .labels(Labels.of("gc", collector.getName()))
                    .count(collector.getCollectionCount())
                    .sum((double) collector.getCollectionTime() / MILLIS_PER_SECOND)
                    .build());
        }
        to.metricSnapshot(collections.build());
    }
}
