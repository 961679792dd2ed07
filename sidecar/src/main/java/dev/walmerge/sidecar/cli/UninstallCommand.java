package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.Endpoints;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.OperatingErrors;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.migrate.Uninstall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code walmerge uninstall}: takes everything out of a database that {@code init} and the sidecar put there. */
@Command(
        name = "uninstall",
        description =
                "Drops every document with the schema crdt, the publication, the replication slots and the roles that"
                        + " nothing else needs. Without --yes it only tells what it would drop.",
        mixinStandardHelpOptions = true)
final class UninstallCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--yes", description = "drop it; without it nothing is changed, and the exit code is 2")
    private boolean confirmed;

    @Option(names = "--force", description = "end a sidecar that is running")
    private boolean forced;

    @Option(names = "--cascade", description = "drop objects of yours that depend on the schema, such as views")
    private boolean cascading;

    @Override
    public Integer call() throws ConfigException, OperatingException {
        SidecarSettings settings = SettingsOptions.read(spec);
        if (settings.url() == null) {
            throw new ConfigException(
                    List.of("--url: uninstall needs one, such as jdbc:postgresql://localhost:5432/app"));
        }
        try (Connection connection = Endpoints.of(settings).connect("uninstall")) {
            List<String> left = new Uninstall(connection, spec.commandLine().getOut())
                    .run(new Uninstall.Consent(confirmed, forced, cascading));
            if (!confirmed) {
                return ExitCode.USAGE;
            }
            return left.isEmpty() ? ExitCode.OK : ExitCode.OPERATOR;
        } catch (MigrationException e) {
            throw OperatingErrors.of(e);
        } catch (SQLException e) {
            throw OperatingErrors.of(e);
        }
    }
}
