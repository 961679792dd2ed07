package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.embedded.EmbeddedServerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code walmerge run}, {@code init}, {@code uninstall}, {@code doctor}, {@code verify}, {@code inspect}. */
@Command(
        name = "walmerge",
        description = "Materializes collaborative documents from ops that apps INSERT into Postgres.",
        footer = {
            "",
            "Beside these, ops/walmerge knows:",
            "  demo     everything on this machine, with an embedded Postgres and real editing histories",
            "  bench    named scenarios, such as: bench keystroke",
            "  soak     kills sidecar and server at random under load, and looks whether anything is lost"
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    static int execute(String... args) {
        CommandLine command = new CommandLine(new Main());
        command.addSubcommand(SettingsOptions.addTo(new CommandLine(new RunCommand()), Setting.values()));
        command.addSubcommand(
                SettingsOptions.addTo(new CommandLine(new InitCommand()), Setting.URL, Setting.USER, Setting.PASSWORD));
        command.addSubcommand(SettingsOptions.addTo(
                new CommandLine(new UninstallCommand()), Setting.URL, Setting.USER, Setting.PASSWORD));
        command.addSubcommand(SettingsOptions.addTo(
                new CommandLine(new DoctorCommand()), Setting.URL, Setting.USER, Setting.PASSWORD, Setting.SLOT));
        command.addSubcommand(SettingsOptions.addTo(
                new CommandLine(new VerifyCommand()), Setting.URL, Setting.USER, Setting.PASSWORD));
        command.addSubcommand(new CommandLine(new InspectCommand()));
        command.addSubcommand(new CommandLine.HelpCommand());
        command.setExecutionStrategy(parsed -> {
            if (!parsed.hasSubcommand() && !parsed.isUsageHelpRequested() && !parsed.isVersionHelpRequested()) {
                command.usage(command.getErr());
                return ExitCode.USAGE;
            }
            return new CommandLine.RunLast().execute(parsed);
        });
        command.setExecutionExceptionHandler((failure, failed, parsed) -> report(failure, failed));
        return command.execute(args);
    }

    private static int report(Exception failure, CommandLine command) {
        if (failure instanceof ConfigException) {
            command.getErr().println(failure.getMessage());
            return ExitCode.USAGE;
        }
        if (failure instanceof OperatingException operating) {
            command.getErr().println(operating.report());
            return operating.exitCode();
        }
        if (failure instanceof EmbeddedServerException embedded) {
            command.getErr().println(embedded.report());
            return ExitCode.OPERATOR;
        }
        // A fault of ours: the stack names the place, and it holds no content.
        failure.printStackTrace(command.getErr());
        return ExitCode.FATAL;
    }
}
