package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Asks the port of a sidecar as Prometheus and orchestrators do. */
final class Probe {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient client = HttpClient.newBuilder().build();
    private final int port;

    Probe(InetSocketAddress address) {
        this.port = address.getPort();
    }

    HttpResponse<String> get(String path, String accept) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE)
                .header("Accept", accept)
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    /** Status and text, such as {@code 503 resync}. */
    String ask(String path) throws Exception {
        HttpResponse<String> response = get(path, "*/*");
        return response.statusCode() + " " + response.body().strip();
    }

    /** Values by name and labels, as they are written. */
    Map<String, Double> metrics() throws Exception {
        HttpResponse<String> response = get("/metrics", "text/plain");
        assertThat(response.statusCode()).isEqualTo(200);
        Map<String, Double> values = new TreeMap<>();
        response.body().lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int space = line.lastIndexOf(' ');
            assertThat(values.put(line.substring(0, space), Double.valueOf(line.substring(space + 1))))
                    .as(line)
                    .isNull();
        });
        return values;
    }
}
