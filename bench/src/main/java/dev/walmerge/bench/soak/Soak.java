package dev.walmerge.bench.soak;

import dev.walmerge.bench.process.SidecarRun;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.migrate.MigrationException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Writers insert real updates while the sidecar and the server are killed at random; in the end every document must equal
 * what yjs gives, and every op be accounted for. Documents, orders and faults follow from the seed; how far each comes
 * before the next fault does not, that is the machine's.
 */
public final class Soak {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long LOOK_MILLIS = 50;
    private static final long WRITERS_END_MINUTES = 10;
    private static final String SYNC_TIMEOUT = "10 min";
    private static final int STOP_MILLIS = 60_000;
    private static final int PROBLEMS_SHOWN = 20;
    /** From here on the sidecar must have been killed at every failpoint. */
    private static final Duration LONG = Duration.ofMinutes(20);

    private final SoakSettings settings;
    private final Path state;
    private final PrintStream out;
    private final Tally tally = new Tally();
    private final AtomicLong committedOps = new AtomicLong();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean ending;

    /** @param state the folder of the embedded server; the run makes one of its own in there */
    Soak(SoakSettings settings, Path state, PrintStream out) {
        this.settings = settings;
        this.state = state;
        this.out = out;
    }

    /** Runs it, and tells whether all was well; if so, its folder is gone. */
    boolean run() throws SQLException, MigrationException, IOException, InterruptedException {
        long begunNanos = System.nanoTime();
        String name = "soak-" + settings.seed() + "-" + ProcessHandle.current().pid();
        Path folder = state.resolve(name);
        boolean good;
        try (Server server = Server.start(state, name)) {
            out.printf(Locale.ROOT, "soak: seed %d, data and logs in %s%n", settings.seed(), folder);
            Thread onSignal = new Thread(() -> leaveNothing(server), "soak-shutdown");
            Runtime.getRuntime().addShutdownHook(onSignal);
            good = run(server, folder, begunNanos);
            Runtime.getRuntime().removeShutdownHook(onSignal);
        } finally {
            threads.shutdownNow();
        }
        if (good) {
            delete(folder);
        } else {
            out.printf(
                    Locale.ROOT,
                    "FAILED. Again: ops/walmerge soak --minutes %.2f --seed %d --writers %d --documents %d --rate %d%n"
                            + "Data and logs are kept in %s%n",
                    settings.duration().toSeconds() / 60.0,
                    settings.seed(),
                    settings.writers(),
                    settings.documents(),
                    settings.opsPerSecond(),
                    folder);
        }
        return good;
    }

    /** Ctrl-C does not reach the server, nor a sidecar that is stopped. */
    private void leaveNothing(Server server) {
        ending = true;
        ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
        server.close();
    }

    private boolean run(Server server, Path folder, long begunNanos)
            throws SQLException, IOException, InterruptedException {
        List<History> histories = Histories.load();
        BadOps bad = new BadOps();
        List<Future<List<PlannedDocument>>> writers = new ArrayList<>();
        for (int i = 0; i < settings.writers(); i++) {
            writers.add(
                    threads.submit(new Writer(server.url(), i, settings, histories, bad, committedOps, () -> ending)));
        }
        Faults faults = new Faults(server, folder, settings, tally, () -> ending);
        Future<Void> trouble = threads.submit(faults);
        awaitEnd(begunNanos, writers, trouble);
        ending = true;
        List<PlannedDocument> documents = new ArrayList<>();
        try {
            trouble.get();
            for (Future<List<PlannedDocument>> writer : writers) {
                documents.addAll(writer.get(WRITERS_END_MINUTES, TimeUnit.MINUTES));
            }
        } catch (ExecutionException | TimeoutException e) {
            tally.fault("a thread of the soak ended: " + e);
            report(begunNanos, null);
            return false;
        }
        return report(begunNanos, check(server, folder, faults, documents));
    }

    private void awaitEnd(long begunNanos, List<Future<List<PlannedDocument>>> writers, Future<Void> trouble)
            throws InterruptedException {
        long minute = 1;
        while (!settings.isOver(System.nanoTime() - begunNanos, tally.blows())) {
            Thread.sleep(LOOK_MILLIS);
            if (trouble.isDone() || writers.stream().anyMatch(Future::isDone)) {
                // None of them ends before it is told to: what it says comes with its result.
                return;
            }
            if (System.nanoTime() - begunNanos >= minute * MINUTE_NANOS) {
                out.printf(
                        Locale.ROOT,
                        "minute %d: %,d ops committed, %d blows, killed at %d of %d failpoints%s%n",
                        minute,
                        committedOps.get(),
                        tally.blows(),
                        Failpoint.values().length - tally.withoutKill().size(),
                        Failpoint.values().length,
                        tally.faults().isEmpty() ? "" : ", " + tally.faults().size() + " FAULTS");
                minute++;
            }
        }
    }

    private Verdict check(Server server, Path folder, Faults faults, List<PlannedDocument> documents)
            throws SQLException, IOException, InterruptedException {
        try (SidecarRun last = faults.startUnharmed()) {
            try {
                server.sync(SYNC_TIMEOUT);
            } catch (SQLException e) {
                tally.fault("the last sync failed, SQLSTATE " + e.getSQLState() + ": " + last.lastWords());
            }
            Verdict verdict;
            try (Connection connection = server.connect()) {
                verdict = Verdict.of(connection, documents, faults.lastStartFromTables());
                askYjs(RealYjs.compare(connection, documents, folder));
            }
            last.terminate();
            if (!last.endsWithin(STOP_MILLIS) || last.exitCode() != ExitCode.OK) {
                tally.fault("the last sidecar did not end well: " + last.lastWords());
            }
            return verdict;
        }
    }

    private void askYjs(RealYjs yjs) {
        out.println(yjs.summary());
        yjs.problems().stream().limit(PROBLEMS_SHOWN).forEach(tally::fault);
        if (yjs.absent() != null && "true".equals(System.getenv("CI"))) {
            tally.fault("CI=true, but yjs itself can't be run");
        } else if (yjs.absent() == null && yjs.documents() == 0) {
            tally.fault("yjs compared no document");
        }
    }

    private boolean report(long begunNanos, Verdict verdict) {
        out.printf(
                Locale.ROOT,
                "soak: seed %d, %d s, %d blows survived: %s%n",
                settings.seed(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNanos),
                tally.blows(),
                tally.blowsByKind());
        out.println("kills at failpoints: " + tally.killsByFailpoint());
        List<Failpoint> missing = tally.withoutKill();
        boolean demanded = settings.duration().compareTo(LONG) >= 0;
        if (!missing.isEmpty()) {
            out.println((demanded ? "NEVER KILLED AT: " : "not killed in so short a time at: ")
                    + missing.stream().map(Failpoint::label).collect(Collectors.joining(", ")));
        }
        if (tally.blows() < settings.blowsMin()) {
            tally.fault("only " + tally.blows() + " blows: that shows nothing");
        }
        if (verdict != null) {
            out.println(verdict.summary());
            verdict.problems().forEach(problem -> out.println("  " + problem));
        }
        tally.faults().forEach(fault -> out.println("fault: " + fault));
        return verdict != null && verdict.isGood() && tally.faults().isEmpty() && (missing.isEmpty() || !demanded);
    }

    private static void delete(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
                for (Path child : children) {
                    delete(child);
                }
            }
        }
        Files.delete(folder);
    }
}
