package dev.walmerge.bench.soak;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Writes its documents until it is told to end, each batch exactly once whatever happens to the server: the commits of its
 * two sessions interleave, so that the order of row ids is not that of commits.
 */
final class Writer implements Callable<List<PlannedDocument>> {
    private static final int BATCH_MAX = 24;
    private static final int DOCUMENTS_AT_ONCE_MAX = 3;
    private static final int STEPS_MAX = 5;
    /** Of new documents, this share is a whole history. */
    private static final int WHOLE_PERCENT = 3;

    private static final int ROLLBACK_PERCENT = 5;
    private static final int SAVEPOINT_PERCENT = 5;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int SESSIONS = 2;

    private final String url;
    private final int number;
    private final List<History> histories;
    private final int documentsOpen;
    private final long nanosPerOp;
    private final BadOps bad;
    private final AtomicLong committedOps;
    private final BooleanSupplier ending;
    private final Random random;
    private final Session[] sessions = new Session[SESSIONS];
    private final List<PlannedDocument> all = new ArrayList<>();
    private int batches;
    private long begunNanos;
    private long ownOps;

    Writer(
            String url,
            int number,
            SoakSettings settings,
            List<History> histories,
            BadOps bad,
            AtomicLong committedOps,
            BooleanSupplier ending) {
        this.url = url;
        this.number = number;
        this.histories = histories;
        this.documentsOpen = Math.max(1, settings.documents() / settings.writers());
        this.nanosPerOp = TimeUnit.SECONDS.toNanos(1) * settings.writers() / settings.opsPerSecond();
        this.bad = bad;
        this.committedOps = committedOps;
        this.ending = ending;
        this.random = new Random(settings.seed() * 31 + number);
    }

    /** Every document it made, whole. */
    @Override
    public List<PlannedDocument> call() throws SQLException {
        begunNanos = System.nanoTime();
        List<PlannedDocument> open = new ArrayList<>();
        try {
            while (true) {
                if (ending.getAsBoolean()) {
                    open.forEach(PlannedDocument::endSoon);
                }
                open.removeIf(PlannedDocument::isDone);
                while (!ending.getAsBoolean() && open.size() < documentsOpen) {
                    open.add(newDocument());
                }
                if (open.isEmpty()) {
                    return all;
                }
                write(window(open));
                awaitTurn();
            }
        } finally {
            for (Session session : sessions) {
                if (session != null) {
                    session.close();
                }
            }
        }
    }

    private PlannedDocument newDocument() {
        History history = histories.get(random.nextInt(histories.size()));
        int step = random.nextInt(100) < WHOLE_PERCENT ? history.steps() : 1 + random.nextInt(STEPS_MAX);
        PlannedDocument document = new PlannedDocument(
                "w" + number + "-" + all.size() + "-" + history.name(), history, Math.min(step, history.steps()));
        all.add(document);
        return document;
    }

    /** Some ops of some documents, in no order. */
    private List<PlannedOp> window(List<PlannedDocument> open) {
        List<PlannedDocument> chosen = new ArrayList<>(open);
        Collections.shuffle(chosen, random);
        List<PlannedOp> ops = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(DOCUMENTS_AT_ONCE_MAX) && i < chosen.size(); i++) {
            chosen.get(i).addWindow(ops, bad, random);
        }
        Collections.shuffle(ops, random);
        return ops;
    }

    private void write(List<PlannedOp> ops) throws SQLException {
        List<Batch> cut = new ArrayList<>();
        for (int at = 0; at < ops.size(); ) {
            int end = Math.min(ops.size(), at + 1 + random.nextInt(BATCH_MAX));
            List<PlannedOp> part = ops.subList(at, end);
            cut.add(new Batch(
                    batches++, part, random.nextInt(100) < SAVEPOINT_PERCENT ? part.subList(0, 1) : List.of()));
            at = end;
        }
        if (random.nextInt(100) < ROLLBACK_PERCENT) {
            rollBack(cut.get(0).ops());
        }
        for (int i = 0; i < cut.size(); i += SESSIONS) {
            commit(cut.subList(i, Math.min(i + SESSIONS, cut.size())));
        }
    }

    /** Batches whose transactions are open at once, the one begun last committed first as often as not. */
    private void commit(List<Batch> pair) throws SQLException {
        List<Integer> order = new ArrayList<>(List.of(0, 1)).subList(0, pair.size());
        Collections.shuffle(order, random);
        boolean[] done = new boolean[pair.size()];
        try {
            boolean[] open = new boolean[pair.size()];
            for (int i = 0; i < pair.size(); i++) {
                open[i] = session(i).begin(number, pair.get(i));
            }
            for (int i : order) {
                if (open[i]) {
                    session(i).commit();
                }
                done[i] = true;
            }
        } catch (SQLException e) {
            drop();
        }
        for (int i = 0; i < pair.size(); i++) {
            if (!done[i]) {
                untilCommitted(pair.get(i));
            }
            pair.get(i).ops().forEach(op -> op.document().committed(op));
            committedOps.addAndGet(pair.get(i).ops().size());
            ownOps += pair.get(i).ops().size();
        }
    }

    private void untilCommitted(Batch batch) throws SQLException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                if (session(0).begin(number, batch)) {
                    session(0).commit();
                }
                return;
            } catch (SQLException e) {
                drop();
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private void rollBack(List<PlannedOp> ops) {
        try {
            session(0).insertAndRollBack(ops);
        } catch (SQLException e) {
            // Then it was rolled back by the server.
            drop();
        }
    }

    private Session session(int index) throws SQLException {
        if (sessions[index] == null) {
            sessions[index] = Session.open(url);
        }
        return sessions[index];
    }

    private void drop() {
        for (int i = 0; i < SESSIONS; i++) {
            if (sessions[i] != null) {
                sessions[i].close();
                sessions[i] = null;
            }
        }
    }

    private void awaitTurn() {
        long rest = begunNanos + ownOps * nanosPerOp - System.nanoTime();
        if (rest > 0) {
            LockSupport.parkNanos(rest);
        }
    }
}
