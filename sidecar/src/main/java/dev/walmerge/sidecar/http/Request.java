package dev.walmerge.sidecar.http;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The head of a request (RFC 9112), as far as anybody here asks for it.
 *
 * @param target null if the request line is none of HTTP/1
 * @param accept empty if there is no such field
 */
record Request(String method, String target, String accept) {
    private static final Request NONE = new Request("", null, "");
    private static final String ACCEPT = "accept:";

    /**
     * Where the head ends that begins at 0, or -1 if it goes on after {@code length}.
     *
     * @param from before which it is known not to end
     */
    static int endOfHead(byte[] bytes, int from, int length) {
        for (int i = Math.max(1, from); i < length; i++) {
            // A bare line feed ends a line, too.
            if (bytes[i] == '\n' && (bytes[i - 1] == '\n' || (i > 1 && bytes[i - 1] == '\r' && bytes[i - 2] == '\n'))) {
                return i + 1;
            }
        }
        return -1;
    }

    /** Reads a whole head. */
    static Request parse(byte[] bytes, int length) {
        String[] lines = new String(bytes, 0, length, StandardCharsets.ISO_8859_1).split("\r?\n", -1);
        String[] words = lines[0].split(" ", -1);
        if (words.length != 3 || words[0].isEmpty() || !words[1].startsWith("/") || !words[2].matches("HTTP/1\\.\\d")) {
            return NONE;
        }
        StringBuilder accept = new StringBuilder();
        for (int i = 1; i < lines.length; i++) {
            if (lines[i].toLowerCase(Locale.ROOT).startsWith(ACCEPT)) {
                accept.append(accept.isEmpty() ? "" : ",")
                        .append(lines[i].substring(ACCEPT.length()).strip());
            }
        }
        return new Request(words[0], words[1], accept.toString());
    }

    /** The target without its query. */
    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
