package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.Endpoints;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.OperatingErrors;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.doctor.Doctor;
import dev.walmerge.sidecar.doctor.Finding;
import dev.walmerge.sidecar.doctor.Severity;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code walmerge doctor}: what an operator runs before the first start, and when something is odd. */
@Command(
        name = "doctor",
        description =
                "Looks whether a server has all that the sidecar needs, as the role it logs in as. Changes nothing."
                        + " Exit code 1 when something is critical.",
        mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws ConfigException, OperatingException {
        SidecarSettings settings = SettingsOptions.read(spec);
        if (settings.url() == null) {
            throw new ConfigException(List.of("--url: doctor needs one, such as jdbc:postgresql://localhost:5432/app"));
        }
        List<Finding> findings;
        try {
            findings = Doctor.examine(Endpoints.of(settings), settings.slot());
        } catch (SQLException e) {
            throw OperatingErrors.of(e);
        }
        PrintWriter out = spec.commandLine().getOut();
        for (Finding finding : findings) {
            out.printf("%-8s %-22s %s%n", finding.severity().label(), finding.check(), finding.found());
            if (finding.severity() != Severity.OK) {
                out.printf("         %s%n         cure: %s%n", finding.meaning(), finding.cure());
            } else if (finding.check().equals("provider")) {
                out.printf("         %s%n", finding.meaning());
            }
        }
        long critical = count(findings, Severity.CRITICAL);
        out.printf(
                "%d critical, %d warnings, %d hints%n",
                critical, count(findings, Severity.WARNING), count(findings, Severity.HINT));
        out.flush();
        return critical == 0 ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }

    private static long count(List<Finding> findings, Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }
}
