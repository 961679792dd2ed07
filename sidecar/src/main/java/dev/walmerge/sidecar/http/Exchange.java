package dev.walmerge.sidecar.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, for one request: read the head, write the answer, then read on until the client closes, as closing with
 * something unread would cut the answer off. Never blocks. Single thread.
 */
final class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    static final int HEAD_MAX_BYTES = 8 << 10;
    /** Read after the answer, before the connection is closed whatever the client does. */
    static final int LEFTOVER_MAX_BYTES = 1 << 20;

    private static final Map<Integer, String> REASONS = Map.of(
            200, "OK",
            400, "Bad Request",
            404, "Not Found",
            405, "Method Not Allowed",
            414, "URI Too Long",
            431, "Request Header Fields Too Large",
            500, "Internal Server Error",
            503, "Service Unavailable");

    private final SocketChannel channel;
    private final SelectionKey key;
    private final Pages pages;
    private final long deadlineNanos;
    private final ByteBuffer in = ByteBuffer.allocate(HEAD_MAX_BYTES);
    private ByteBuffer out;
    private int leftoverBytes;

    /** @param key with this channel, interested in reading */
    Exchange(SocketChannel channel, SelectionKey key, Pages pages, long deadlineNanos) {
        this.channel = channel;
        this.key = key;
        this.pages = pages;
        this.deadlineNanos = deadlineNanos;
    }

    boolean isLate(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Does what can be done at once. False when it is over and the channel is to be closed. */
    boolean advance() throws IOException {
        if (out == null) {
            int seen = in.position();
            if (channel.read(in) < 0) {
                return false;
            }
            out = answer(seen);
            if (out == null) {
                return true;
            }
        }
        if (out.hasRemaining()) {
            channel.write(out);
            if (out.hasRemaining()) {
                key.interestOps(SelectionKey.OP_WRITE);
                return true;
            }
            channel.shutdownOutput();
            key.interestOps(SelectionKey.OP_READ);
        }
        in.clear();
        int count = channel.read(in);
        leftoverBytes += Math.max(0, count);
        return count >= 0 && leftoverBytes <= LEFTOVER_MAX_BYTES;
    }

    /** Null as long as the head is not there; it does not end in what was seen. */
    private ByteBuffer answer(int seen) {
        int end = Request.endOfHead(in.array(), seen, in.position());
        if (end >= 0) {
            Request request = Request.parse(in.array(), end);
            return encode(respond(request), request.method().equals("HEAD"));
        }
        if (in.hasRemaining()) {
            return null;
        }
        boolean isLine = new String(in.array(), StandardCharsets.ISO_8859_1).indexOf('\n') < 0;
        return encode(isLine ? Response.text(414, "too long") : Response.text(431, "too long"), false);
    }

    private Response respond(Request request) {
        if (request.target() == null) {
            return Response.text(400, "not a request of HTTP/1.1");
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return Response.text(405, "only GET and HEAD");
        }
        try {
            Response page = pages.answer(request.path(), request.accept());
            return page == null ? Response.text(404, "no such page") : page;
        } catch (RuntimeException e) {
            LOG.warn("a page failed: {}", e.getClass().getName(), e);
            return Response.text(500, "internal");
        }
    }

    private static ByteBuffer encode(Response response, boolean headOnly) {
        String head = "HTTP/1.1 " + response.status() + " " + REASONS.getOrDefault(response.status(), "-") + "\r\n"
                + "Date: " + DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)) + "\r\n"
                + "Content-Type: " + response.type() + "\r\n"
                + "Content-Length: " + response.body().length + "\r\n"
                + "Cache-Control: no-store\r\n"
                + (response.status() == 405 ? "Allow: GET, HEAD\r\n" : "")
                + "Connection: close\r\n\r\n";
        byte[] headBytes = head.getBytes(StandardCharsets.US_ASCII);
        int bodyLength = headOnly ? 0 : response.body().length;
        return ByteBuffer.allocate(headBytes.length + bodyLength)
                .put(headBytes)
                .put(response.body(), 0, bodyLength)
                .flip();
    }

    void close() {
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("close: {}", e.toString());
        }
    }
}
