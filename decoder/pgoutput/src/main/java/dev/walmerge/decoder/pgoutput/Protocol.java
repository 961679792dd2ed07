package dev.walmerge.decoder.pgoutput;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a session asks of pgoutput, and so what its decoder must expect: the bytes do not say it themselves. The same
 * object gives both, the options of {@code START_REPLICATION} and the decoder.
 *
 * @param version {@code proto_version}, 1 to 4; PostgreSQL 15 speaks 1 to 3, 16 to 18 speak 1 to 4
 * @param streaming whether large transactions are sent before they end
 * @param twoPhase whether {@code PREPARE TRANSACTION} is sent when it happens; otherwise such a transaction comes as an
 *     ordinary one when it is committed
 * @param messageBytesMax a longer message is refused, which ends the session. Not the limit for one value: that one
 *     belongs to who reads the row, as a message that ends each session would hold the slot for ever
 * @param openStreamsMax how many transactions may be open at once that are sent before they end
 */
public record Protocol(int version, Streaming streaming, boolean twoPhase, int messageBytesMax, int openStreamsMax) {
    /** How transactions are sent that outgrow {@code logical_decoding_work_mem} of the server. */
    public enum Streaming {
        /** When they have committed. The server keeps them on its disk until then. */
        OFF(1),
        /** In blocks, as they grow (version 2). */
        ON(2),
        /** The same, and an abort says when and where it happened (version 4). */
        PARALLEL(4);

        private final int sinceVersion;

        Streaming(int sinceVersion) {
            this.sinceVersion = sinceVersion;
        }
    }

    /** The server builds a message, its header included, in a buffer that ends one byte below 1 GiB. */
    public static final int MESSAGE_BYTES_LIMIT = (1 << 30) - 1;

    /** As many as a server can have sessions ({@code max_connections}). */
    public static final int OPEN_STREAMS_LIMIT = (1 << 18) - 1;

    private static final int VERSION_MAX = 4;
    private static final int TWO_PHASE_SINCE = 3;

    /** Version 1: whole transactions, in commit order. */
    public static final Protocol PLAIN = of(1, Streaming.OFF, false);

    /** Version 2: large transactions in blocks, before they end. */
    public static final Protocol STREAMED = of(2, Streaming.ON, false);

    /** @throws IllegalArgumentException if the version lacks what is asked for, or a limit is not positive */
    public Protocol {
        if (version < 1 || version > VERSION_MAX) {
            throw new IllegalArgumentException("no version " + version + " of pgoutput");
        }
        if (version < streaming.sinceVersion || (twoPhase && version < TWO_PHASE_SINCE)) {
            throw new IllegalArgumentException("too much for version " + version + " of pgoutput");
        }
        if (messageBytesMax <= 0 || openStreamsMax <= 0) {
            throw new IllegalArgumentException("limits are positive");
        }
    }

    /** With the limits that a server has itself. */
    public static Protocol of(int version, Streaming streaming, boolean twoPhase) {
        return new Protocol(version, streaming, twoPhase, MESSAGE_BYTES_LIMIT, OPEN_STREAMS_LIMIT);
    }

    /** The options of {@code START_REPLICATION} that ask for this. */
    public Map<String, String> slotOptions() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("proto_version", Integer.toString(version));
        if (streaming != Streaming.OFF) {
            options.put("streaming", streaming.name().toLowerCase(Locale.ROOT));
        }
        if (twoPhase) {
            options.put("two_phase", "on");
        }
        return options;
    }
}
