package dev.walmerge.decoder.pgoutput;

import java.util.Locale;

/**
 * Bytes that are not a message of pgoutput, or not one that may come at this point of the stream. Carries no content, so it can be logged. A stream that gave one can't be trusted further: end the session.
 */
public final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1;

    /** What was violated. The names are stable. */
    public enum Rule {
        /** The message ends inside a field. */
        TRUNCATED,
        /** Bytes follow a message that is complete. */
        TRAILING_BYTES,
        /** A message longer than the session's limit. */
        MESSAGE_TOO_LONG,
        /** The first byte names no message of any version. */
        UNKNOWN_KIND,
        /** A message that only comes in a session that asks for streaming or two-phase commit, which this one did not. */
        KIND_NOT_ASKED_FOR,
        /** A count of columns or relations that the remaining bytes can't hold. */
        COUNT_PAST_END,
        /** A value's length is negative, or more than the remaining bytes. */
        LENGTH_PAST_END,
        /** The byte before a tuple is not one that may stand there. */
        UNKNOWN_TUPLE_KIND,
        /** The byte before a value is not {@code n}, {@code u}, {@code t} or {@code b}. */
        UNKNOWN_VALUE_KIND,
        /** A replica identity other than {@code d}, {@code n}, {@code f} or {@code i}. */
        UNKNOWN_REPLICA_IDENTITY,
        /** A value that was not sent, though the row may not leave one out. */
        UNCHANGED_VALUE,
        /** A flag that the protocol does not define. */
        UNKNOWN_FLAG,
        /** A row of a relation that was not described in this session. */
        UNKNOWN_RELATION,
        /** A row with more or fewer values than its relation has columns. */
        COLUMN_COUNT,
        /** A time that has no Unix microseconds in 64 bits. */
        TIME_OUT_OF_RANGE,
        /** A transaction id that no transaction can have. */
        RESERVED_XID,
        /** A transaction or block inside another one, or a row or an end outside of any. */
        TRANSACTION_ORDER,
        /** A streamed transaction that begins twice, or goes on or ends without having begun. */
        STREAM_ORDER,
        /** More streamed transactions at once than the session's limit. */
        TOO_MANY_STREAMS,
        /** The end of a transaction names another LSN, xid or name than its beginning did. */
        ANNOUNCED_OTHERWISE,
        /** A record that ends at or before the place where it starts. */
        END_LSN;

        /** A stable code for logs and metrics, such as {@code pgoutput.unknown_kind}. */
        public String code() {
            return "pgoutput." + name().toLowerCase(Locale.ROOT);
        }
    }

    private final Rule rule;
    private final int offset;

    MalformedMessageException(Rule rule, int offset) {
        super(rule.code() + " at byte " + offset + " of the message");
        this.rule = rule;
        this.offset = offset;
    }

    public Rule rule() {
        return rule;
    }

    /** Where in the message, in bytes from its first one, the field starts that broke the rule. */
    public int offset() {
        return offset;
    }
}
