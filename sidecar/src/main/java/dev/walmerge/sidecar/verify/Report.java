package dev.walmerge.sidecar.verify;

import java.util.List;

/**
 * What a verification found. It names documents by the hash that logs name them by, and rows by their id: no content.
 *
 * @param documents looked at
 * @param ops rows of the ring, each looked for
 * @param merged of these, or waiting in their document
 * @param deadLetters of these
 * @param dropped of these: their documents are forgotten
 * @param faults one a line, at most {@link #MAX_FAULTS}
 * @param faultCount how many there are
 */
public record Report(
        long documents, long ops, long merged, long deadLetters, long dropped, List<String> faults, long faultCount) {
    static final int MAX_FAULTS = 20;
}
