package dev.walmerge.sidecar;

import dev.walmerge.engine.Trouble;
import dev.walmerge.engine.journal.CorruptJournalException;
import dev.walmerge.engine.journal.JournalDiskFullException;
import dev.walmerge.engine.journal.JournalInUseException;
import dev.walmerge.engine.journal.JournalLostException;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.PublicationChangedException;
import dev.walmerge.engine.writeback.ServerNotReadyException;
import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.replication.ReplicationException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** What the errors of the parts mean to whoever runs the sidecar. Never shows a statement's values. */
public final class OperatingErrors {
    private static final String SLOT_PAST_PUBLICATION = "slot-past-publication";
    private static final String OUT_OF_MEMORY = "out-of-memory";
    /** What fails for so long does not look like passing. */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(5);

    private OperatingErrors() {}

    public static OperatingException of(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.equals(ReplicationException.NO_PASSWORD)) {
            return operator(
                    "password-missing",
                    "the server asks for a password and none was given",
                    "set WALMERGE_PASSWORD, or write the password into ~/.pgpass",
                    e);
        }
        if (state.startsWith("28")) {
            return operator("login-refused", "the server refuses the login", "check user, password and pg_hba.conf", e);
        }
        if (state.equals("3D000")) {
            return operator("no-database", "the database does not exist", "check the name at the end of the URL", e);
        }
        if (state.equals("3F000") || state.equals("42P01")) {
            return operator(
                    "schema-missing",
                    "the schema crdt is not installed in this database",
                    "run `ops/walmerge init --url ...` as the database's owner",
                    e);
        }
        if (state.equals("25006")) {
            return readOnly(e);
        }
        if (state.equals("42501")) {
            String cure =
                    "run `ops/walmerge init --sidecar-role NAME` as the owner: it grants or prints what is missing";
            return operator("missing-right", "the role lacks a right", cure, e);
        }
        if (state.startsWith("08") || state.startsWith("57P") || state.startsWith("53")) {
            return retryable(
                    "server-unreachable",
                    "the server can't be reached, or is not ready (SQLSTATE " + state + ": " + firstLine(e) + ")",
                    "check host, port and the server's log",
                    e);
        }
        return retryable("server-error", "SQLSTATE " + state, "see the server's log", e);
    }

    static OperatingException of(ReplicationException e) {
        Kind kind = switch (e.code()) {
            // The next session starts over from the tables.
            case SLOT_MISSING, SLOT_LOST, SLOT_EXISTS -> Kind.RETRYABLE;
            default ->
                switch (e.code().kind()) {
                    case RETRYABLE -> Kind.RETRYABLE;
                    case OPERATOR -> Kind.OPERATOR;
                    case FATAL -> Kind.FATAL;
                };
        };
        return new OperatingException(
                kind, e.code().label(), e.getMessage(), e.code().cure(), e);
    }

    /** The slot can't decode, or skipped, what was written while its publication was another: the next session makes it anew. */
    static OperatingException slotPastPublication(Throwable e) {
        return retryable(SLOT_PAST_PUBLICATION, e.getMessage(), "the slot is made anew, from the tables", e);
    }

    /** Whether the next session must start over although the slot is there. */
    static boolean needsTables(OperatingException e) {
        return e.code().equals(SLOT_PAST_PUBLICATION) || e.code().equals(ReplicationException.Code.SLOT_LOST.label());
    }

    /** Whether there was too little memory: the next session begins with an empty heap. */
    static boolean isShortOfMemory(OperatingException e) {
        return e.code().equals(OUT_OF_MEMORY) || e.code().equals(ReplicationException.Code.MESSAGE_TOO_LARGE.label());
    }

    /** The same came again and again, and nothing was written in between: time is no cure. */
    static OperatingException hopeless(OperatingException e, int times) {
        return operator(e.code(), e.getMessage() + ", " + times + " times in a row", e.cure(), e);
    }

    /** The next session looks at what is there now. */
    static OperatingException anotherServer() {
        return retryable(
                "another-server",
                "another server answers than the one that was taken over, or it was started anew",
                "nothing to do if it was a failover or a restart; else make the URL name one server",
                null);
    }

    static OperatingException standby() {
        return retryable(
                "standby",
                "this server is a standby; waiting until it is promoted",
                "give the URL of the primary, or of all servers with targetServerType=primary",
                null);
    }

    static OperatingException slotInUse(String slot) {
        return retryable(
                "slot-in-use",
                "another sidecar wrote by slot " + slot + " meanwhile",
                "let only one sidecar run on a slot",
                null);
    }

    static OperatingException publicationNotWhole(Kind kind) {
        return new OperatingException(
                kind,
                "publication-missing",
                "the publication walmerge is missing, lacks a table of crdt, or filters one",
                "run `ops/walmerge init`, which makes or mends it",
                null);
    }

    static OperatingException of(IOException e, Path directory) {
        if (e instanceof JournalInUseException) {
            return retryable(
                    "journal-in-use",
                    "another sidecar uses the journal below " + directory + "; waiting for its end",
                    "end the other one, which may hang, or name another folder with --state-directory",
                    e);
        }
        if (e instanceof JournalDiskFullException) {
            return retryable(
                    "journal-disk-full",
                    "the disk of the journal is full: " + e.getMessage(),
                    "make room below " + directory + ", lower --journal-reserve, or name another folder with"
                            + " --state-directory",
                    e);
        }
        if (e instanceof JournalLostException) {
            return journalLost(e);
        }
        return operator(
                "state-directory",
                "the state directory can't be used (" + e.getClass().getSimpleName() + ")",
                "make " + directory + " writable, or name another with --state-directory",
                e);
    }

    /** The next session does without it: from the slot, or where that was told of what was in it, from the tables. */
    private static OperatingException journalLost(Throwable e) {
        return retryable(
                "journal-lost",
                "the journal is of no use any more: " + e.getMessage(),
                "nothing is lost, but leave its folder alone while the sidecar runs",
                e);
    }

    public static OperatingException of(MigrationException e) {
        String cure = switch (e.code()) {
            case SCHEMA_NEWER -> "run the version of walmerge that migrated it";
            case SCHEMA_DIFFERS -> "run the build that installed it";
            case SCHEMA_FOREIGN -> "rename that schema, or use another database";
            case SCHEMA_NEEDED -> "drop those objects, or run uninstall with --cascade";
            case SIDECAR_ACTIVE -> "stop the sidecar, or run uninstall with --force";
            case NOT_PERMITTED ->
                "run init as a role with CREATE on the database and CREATEROLE, uninstall as the schema's owner";
            case SERVER_TOO_OLD -> "use Postgres 15 or later";
        };
        return operator(e.code().label(), e.getMessage(), cure, e);
    }

    /** Null as long as it may well pass by itself. */
    static OperatingException lasting(Trouble trouble) {
        if (trouble == null || System.nanoTime() - trouble.sinceNanos() < LASTING_NANOS) {
            return null;
        }
        String state = String.valueOf(trouble.refusal().getSQLState());
        String message = trouble.doing() + " fails: " + trouble.describe();
        return switch (state) {
            case "42501" ->
                retryable(
                        "missing-right",
                        message,
                        "`select finding, cure from crdt.health where name = 'rights'` names it, and the grant",
                        null);
            case "42P01", "42703", "42883" ->
                retryable(
                        "schema-broken",
                        message,
                        "undo what renamed or dropped it: `select finding, cure from crdt.health where name = 'rights'`",
                        null);
            case "25006" -> readOnly(null);
            default -> retryable("write-failing", message, "see the server's log, and what locks crdt.progress", null);
        };
    }

    private static OperatingException readOnly(SQLException e) {
        return retryable(
                "read-only",
                "the server refuses to write: default_transaction_read_only is on, or it is a standby (SQLSTATE 25006)",
                "`ops/walmerge doctor` says where it is set; set it to off there, or give the URL of the primary",
                e);
    }

    /** Why an engine stopped. */
    static OperatingException of(Throwable failure) {
        if (failure instanceof FencedException) {
            return new OperatingException(
                    Kind.FATAL,
                    "fenced",
                    "another sidecar took over, or the server went back in time: " + failure.getMessage(),
                    "let only one sidecar run on a slot; start this one again if it is the one",
                    failure);
        }
        if (failure instanceof PublicationChangedException) {
            return slotPastPublication(failure);
        }
        if (failure instanceof OutOfMemoryError) {
            return retryable(
                    OUT_OF_MEMORY,
                    "the JVM's heap is too small: " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB",
                    "give it more (-Xmx in JAVA_OPTS): ten times the largest document or update, and --memory beside it",
                    failure);
        }
        if (failure instanceof JournalLostException || failure instanceof CorruptJournalException) {
            return journalLost(failure);
        }
        if (failure instanceof ServerNotReadyException notReady) {
            return of(notReady.refusal());
        }
        return retryable(
                "engine-stopped",
                "the engine stopped: " + failure.getClass().getSimpleName(),
                "it starts again from what is written; report it if it comes back",
                failure);
    }

    /** What the driver says of a connection holds host and port; later lines of a server's error may quote values. */
    private static String firstLine(SQLException e) {
        return e.getMessage() == null ? "" : e.getMessage().lines().findFirst().orElse("");
    }

    private static OperatingException operator(String code, String message, String cure, Throwable cause) {
        return new OperatingException(Kind.OPERATOR, code, message, cure, cause);
    }

    private static OperatingException retryable(String code, String message, String cure, Throwable cause) {
        return new OperatingException(Kind.RETRYABLE, code, message, cure, cause);
    }
}
