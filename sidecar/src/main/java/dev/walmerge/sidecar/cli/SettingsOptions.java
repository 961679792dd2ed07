package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.config.SidecarSettings;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** One option for each setting, so that a setting is declared once, in {@link Setting}. */
final class SettingsOptions {
    private static final String CONFIG = "--config";

    private SettingsOptions() {}

    /** @param settings those the command has a use for; the others may stand in the file or the environment all the same */
    static CommandLine addTo(CommandLine command, Setting... settings) {
        CommandSpec spec = command.getCommandSpec();
        spec.addOption(OptionSpec.builder(CONFIG)
                .type(Path.class)
                .paramLabel("FILE")
                .description("YAML with the same keys; flags win over WALMERGE_* variables, those over the file")
                .build());
        for (Setting setting : settings) {
            spec.addOption(OptionSpec.builder("--" + setting.key())
                    .type(String.class)
                    .paramLabel("VALUE")
                    .description(setting.help())
                    .build());
        }
        return command;
    }

    static SidecarSettings read(CommandSpec spec) throws ConfigException {
        CommandLine.ParseResult parsed = spec.commandLine().getParseResult();
        Map<Setting, String> flags = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            String value = spec.findOption(setting.key()) == null
                    ? null
                    : parsed.matchedOptionValue("--" + setting.key(), null);
            if (value != null) {
                flags.put(setting, value);
            }
        }
        Path yaml = parsed.matchedOptionValue(CONFIG, null);
        return ConfigLoader.load(flags, System.getenv(), yaml);
    }
}
