package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;

/**
 * Runs a step for many documents such that a refused one fails alone: a batch that is refused is halved. The connection
 * is in a transaction.
 */
final class Bisection {
    /** When so many were refused and none went through, it is not about them: the others are not tried. */
    private static final int HOPELESS = 8;

    private final Connection connection;
    private final Step step;
    private final OnRefusal onRefusal;
    private int refusals;
    private boolean anyDone;
    private SQLException last;

    @FunctionalInterface
    interface Step {
        void run(List<DocumentWrite> writes) throws SQLException;
    }

    @FunctionalInterface
    interface OnRefusal {
        void accept(DocumentWrite write, SQLException why) throws SQLException;
    }

    Bisection(Connection connection, Step step, OnRefusal onRefusal) {
        this.connection = connection;
        this.step = step;
        this.onRefusal = onRefusal;
    }

    /** @throws SQLException an error that is not about a document */
    void run(List<DocumentWrite> writes) throws SQLException {
        if (writes.isEmpty()) {
            return;
        }
        if (!anyDone && refusals >= HOPELESS) {
            for (DocumentWrite write : writes) {
                onRefusal.accept(write, last);
            }
            return;
        }
        Savepoint savepoint = connection.setSavepoint();
        try {
            step.run(writes);
            connection.releaseSavepoint(savepoint);
            anyDone = true;
            return;
        } catch (SQLException e) {
            if (!Refusal.isOfDocument(e)) {
                throw e;
            }
            connection.rollback(savepoint);
            connection.releaseSavepoint(savepoint);
            if (writes.size() == 1) {
                refusals++;
                last = e;
                onRefusal.accept(writes.get(0), e);
                return;
            }
        }
        int half = writes.size() / 2;
        run(writes.subList(0, half));
        run(writes.subList(half, writes.size()));
    }
}
