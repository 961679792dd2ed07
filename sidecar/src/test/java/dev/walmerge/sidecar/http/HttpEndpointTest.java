package dev.walmerge.sidecar.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that ask as they should, which is the JDK's own, and clients that do not. */
final class HttpEndpointTest {
    private static final int LARGE_BYTES = 16 << 20;
    private static final int PATIENCE_MILLIS = 20_000;

    private final List<Socket> sockets = new ArrayList<>();
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(Duration.ofMillis(PATIENCE_MILLIS))
            .build();
    private HttpEndpoint endpoint;

    @BeforeEach
    void open() throws Exception {
        endpoint = HttpEndpoint.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (path, accept) -> {
            return switch (path) {
                case "/page" -> Response.text(200, "a page; accepts " + accept);
                case "/not-now" -> Response.text(503, "not-now");
                case "/large" -> new Response(200, "application/octet-stream", new byte[LARGE_BYTES]);
                case "/broken" -> throw new IllegalStateException("on purpose");
                case "/exhausted" -> throw new OutOfMemoryError("on purpose");
                default -> null;
            };
        });
    }

    @AfterEach
    void close() throws Exception {
        endpoint.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void getAndHead() throws Exception {
        HttpResponse<String> page = send("GET", "/page?query=1");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).isEqualTo("a page; accepts text/x;q=0.5,text/y\n");
        assertThat(page.headers().firstValue("content-type")).contains("text/plain; charset=utf-8");
        assertThat(page.headers().firstValue("date")).isPresent();

        HttpResponse<String> head = send("HEAD", "/page");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValue("content-length"))
                .isEqualTo(page.headers().firstValue("content-length"));

        HttpResponse<String> notNow = send("GET", "/not-now");
        assertThat(notNow.statusCode() + " " + notNow.body()).isEqualTo("503 not-now\n");
        assertThat(client.send(get("/large"), BodyHandlers.ofByteArray()).body())
                .hasSize(LARGE_BYTES);
    }

    @Test
    void whatThereIsNot() throws Exception {
        assertThat(send("GET", "/").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/page/").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/broken").statusCode()).isEqualTo(500);
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE")) {
            HttpResponse<String> refused = send(method, "/page");
            assertThat(refused.statusCode()).as(method).isEqualTo(405);
            assertThat(refused.headers().firstValue("allow")).contains("GET, HEAD");
        }
        HttpRequest upload = HttpRequest.newBuilder(uri("/page"))
                .POST(BodyPublishers.ofByteArray(new byte[500_000]))
                .build();
        assertThat(client.send(upload, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
    }

    @Test
    void memoryThatRunsOutEndsOneRequest() throws Exception {
        assertThatThrownBy(() -> send("GET", "/exhausted")).isInstanceOf(IOException.class);
        assertThat(send("GET", "/page").statusCode()).isEqualTo(200);
    }

    @Test
    void whatIsNoRequest() throws Exception {
        for (String line : List.of(
                "GET /page",
                "GET",
                "",
                " GET /page HTTP/1.1",
                "GET  /page HTTP/1.1",
                "GET page HTTP/1.1",
                "GET /page HTTP/2.0",
                "GET http://host/page HTTP/1.1",
                "\u0016\u0003\u0001\u0002\u0000")) {
            assertThat(exchange(line + "\r\n\r\n")).as(line).startsWith("HTTP/1.1 400 ");
        }
        assertThat(exchange("GET /page HTTP/1.0\n\n")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aRequestMayComeInPieces() throws Exception {
        Socket socket = connect();
        for (byte each : "GET /page HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)) {
            socket.getOutputStream().write(each);
            socket.getOutputStream().flush();
        }
        assertThat(readAll(socket)).startsWith("HTTP/1.1 200 ").endsWith("a page; accepts \n");
    }

    @Test
    void aHeadThatIsTooLongIsRefusedAndNotKept() throws Exception {
        assertThat(exchange("GET /" + "a".repeat(Exchange.HEAD_MAX_BYTES))).startsWith("HTTP/1.1 414 ");
        assertThat(exchange("GET /page HTTP/1.1\r\nX: " + "a".repeat(Exchange.HEAD_MAX_BYTES)))
                .startsWith("HTTP/1.1 431 ");
        OutputStream endless = connect().getOutputStream();
        byte[] piece = new byte[1 << 16];
        // It is read on for a while, so that a client gets its answer, and then cut off.
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        endless.write(piece);
                    }
                })
                .isInstanceOf(IOException.class);
        assertThat(send("GET", "/page").statusCode()).isEqualTo(200);
    }

    @Test
    void whoSaysNothingIsInNobodysWay() throws Exception {
        Socket first = connect();
        for (int i = 0; i < 3 * HttpEndpoint.CONNECTIONS_MAX; i++) {
            Socket silent = connect();
            if (i % 2 == 0) {
                silent.getOutputStream().write("GET /page HT".getBytes(StandardCharsets.US_ASCII));
            }
        }
        long startNanos = System.nanoTime();
        assertThat(send("GET", "/page").statusCode()).isEqualTo(200);
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos))
                .as("nobody's time had to run out")
                .isLessThan(HttpEndpoint.EXCHANGE_MAX_MILLIS);
        assertThat(isEnded(first)).as("the oldest had to go").isTrue();
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("walmerge-http")))
                .hasSize(1);
    }

    @Test
    void whoSaysOrReadsNothingIsCutOff() throws Exception {
        long startNanos = System.nanoTime();
        Socket silent = connect();
        Socket deaf = connect();
        deaf.getOutputStream().write("GET /large HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(send("GET", "/page").statusCode()).isEqualTo(200);
        assertThat(isEnded(silent)).isTrue();
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos))
                .isBetween(HttpEndpoint.EXCHANGE_MAX_MILLIS - 1, 3 * HttpEndpoint.EXCHANGE_MAX_MILLIS);
        assertThat(readAll(deaf).length()).isLessThan(LARGE_BYTES);
    }

    @Test
    void aPortThatIsTakenIsAnErrorAndOneThatWasClosedIsFree() throws Exception {
        InetSocketAddress address = endpoint.address();
        assertThatThrownBy(() -> HttpEndpoint.open(address, (path, accept) -> null))
                .isInstanceOf(BindException.class);
        assertThat(send("GET", "/page").statusCode()).isEqualTo(200);
        endpoint.close();
        endpoint = HttpEndpoint.open(address, (path, accept) -> Response.text(200, "another"));
        assertThat(send("GET", "/page").body()).isEqualTo("another\n");
    }

    private HttpResponse<String> send(String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .method(method, BodyPublishers.noBody())
                .header("Accept", "text/x;q=0.5")
                .header("accept", "text/y")
                .timeout(Duration.ofMillis(PATIENCE_MILLIS))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private HttpRequest get(String path) {
        return HttpRequest.newBuilder(uri(path)).build();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + endpoint.address().getPort() + path);
    }

    private Socket connect() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        sockets.add(socket);
        return socket;
    }

    private String exchange(String bytes) throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        return readAll(socket);
    }

    /** What came before the end, be it a rude one. */
    private static String readAll(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder all = new StringBuilder();
        byte[] piece = new byte[1 << 16];
        try {
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                all.append(new String(piece, 0, count, StandardCharsets.ISO_8859_1));
            }
        } catch (SocketException e) {
            // Reset by the other side.
        }
        return all.toString();
    }

    private static boolean isEnded(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }
}
