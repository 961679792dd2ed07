package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.Endpoints;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.OperatingErrors;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.verify.HashSearch;
import dev.walmerge.sidecar.verify.Report;
import dev.walmerge.sidecar.verify.Verification;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code walmerge verify}: the proof, on a database in use, that nothing is lost. */
@Command(
        name = "verify",
        description =
                "Looks whether every op row is in its document or a dead letter, and every document's row shows what"
                        + " is stored of it. A sidecar must be running. Exit code 1 when something is not so.",
        mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "for what was committed before to be written (default: ${DEFAULT-VALUE})")
    private int patienceSeconds;

    @Option(
            names = "--find",
            paramLabel = "HASH",
            description = "instead: print the documents that logs and reports name by this hash")
    private String hash;

    @Override
    public Integer call() throws ConfigException, OperatingException {
        SidecarSettings settings = SettingsOptions.read(spec);
        if (settings.url() == null) {
            throw new ConfigException(List.of("--url: verify needs one, such as jdbc:postgresql://localhost:5432/app"));
        }
        PrintWriter out = spec.commandLine().getOut();
        Report report;
        try {
            if (hash != null) {
                return find(settings, out);
            }
            report = Verification.run(Endpoints.of(settings), settings.slot(), Duration.ofSeconds(patienceSeconds));
        } catch (SQLException e) {
            throw OperatingErrors.of(e);
        }
        if (report == null) {
            out.printf(
                    "not written by way of the slot %s within %d s: is its sidecar running? See crdt.health.%n",
                    settings.slot(), patienceSeconds);
            out.flush();
            return ExitCode.CHECK_FAILED;
        }
        report.faults().forEach(out::println);
        long more = report.faultCount() - report.faults().size();
        if (more > 0) {
            out.printf("and %d more%n", more);
        }
        out.printf(
                Locale.ROOT,
                "%,d documents, %,d op rows: %,d merged or waiting, %,d dead letters, %,d of forgotten documents, %,d faults%n",
                report.documents(),
                report.ops(),
                report.merged(),
                report.deadLetters(),
                report.dropped(),
                report.faultCount());
        out.flush();
        return report.faultCount() == 0 ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }

    private int find(SidecarSettings settings, PrintWriter out) throws SQLException, ConfigException {
        if (!hash.matches("[0-9a-f]{8}")) {
            throw new ConfigException(List.of("--find: must be eight hexadecimal digits, as logs print them"));
        }
        int found = HashSearch.find(Endpoints.of(settings), hash, out::println);
        out.printf("%d documents%n", found);
        out.flush();
        return found > 0 ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }
}
