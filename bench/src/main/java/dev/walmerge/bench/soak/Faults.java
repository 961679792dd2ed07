package dev.walmerge.bench.soak;

import dev.walmerge.bench.process.SidecarRun;
import dev.walmerge.engine.failpoint.FailpointSetting;
import dev.walmerge.sidecar.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Gives the sidecar one life after another, each with a seeded end, until it is told to end. What a sidecar must never do
 * (end by itself, fail to come back) is noted in the tally, and the next life begins.
 */
final class Faults implements Callable<Void> {
    private static final int FAILPOINT_PERCENT = 65;
    private static final int DROP_SLOT_PERCENT = 5;
    private static final int BLOWS_MAX = 3;
    private static final int READY_MILLIS = 90_000;
    private static final int REACH_MILLIS = 8_000;
    /** A leaf is left two seconds after its first row, and must be written, and looked at twice. */
    private static final int REACH_TRIM_MILLIS = 30_000;

    private static final int CLEAN_END_MILLIS = 40_000;
    private static final int LOOSE_END_MILLIS = 2_500;
    private static final int STOPPED_MILLIS = 2_000;
    /** Longer than the server waits for a word of it. */
    private static final int STOPPED_LONG_MILLIS = 13_000;

    private static final String SYNC_TIMEOUT = "90 s";
    private static final String READY = " ready: ";

    private final Server server;
    private final Path folder;
    private final Tally tally;
    private final BooleanSupplier ending;
    private final Random random;
    private final Deck deck;
    private final AtomicInteger lives = new AtomicInteger();
    /** The one that must be alive now; null between two lives. */
    private SidecarRun current;

    private final String journalAbove;
    private int hosts;
    private boolean startsFromTables;

    Faults(Server server, Path folder, SoakSettings settings, Tally tally, BooleanSupplier ending) {
        this.server = server;
        this.folder = folder;
        this.tally = tally;
        this.ending = ending;
        this.journalAbove = settings.journalAbove();
        this.random = new Random(settings.seed());
        this.deck = new Deck(random);
    }

    @Override
    public Void call() throws IOException, InterruptedException {
        try {
            while (!ending.getAsBoolean()) {
                try {
                    life();
                } catch (SQLException e) {
                    tally.fault("the server answers SQLSTATE " + e.getSQLState() + " (" + e.getMessage() + ") while "
                            + (current == null ? "no sidecar runs" : current.lastWords()));
                }
                end();
            }
            return null;
        } finally {
            end();
        }
    }

    /** A sidecar for the end of the run, which nobody harms. */
    SidecarRun startUnharmed() throws IOException {
        return start(null);
    }

    /** When a slot was made the last time, by what the sidecars say. */
    Instant lastStartFromTables() throws IOException {
        Instant last = Instant.MIN;
        for (int life = 1; life <= lives.get(); life++) {
            for (String line : Files.readAllLines(log(life))) {
                if (line.contains(" rows to backfill")) {
                    Instant at = OffsetDateTime.parse(line.substring(0, line.indexOf(' ')))
                            .toInstant();
                    last = at.isAfter(last) ? at : last;
                }
            }
        }
        return last;
    }

    private void life() throws SQLException, IOException, InterruptedException {
        if (startsFromTables) {
            // Killed before it is through, each such start reads more rows than the one before.
            readTables();
            return;
        }
        if (random.nextInt(100) < FAILPOINT_PERCENT) {
            failpointLife(deck.next());
            return;
        }
        if (random.nextInt(100) < DROP_SLOT_PERCENT) {
            dropSlot();
        }
        current = start(null);
        if (random.nextInt(4) == 0) {
            // While it starts, or just after.
            killAfter(random.nextInt(1_500));
            return;
        }
        if (!awaitReady(current)) {
            return;
        }
        for (int i = random.nextInt(BLOWS_MAX + 1); i > 0 && isUp(); i--) {
            Thread.sleep(random.nextInt(1_000));
            blow();
        }
        if (isUp()) {
            lastBlow();
        }
    }

    private long stoppedMillis() {
        return random.nextInt(5) == 0 ? STOPPED_LONG_MILLIS : random.nextInt(STOPPED_MILLIS);
    }

    private void readTables() throws SQLException, IOException, InterruptedException {
        current = start(null);
        if (awaitReady(current)) {
            server.sync(SYNC_TIMEOUT);
            startsFromTables = false;
            killAfter(0);
        }
    }

    private void blow() throws SQLException, IOException, InterruptedException {
        switch (random.nextInt(5)) {
            case 0 -> {
                server.kill();
                tally.add(Blow.SERVER_KILLED);
                mustCatchUp();
            }
            case 1 -> {
                server.restart();
                tally.add(Blow.SERVER_RESTARTED);
                mustCatchUp();
            }
            case 2 -> {
                current.signal("STOP");
                Thread.sleep(stoppedMillis());
                current.signal("CONT");
                tally.add(Blow.SIDECAR_STOPPED);
            }
            default -> {
                if (server.cutOne()) {
                    tally.add(Blow.CONNECTION_CUT);
                }
            }
        }
    }

    private void lastBlow() throws SQLException, IOException, InterruptedException {
        switch (random.nextInt(4)) {
            case 0 -> {
                current.terminate();
                if (!current.endsWithin(CLEAN_END_MILLIS)) {
                    tally.fault("SIGTERM did not end it: " + current.lastWords());
                } else if (current.exitCode() != ExitCode.OK) {
                    tally.fault("exit code " + current.exitCode() + " after SIGTERM: " + current.lastWords());
                }
                tally.add(Blow.SIDECAR_TERMINATED);
            }
            case 1 -> {
                current.signal("STOP");
                replaceStopped();
            }
            default -> killAfter(random.nextInt(2_000));
        }
    }

    private void failpointLife(Deck.Card card) throws SQLException, IOException, InterruptedException {
        if (card.needsANewSlot()) {
            dropSlot();
        }
        current = start(card.setting(), card.needsAPromise() || random.nextBoolean());
        current.says(READY, READY_MILLIS, card.announcement());
        if (!current.says(card.announcement(), card.needsTime() ? REACH_TRIM_MILLIS : REACH_MILLIS)) {
            if (isUp()) {
                deck.putBack(card);
                killAfter(0);
            }
            return;
        }
        switch (card.action()) {
            case "kill" -> {
                deck.killed(card);
                tally.addKill(card.at());
                boolean ended = current.endsWithin(CLEAN_END_MILLIS);
                if (!ended || current.exitCode() != FailpointSetting.KILLED_EXIT_CODE) {
                    tally.fault("not dead at " + card.setting() + ": " + current.lastWords());
                }
            }
            case "stop" -> {
                if (random.nextBoolean()) {
                    replaceStopped();
                } else {
                    Thread.sleep(stoppedMillis());
                    current.signal("CONT");
                    tally.add(Blow.SIDECAR_STOPPED);
                    killAfter(random.nextInt(LOOSE_END_MILLIS));
                }
            }
            default -> {
                tally.add(Blow.FAULT_THROWN);
                if (!current.endsWithin(random.nextInt(LOOSE_END_MILLIS))) {
                    current.kill();
                    tally.add(Blow.SIDECAR_KILLED);
                } else if (current.exitCode() != ExitCode.FATAL) {
                    tally.fault("exit code " + current.exitCode() + " after an exception: " + current.lastWords());
                }
            }
        }
    }

    /**
     * The current one is stopped: its connections are cut, another takes over, and then it goes on, with all it had in
     * mind. It may wait or end as fenced; the other one must not mind.
     */
    private void replaceStopped() throws SQLException, IOException, InterruptedException {
        SidecarRun zombie = current;
        try (zombie) {
            server.cutAll();
            hosts++;
            long before = server.epoch();
            current = start(null);
            if (!SidecarRun.await(() -> server.epoch() > before || !current.isAlive(), READY_MILLIS)
                    || !current.isAlive()) {
                tally.fault("no take-over from a stopped sidecar: " + current.lastWords());
                return;
            }
            Thread.sleep(random.nextInt(1_000));
            zombie.signal("CONT");
            Thread.sleep(random.nextInt(LOOSE_END_MILLIS));
            tally.add(Blow.ZOMBIE);
            if (!zombie.isAlive() && !(zombie.exitCode() == ExitCode.FATAL && endedForAReason(zombie))) {
                tally.fault("exit code " + zombie.exitCode() + " of a fenced sidecar: " + zombie.lastWords());
            }
            if (isUp() && zombie.isAlive() && random.nextBoolean()) {
                // The one that waited is next.
                long epoch = server.epoch();
                killAfter(0);
                current = null;
                SidecarRun.await(() -> server.epoch() > epoch || !zombie.isAlive(), READY_MILLIS);
                if (server.epoch() <= epoch && (zombie.isAlive() || !endedForAReason(zombie))) {
                    tally.fault("no take-over by the sidecar that waited: " + zombie.lastWords());
                }
            }
            zombie.kill();
        }
        if (current != null) {
            killAfter(random.nextInt(LOOSE_END_MILLIS));
        }
    }

    private static boolean endedForAReason(SidecarRun zombie) {
        return zombie.log().contains("fenced") || zombie.log().contains("FencedException");
    }

    /** What is committed now must be written in bounded time, whatever was done before. */
    private void mustCatchUp() throws SQLException, InterruptedException {
        if (random.nextBoolean()) {
            server.sync(SYNC_TIMEOUT);
        } else {
            Thread.sleep(random.nextInt(1_000));
        }
    }

    private boolean awaitReady(SidecarRun run) throws InterruptedException {
        if (run.says(READY, READY_MILLIS)) {
            return true;
        }
        tally.fault((run.isAlive() ? "not ready after " + READY_MILLIS / 1000 + " s: " : "ended while it started: ")
                + run.lastWords());
        return false;
    }

    /** Notes it if the current one ended by itself. */
    private boolean isUp() {
        if (!current.isAlive()) {
            tally.fault("ended by itself with " + current.exitCode() + ": " + current.lastWords());
            current = null;
            return false;
        }
        return true;
    }

    private void killAfter(long millis) throws InterruptedException {
        if (current.endsWithin(millis)) {
            isUp();
            return;
        }
        current.kill();
        current = null;
        tally.add(Blow.SIDECAR_KILLED);
    }

    private void dropSlot() throws SQLException, InterruptedException {
        while (!server.dropSlot()) {
            Thread.sleep(100);
        }
        startsFromTables = true;
        tally.add(Blow.SLOT_DROPPED);
    }

    /** As often as not its slot is told soon what only the journal has, so that the next one replays that. */
    private SidecarRun start(String failpoint) throws IOException {
        return start(failpoint, random.nextBoolean());
    }

    private SidecarRun start(String failpoint, boolean promises) throws IOException {
        int life = lives.incrementAndGet();
        List<String> arguments = new ArrayList<>(List.of("--url", server.url(), "--slot", Server.SLOT));
        // So little memory that documents are evicted and loaded again.
        arguments.addAll(List.of("--shards", "2", "--memory", "16MiB"));
        if (journalAbove != null && promises) {
            arguments.addAll(List.of("--journal-above", journalAbove));
        }
        arguments.addAll(
                List.of("--state-directory", folder.resolve("host-" + hosts % 2).toString()));
        return SidecarRun.start(List.of("-XX:TieredStopAtLevel=1", "-Xmx256m"), arguments, log(life), failpoint);
    }

    private Path log(int life) {
        return folder.resolve(String.format(Locale.ROOT, "sidecar-%04d.log", life));
    }

    private void end() throws InterruptedException {
        if (current != null) {
            current.kill();
            current = null;
        }
    }
}
