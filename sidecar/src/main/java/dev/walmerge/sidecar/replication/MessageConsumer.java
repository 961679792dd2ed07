package dev.walmerge.sidecar.replication;

import dev.walmerge.decoder.pgoutput.MalformedMessageException;

/** Receives the messages of a slot, one whole message a call, on the reader's thread. */
@FunctionalInterface
public interface MessageConsumer {
    /**
     * @param lsn the server's position for the message, unsigned: for a commit where its record ends, and only those of
     *     commits are in order
     * @param buffer the driver's; valid during the call
     * @throws MalformedMessageException ends the stream
     */
    void accept(long lsn, byte[] buffer, int offset, int length) throws MalformedMessageException;
}
