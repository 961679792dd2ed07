package dev.walmerge.sidecar.replication;

import java.util.Locale;

/**
 * Why a slot can't be used, or why streaming ended. The message says what happened, {@link Code#cure} what to do about it; it holds no
 * content and no credentials, except what the server itself writes into an error.
 */
public final class ReplicationException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The driver's SQLSTATE for a server that wants a password when it has none to give. */
    public static final String NO_PASSWORD = "08004";

    /** Who can do something about it. */
    public enum Kind {
        /** Passes by itself: connect again, later. */
        RETRYABLE,
        /** The message tells an operator what to do; trying again before that is useless. */
        OPERATOR,
        /** A fault of walmerge or of the server. */
        FATAL
    }

    /** What happened. The names are stable. */
    public enum Code {
        /** SQLSTATE classes 08, 53 and 57: the server is unreachable, starting, short of something, or ended the session. */
        CONNECTION_LOST(Kind.RETRYABLE, "check that the server runs and is reachable"),
        /** Nothing came for longer than the limit, although an answer was asked for. */
        LINK_SILENT(Kind.RETRYABLE, "check the network between here and the server"),
        /** There is no memory for the next message, of which the driver receives the whole. */
        MESSAGE_TOO_LARGE(
                Kind.RETRYABLE,
                "give the JVM more (-Xmx in JAVA_OPTS), eight times the largest row or logical message; to keep such rows"
                        + " out, lower crdt.alter_payload_max"),
        /** 55006. */
        SLOT_IN_USE(
                Kind.RETRYABLE,
                "another sidecar reads this slot; stop it, or wait until the server notices that it is gone"
                        + " (wal_sender_timeout); pg_replication_slots.active_pid says which session it is"),
        /** 42704 when the slot is started or dropped. */
        SLOT_MISSING(Kind.OPERATOR, "the slot was dropped; start again without it to resync from the tables"),
        /** 42710. */
        SLOT_EXISTS(Kind.OPERATOR, "choose another slot name, or drop the slot if nobody needs it"),
        /** 55000 when the slot is started: its WAL is gone. */
        SLOT_LOST(
                Kind.OPERATOR,
                "the server removed WAL the slot needed (max_slot_wal_keep_size, idle_replication_slot_timeout);"
                        + " drop the slot, and start again to resync from the tables"),
        /** 42704 while streaming, or found before. */
        PUBLICATION_MISSING(Kind.OPERATOR, "run `ops/walmerge init`, which creates the publication"),
        /** 28000 or 42501. */
        NOT_ALLOWED(
                Kind.OPERATOR,
                "grant it: alter role ... replication (managed services have a role or a parameter for it),"
                        + " and let pg_hba.conf admit the role to this database"),
        /** 28P01. */
        WRONG_PASSWORD(Kind.OPERATOR, "check user and password"),
        /** 08004: what the driver says when the server wants a password and it has none. */
        PASSWORD_MISSING(Kind.OPERATOR, "set WALMERGE_PASSWORD, or write the password into ~/.pgpass"),
        /** 3D000. */
        DATABASE_MISSING(Kind.OPERATOR, "check the database's name in the URL"),
        /** 55000 when a slot is created. */
        WAL_LEVEL(Kind.OPERATOR, "set wal_level = logical and restart the server"),
        /** 53400. */
        NO_FREE_SLOT(Kind.OPERATOR, "raise max_replication_slots, or drop a slot that nobody reads"),
        /** 53300 at login. */
        NO_FREE_CONNECTION(Kind.RETRYABLE, "raise max_wal_senders or max_connections if it stays so"),
        /** The far end does not speak the replication protocol. */
        POOLER(Kind.OPERATOR, "a connection pooler answered; give the URL of the server itself"),
        /** The decoder refused a message. */
        MALFORMED_MESSAGE(Kind.FATAL, "report it with the rule and the server's version"),
        /** Any other error of the server. */
        UNEXPECTED(Kind.FATAL, "look the SQLSTATE up, and see the server's log");

        private final Kind kind;
        private final String cure;

        Code(Kind kind, String cure) {
            this.kind = kind;
            this.cure = cure;
        }

        public Kind kind() {
            return kind;
        }

        /** What to do, as one clause. */
        public String cure() {
            return cure;
        }

        /** The stable name for logs, metrics and the runbook's anchors, such as {@code slot-in-use}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Code code;

    ReplicationException(Code code, String what, Throwable cause) {
        super(what, cause);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
