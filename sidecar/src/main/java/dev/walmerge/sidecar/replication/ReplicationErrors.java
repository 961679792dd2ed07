package dev.walmerge.sidecar.replication;

import dev.walmerge.sidecar.replication.ReplicationException.Code;
import java.sql.SQLException;

/** Tells errors of the server apart by SQLSTATE and by what was being done: messages are translated, states are not. */
final class ReplicationErrors {
    enum Doing {
        CONNECT,
        IDENTIFY,
        CREATE_SLOT,
        DROP_SLOT,
        START_STREAM,
        STREAM,
        BACKFILL
    }

    private ReplicationErrors() {}

    static ReplicationException of(Doing doing, SQLException error) {
        String state = error.getSQLState() == null ? "" : error.getSQLState();
        return new ReplicationException(code(doing, state), describe(doing, state, error), error);
    }

    private static Code code(Doing doing, String state) {
        return switch (state) {
            case "55006" -> Code.SLOT_IN_USE;
            case "42704" -> doing == Doing.STREAM ? Code.PUBLICATION_MISSING : Code.SLOT_MISSING;
            case "42710" -> Code.SLOT_EXISTS;
            case "55000" -> doing == Doing.CREATE_SLOT ? Code.WAL_LEVEL : Code.SLOT_LOST;
            // The WAL that the slot needs is not there, though the slot says nothing of it.
            case "58P01" ->
                doing == Doing.START_STREAM || doing == Doing.STREAM ? Code.SLOT_LOST : Code.CONNECTION_LOST;
            case "28000", "42501" -> Code.NOT_ALLOWED;
            case "28P01" -> Code.WRONG_PASSWORD;
            case ReplicationException.NO_PASSWORD -> Code.PASSWORD_MISSING;
            case "3D000" -> Code.DATABASE_MISSING;
            case "53400" -> Code.NO_FREE_SLOT;
            case "53300" -> Code.NO_FREE_CONNECTION;
            // What poolers say to the startup parameter "replication".
            case "08P01" -> doing == Doing.CONNECT ? Code.POOLER : Code.CONNECTION_LOST;
            // A pooler that ignored it hands the command to an ordinary session, which can't parse it.
            case "42601" -> doing == Doing.IDENTIFY ? Code.POOLER : Code.UNEXPECTED;
            // Out of memory or disk, canceled: the server's trouble, which passes.
            default ->
                state.startsWith("08") || state.startsWith("53") || state.startsWith("57")
                        ? Code.CONNECTION_LOST
                        : Code.UNEXPECTED;
        };
    }

    private static String describe(Doing doing, String state, SQLException error) {
        String what = switch (doing) {
            case CONNECT -> "can't connect for replication";
            case IDENTIFY -> "can't identify the server";
            case CREATE_SLOT -> "can't create the slot";
            case DROP_SLOT -> "can't drop the slot";
            case START_STREAM -> "can't start streaming";
            case STREAM -> "streaming ended";
            case BACKFILL -> "reading the op rows ended";
        };
        return what + " (SQLSTATE " + (state.isEmpty() ? "none" : state) + ": " + firstLine(error) + ")";
    }

    /** The later lines may quote values. */
    private static String firstLine(SQLException error) {
        String message = error.getMessage() == null ? "" : error.getMessage();
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
