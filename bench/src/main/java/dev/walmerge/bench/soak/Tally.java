package dev.walmerge.bench.soak;

import dev.walmerge.engine.failpoint.Failpoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Counts the blows. Thread-safe. */
final class Tally {
    private final Map<Blow, Integer> blows = new EnumMap<>(Blow.class);
    private final Map<Failpoint, Integer> kills = new EnumMap<>(Failpoint.class);
    private final List<String> faults = new ArrayList<>();

    synchronized void add(Blow blow) {
        blows.merge(blow, 1, Integer::sum);
    }

    /** The sidecar was killed there. */
    synchronized void addKill(Failpoint at) {
        add(Blow.SIDECAR_KILLED_AT_FAILPOINT);
        kills.merge(at, 1, Integer::sum);
    }

    /** Notes what must not be. */
    synchronized void fault(String fault) {
        faults.add(fault);
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    synchronized int blows() {
        return blows.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The failpoints at which it was not killed yet. */
    synchronized List<Failpoint> withoutKill() {
        List<Failpoint> missing = new ArrayList<>(List.of(Failpoint.values()));
        missing.removeAll(kills.keySet());
        return missing;
    }

    synchronized String blowsByKind() {
        return blows.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    synchronized String killsByFailpoint() {
        return kills.entrySet().stream()
                .map(entry -> entry.getKey().label() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
