package dev.walmerge.sidecar.cli;

import dev.walmerge.engine.failpoint.FailpointSetting;
import dev.walmerge.sidecar.Endpoints;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.OperatingErrors;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.Sidecar;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.embedded.EmbeddedServer;
import dev.walmerge.sidecar.metrics.Monitoring;
import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.migrate.Migrator;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code walmerge run}: the sidecar, until it is told to stop. */
@Command(
        name = "run",
        description = "Runs the sidecar against a Postgres, or without --url on an embedded one.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws ConfigException, OperatingException, InterruptedException {
        SidecarSettings settings = SettingsOptions.read(spec);
        armFailpoint(System.getenv(FailpointSetting.VARIABLE));
        try (Monitoring monitoring = Monitoring.open(settings)) {
            if (settings.url() != null) {
                run(settings, null, monitoring);
            } else {
                runEmbedded(settings, monitoring);
            }
        }
        return ExitCode.OK;
    }

    private static void runEmbedded(SidecarSettings settings, Monitoring monitoring)
            throws OperatingException, InterruptedException {
        EmbeddedServer server = EmbeddedServer.startKept(settings.stateDirectory());
        SidecarSettings embedded = settings.withUrl(server.url());
        try {
            install(embedded);
        } catch (OperatingException e) {
            server.close();
            throw e;
        }
        LOG.info("embedded Postgres: psql \"{}\"", server.connectionUri());
        run(embedded, server, monitoring);
    }

    /** The settings were read, so what it says can be read too. */
    private static void armFailpoint(String setting) {
        if (setting != null && !setting.isEmpty()) {
            FailpointSetting.parse(setting).arm();
        }
    }

    private static void install(SidecarSettings settings) throws OperatingException {
        try (Connection connection = Endpoints.of(settings).connect("init")) {
            Migrator.apply(connection);
        } catch (SQLException e) {
            throw OperatingErrors.of(e);
        } catch (MigrationException e) {
            throw OperatingErrors.of(e);
        }
    }

    /** Runs until a signal comes or an operator is needed; {@code server} is ours to stop afterwards, or null. */
    private static void run(SidecarSettings settings, EmbeddedServer server, Monitoring monitoring)
            throws OperatingException, InterruptedException {
        Sidecar sidecar = new Sidecar(settings);
        monitoring.follow(sidecar::status);
        // SIGTERM and Ctrl-C: write what was read, then end as someone who did what was asked.
        Thread onSignal = new Thread(
                () -> {
                    close(sidecar, server);
                    Runtime.getRuntime().halt(ExitCode.OK);
                },
                "walmerge-stop");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            sidecar.begin();
            sidecar.awaitEnd();
        } catch (OperatingException e) {
            if (!forget(onSignal)) {
                // A signal came first: the hook ends the process, as one that was asked to.
                onSignal.join();
            }
            close(sidecar, server);
            throw e;
        }
    }

    /** False if the hook runs already. */
    private static boolean forget(Thread hook) {
        try {
            return Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static void close(Sidecar sidecar, EmbeddedServer server) {
        sidecar.close();
        if (server != null) {
            server.close();
        }
    }
}
