package dev.walmerge.sidecar.http;

import java.nio.charset.StandardCharsets;

/**
 * What is answered.
 *
 * @param status of HTTP
 * @param type of the body
 */
public record Response(int status, String type, byte[] body) {
    /** One line of plain text. */
    public static Response text(int status, String line) {
        return new Response(status, "text/plain; charset=utf-8", (line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
