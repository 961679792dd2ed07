package dev.walmerge.bench.demo;

import dev.walmerge.bench.pipeline.House;
import dev.walmerge.bench.trace.TraceLibrary;
import dev.walmerge.sidecar.embedded.EmbeddedServer;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ops/walmerge demo}: everything, on this machine, from nothing. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Starts an embedded Postgres and a sidecar, types real editing histories into it, and shows what"
                + " comes out. Stays up for you to try psql, until Ctrl-C.")
public final class DemoCommand implements Callable<Integer> {
    private static final int DEFAULT_RATE = 1000;
    private static final int UNDECIDED = -1;

    @Option(names = "--ephemeral", description = "use a temporary database, deleted at the end")
    private boolean ephemeral;

    @Option(names = "--exit", description = "end after the report: 0 if every text matched, 1 if not")
    private boolean exit;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "" + DEFAULT_RATE,
            description = "edits per second and document, 0 for as fast as it goes (default: ${DEFAULT-VALUE})")
    private int rate;

    private final PrintStream out = System.out;
    private volatile int exitCode = UNDECIDED;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (rate < 0) {
            throw new ParameterException(spec.commandLine(), "--rate: must be 0 or more");
        }
        boolean terminal = Boolean.getBoolean("walmerge.terminal");
        House house = new House();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> onShutdown(house), "demo-shutdown"));
        long begun = System.nanoTime();
        EmbeddedServer server = house.open(ephemeral);
        house.startSidecar();
        out.printf(
                Locale.ROOT,
                "Postgres on port %d, %s; schema installed, sidecar running (%.1f s).%n",
                server.port(),
                ephemeral ? "temporary" : "data in " + server.folder(),
                (System.nanoTime() - begun) / 1e9);
        boolean ok;
        try {
            TraceLibrary library = TraceLibrary.open();
            ok = new Demo(server.url(), library, library.traces(), rate, out, terminal).run();
        } catch (SQLException e) {
            if (house.isClosing()) {
                return 1;
            }
            throw e;
        }
        printConnection(server);
        if (!exit) {
            out.println("Running until Ctrl-C.");
            exitCode = ok ? 0 : 1;
            new CountDownLatch(1).await();
        }
        house.close();
        return ok ? 0 : 1;
    }

    /** Ctrl-C is the ordinary end of a demo that stays up: it says what the report said. */
    private void onShutdown(House house) {
        house.close();
        if (exitCode != UNDECIDED) {
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private void printConnection(EmbeddedServer server) {
        out.println("Try them yourself:");
        out.println("  psql " + server.connectionUri());
        out.println("Any psql will do; the embedded server has none. Debian, Ubuntu: apt install postgresql-client."
                + " macOS: brew install libpq.");
    }
}
