package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.Endpoints;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.OperatingErrors;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.migrate.Install;
import dev.walmerge.sidecar.migrate.MigrationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code walmerge init}: what a DBA runs once, and again after an upgrade. */
@Command(
        name = "init",
        description = "Installs or upgrades the schema crdt, its roles and its publication. Idempotent; needs CREATE on"
                + " the database and CREATEROLE, no superuser.",
        mixinStandardHelpOptions = true)
final class InitCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--sidecar-role", paramLabel = "NAME", description = "the role the sidecar logs in as")
    private String sidecarRole;

    @Option(names = "--dry-run", description = "print the SQL, change nothing")
    private boolean dryRun;

    @Override
    public Integer call() throws ConfigException, OperatingException {
        SidecarSettings settings = SettingsOptions.read(spec);
        if (settings.url() == null) {
            throw new ConfigException(List.of("--url: init needs one, such as jdbc:postgresql://localhost:5432/app"));
        }
        try (Connection connection = Endpoints.of(settings).connect("init")) {
            Install install = new Install(connection, spec.commandLine().getOut());
            if (dryRun) {
                install.dryRun(sidecarRole);
                return ExitCode.OK;
            }
            return install.run(sidecarRole).left().isEmpty() ? ExitCode.OK : ExitCode.OPERATOR;
        } catch (MigrationException e) {
            throw OperatingErrors.of(e);
        } catch (SQLException e) {
            throw OperatingErrors.of(e);
        }
    }
}
