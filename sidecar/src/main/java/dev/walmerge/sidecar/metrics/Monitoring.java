package dev.walmerge.sidecar.metrics;

import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.Status;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.http.HttpEndpoint;
import dev.walmerge.sidecar.http.Response;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What supervisors and Prometheus ask for: {@code /live}, {@code /ready} and {@code /metrics}. */
public final class Monitoring implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Monitoring.class);
    /** A session that failed ends in seconds, and the next one begins; one that does not will not. */
    static final long FAILING_MAX_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final ExpositionFormatWriter OPEN_METRICS = OpenMetricsTextFormatWriter.create();
    private static final ExpositionFormatWriter PROMETHEUS = PrometheusTextFormatWriter.create();

    private final SidecarSettings settings;
    private final HttpEndpoint endpoint;
    private volatile Supplier<Status> status = Status::starting;
    private final Liveness liveness = new Liveness(FAILING_MAX_NANOS);

    private Monitoring(SidecarSettings settings) throws IOException {
        this.settings = settings;
        InetSocketAddress address = settings.http();
        this.endpoint = address == null
                ? null
                : HttpEndpoint.open(new InetSocketAddress(address.getHostString(), address.getPort()), this::page);
    }

    /**
     * Opens the port, if the settings name one.
     *
     * @throws OperatingException when it can't be had
     */
    public static Monitoring open(SidecarSettings settings) throws OperatingException {
        try {
            Monitoring opened = new Monitoring(settings);
            if (opened.endpoint != null) {
                LOG.info("metrics and probes at http:/{}", opened.address());
            }
            return opened;
        } catch (IOException | UnresolvedAddressException e) {
            throw new OperatingException(
                    Kind.OPERATOR,
                    "http-address",
                    settings.http().getHostString() + " port " + settings.http().getPort() + " can't be listened at ("
                            + e.getClass().getSimpleName() + ")",
                    "name an address of this machine and a port that nobody uses with --http",
                    e);
        }
    }

    /** Whose status to show from now on. */
    public void follow(Supplier<Status> source) {
        status = source;
    }

    /** Where it listens; null if it does not. */
    public InetSocketAddress address() {
        return endpoint == null ? null : endpoint.address();
    }

    private Response page(String path, String accept) {
        return switch (path) {
            case "/metrics" -> metrics(accept);
            case "/ready" -> {
                Status now = status.get();
                yield Response.text(now.isReady() ? 200 : 503, now.code());
            }
            case "/live" -> {
                Status now = status.get();
                boolean lives = liveness.lives(now, System.nanoTime());
                yield Response.text(lives ? 200 : 503, lives ? "live" : now.code());
            }
            default -> null;
        };
    }

    private Response metrics(String accept) {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        SidecarMetrics.add(status.get(), settings, all);
        JvmMetrics.add(all);
        ExpositionFormatWriter format = OPEN_METRICS.accepts(accept) ? OPEN_METRICS : PROMETHEUS;
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try {
            format.write(body, all.build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Response(200, format.getContentType(), body.toByteArray());
    }

    @Override
    public void close() {
        if (endpoint != null) {
            endpoint.close();
        }
    }
}
