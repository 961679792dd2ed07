package dev.walmerge.sidecar.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.walmerge.engine.failpoint.FailpointSetting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds each setting, flags before environment before YAML, and checks all of them once. */
public final class ConfigLoader {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*([kmg]i?b?|b)?");
    /** A name, an IPv4 address, or an IPv6 address in brackets. */
    private static final Pattern HOST_PORT = Pattern.compile("(?:\\[([0-9A-Fa-f:.%]+)]|([^\\[\\]:/\\s]+)):(\\d{1,5})");
    /** What PostgreSQL allows in the name of a slot. */
    private static final Pattern SLOT_NAME = Pattern.compile("[a-z0-9_]{1,63}");

    /** Of a key that is there twice, one of the two is a mistake. */
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final String CONFIG_VARIABLE = "WALMERGE_CONFIG";
    private static final Set<String> OTHER_VARIABLES =
            Set.of(CONFIG_VARIABLE, "WALMERGE_LOG_LEVEL", FailpointSetting.VARIABLE);
    private static final long MIB = 1L << 20;
    private static final int SHARDS_MAX = 64;
    private static final int PORT_MAX = 65_535;

    private final Map<Setting, Given> given = new EnumMap<>(Setting.class);
    private final List<String> faults = new ArrayList<>();

    private record Given(String value, String origin) {}

    private ConfigLoader() {}

    /**
     * @param flags what the command line gave
     * @param environment the process's environment
     * @param yaml a file, or null for the one that {@code WALMERGE_CONFIG} names, if it names any
     */
    public static SidecarSettings load(Map<Setting, String> flags, Map<String, String> environment, Path yaml)
            throws ConfigException {
        ConfigLoader loader = new ConfigLoader();
        String named = environment.getOrDefault(CONFIG_VARIABLE, "");
        if (yaml != null || !named.isEmpty()) {
            loader.readYaml(yaml != null ? yaml : Path.of(named));
        }
        loader.refuseUnknown(environment);
        loader.checkFailpoint(environment.getOrDefault(FailpointSetting.VARIABLE, ""));
        for (Setting setting : Setting.values()) {
            String variable = setting.environmentVariable();
            if (environment.containsKey(variable)) {
                loader.given.put(setting, new Given(environment.get(variable), variable));
            }
            if (flags.containsKey(setting)) {
                loader.given.put(setting, new Given(flags.get(setting), "--" + setting.key()));
            }
        }
        SidecarSettings settings = loader.check(environment);
        if (!loader.faults.isEmpty()) {
            throw new ConfigException(loader.faults);
        }
        return settings;
    }

    /** A misspelt variable would go unnoticed, and without a URL something else would start. */
    private void refuseUnknown(Map<String, String> environment) {
        Set<String> known = new TreeSet<>(OTHER_VARIABLES);
        for (Setting setting : Setting.values()) {
            known.add(setting.environmentVariable());
        }
        for (String variable : new TreeSet<>(environment.keySet())) {
            if (variable.startsWith("WALMERGE_") && !known.contains(variable)) {
                faults.add(variable + ": no such variable; there are " + String.join(", ", known));
            }
        }
    }

    private void checkFailpoint(String setting) {
        try {
            if (!setting.isEmpty()) {
                FailpointSetting.parse(setting);
            }
        } catch (IllegalArgumentException e) {
            faults.add(FailpointSetting.VARIABLE + ": " + e.getMessage());
        }
    }

    private void readYaml(Path file) throws ConfigException {
        JsonNode root;
        try {
            root = YAML.readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            String at =
                    e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")";
            boolean twice = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate");
            throw new ConfigException(List.of(file + (twice ? ": a key is there twice" : ": not YAML") + at));
        } catch (IOException e) {
            throw new ConfigException(List.of(file + ": can't be read"));
        }
        if (root == null || root.isMissingNode() || root.isNull()) {
            return;
        }
        if (!root.isObject()) {
            throw new ConfigException(List.of(file + ": expected 'key: value' lines"));
        }
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            String origin = file + ": " + entry.getKey();
            Setting setting = Setting.ofKey(entry.getKey());
            if (setting == null) {
                faults.add(origin + ": no such key; the keys are " + keys());
            } else if (!entry.getValue().isValueNode()) {
                faults.add(origin + ": expected one value");
            } else if (!entry.getValue().isNull()) {
                Given before = given.put(setting, new Given(entry.getValue().asText(), origin));
                if (before != null) {
                    faults.add(origin + ": is there as " + before.origin + " already");
                }
            }
        }
    }

    private static String keys() {
        List<String> keys = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            keys.add(setting.key());
        }
        return String.join(", ", keys);
    }

    private SidecarSettings check(Map<String, String> environment) {
        long heap = Runtime.getRuntime().maxMemory();
        return new SidecarSettings(
                url(),
                text(Setting.USER, null),
                text(Setting.PASSWORD, null),
                slot(),
                stateDirectory(environment),
                shards(),
                size(Setting.MEMORY, memoryFor(heap), 16 * MIB, Long.MAX_VALUE),
                size(Setting.JOURNAL_MAX, 1024 * MIB, 16 * MIB, Long.MAX_VALUE),
                size(Setting.JOURNAL_RESERVE, 256 * MIB, 0, Long.MAX_VALUE),
                size(Setting.JOURNAL_ABOVE, 1024 * MIB, 0, Long.MAX_VALUE),
                (int) size(Setting.PAYLOAD_MAX, payloadMaxFor(heap), 1 << 10, 1L << 30),
                http());
    }

    /**
     * What resident documents may take of a heap, unless it is set: they are counted by estimate, and what merges and
     * writes them needs room beside them.
     */
    static long memoryFor(long heapBytes) {
        return Math.max(16 * MIB, Math.min(256 * MIB, heapBytes / 4));
    }

    /**
     * The largest update that a heap surely holds while it is merged, read back and written: some 10 times its size. One
     * that does not fit would end the engine each time anew, and nothing after it would be merged.
     */
    static long payloadMaxFor(long heapBytes) {
        return Math.max(1 * MIB, Math.min(64 * MIB, heapBytes / 16));
    }

    private String text(Setting setting, String whenAbsent) {
        Given value = given.get(setting);
        return value == null || value.value.isEmpty() ? whenAbsent : value.value.strip();
    }

    private String url() {
        String url = text(Setting.URL, null);
        if (url != null && !url.startsWith("jdbc:postgresql:")) {
            fault(Setting.URL, "must start with jdbc:postgresql:, such as jdbc:postgresql://localhost:5432/app");
        }
        return url;
    }

    private String slot() {
        String slot = text(Setting.SLOT, "walmerge");
        if (!SLOT_NAME.matcher(slot).matches()) {
            fault(Setting.SLOT, "must be 1 to 63 of a-z, 0-9 and _");
        }
        return slot;
    }

    private Path stateDirectory(Map<String, String> environment) {
        String configured = text(Setting.STATE_DIRECTORY, null);
        try {
            return configured == null
                    ? StateDirectory.ofUser(environment)
                    : Path.of(configured).toAbsolutePath();
        } catch (InvalidPathException e) {
            fault(Setting.STATE_DIRECTORY, "is not a path");
            return Path.of("");
        }
    }

    private int shards() {
        String shards = text(Setting.SHARDS, "1");
        if (shards.matches("\\d{1,2}") && Integer.parseInt(shards) >= 1 && Integer.parseInt(shards) <= SHARDS_MAX) {
            return Integer.parseInt(shards);
        }
        fault(Setting.SHARDS, "must be a number from 1 to " + SHARDS_MAX);
        return 1;
    }

    private InetSocketAddress http() {
        String value = text(Setting.HTTP, null);
        if (value == null) {
            return null;
        }
        Matcher parts = HOST_PORT.matcher(value);
        if (!parts.matches() || Integer.parseInt(parts.group(3)) > PORT_MAX) {
            fault(Setting.HTTP, "must be HOST:PORT, such as 127.0.0.1:9187 or [::1]:9187");
            return null;
        }
        String host = parts.group(1) != null ? parts.group(1) : parts.group(2);
        return InetSocketAddress.createUnresolved(host, Integer.parseInt(parts.group(3)));
    }

    private long size(Setting setting, long whenAbsent, long least, long most) {
        String value = text(setting, null);
        if (value == null) {
            return whenAbsent;
        }
        Matcher size = SIZE.matcher(value.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            fault(setting, "must be a size such as 256MiB");
            return whenAbsent;
        }
        String unit = size.group(2) == null ? "b" : size.group(2);
        int shift = switch (unit.charAt(0)) {
            case 'k' -> 10;
            case 'm' -> 20;
            case 'g' -> 30;
            default -> 0;
        };
        long count = Long.parseLong(size.group(1));
        if (count > most >> shift || count << shift < least) {
            fault(
                    setting,
                    "must be at least " + least + (most == Long.MAX_VALUE ? "" : " and at most " + most) + " bytes");
            return whenAbsent;
        }
        return count << shift;
    }

    private void fault(Setting setting, String rule) {
        // Values are not repeated: one of them may be a secret put under the wrong key.
        faults.add(given.get(setting).origin + ": " + rule);
    }
}
