package dev.walmerge.sidecar.http;

/** What there is to be had. */
@FunctionalInterface
public interface Pages {
    /**
     * The page at a path, or null. Called on the endpoint's one thread, so it must neither block nor take long.
     *
     * @param path without the query
     * @param accept what the client says it takes, empty if it does not say
     */
    Response answer(String path, String accept);
}
