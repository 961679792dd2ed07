package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was measured, by what was measured, gathered over processes. */
final class Figures {
    /**
     * What a figure is of.
     *
     * @param subject the trace or, of a scenario, the number of items
     * @param format of the state; null where it says nothing, {@code own} of an engine that has one
     */
    record FigureKey(String engine, String subject, String row, String format) {
        /** Of the first pass of the process that measured it. */
        FigureKey first() {
            return new FigureKey(engine, subject, row + "-first", format);
        }
    }

    /**
     * @param median over processes, in the row's unit
     * @param low of them
     * @param high of them
     * @param bytes of what was written; null where the row has none
     * @param processes how many measured it
     * @param last the line of the last one, with how often it was repeated there
     */
    record Figure(double median, double low, double high, Long bytes, int processes, JsonNode last) {
        /** Too slow to be repeated or warmed up. */
        boolean isSinglePass() {
            return last.has("warmups")
                    && last.get("warmups").asInt() == 0
                    && !"load-first".equals(last.get("row").asText());
        }
    }

    private static final List<String> VALUES = List.of("ms", "micros", "kB", "bytes");

    private final Map<FigureKey, double[]> values = new LinkedHashMap<>();
    private final Map<FigureKey, JsonNode> last = new LinkedHashMap<>();
    private final Map<FigureKey, String> reasons = new LinkedHashMap<>();

    /** A line of a process: a figure, or the reason why there is none. */
    void add(JsonNode line) {
        FigureKey key = keyOf(line);
        if (line.has("reason")) {
            reason(key, line.get("reason").asText());
            return;
        }
        add(key, valueOf(line), line);
        if (line.hasNonNull("firstMs")) {
            add(key.first(), line.get("firstMs").asDouble(), line);
        }
    }

    private void add(FigureKey key, double value, JsonNode line) {
        double[] known = values.getOrDefault(key, new double[0]);
        double[] more = Arrays.copyOf(known, known.length + 1);
        more[known.length] = value;
        values.put(key, more);
        last.put(key, line);
    }

    void reason(FigureKey key, String reason) {
        reasons.put(key, reason);
    }

    Figure figure(FigureKey key) {
        double[] sorted = values.get(key);
        if (sorted == null) {
            return null;
        }
        sorted = sorted.clone();
        Arrays.sort(sorted);
        JsonNode line = last.get(key);
        Long bytes = line.hasNonNull("bytes") ? line.get("bytes").asLong() : null;
        double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
        return new Figure(median, sorted[0], sorted[sorted.length - 1], bytes, sorted.length, line);
    }

    /** Null when there is a figure, or when nobody said why there is none. */
    String reasonFor(FigureKey key) {
        return values.containsKey(key) ? null : reasons.get(key);
    }

    Set<FigureKey> measured() {
        return values.keySet();
    }

    Map<FigureKey, String> reasons() {
        return reasons;
    }

    /** Whether another process would only repeat what is long known: it can't be done, or takes too long. */
    boolean isSettled(FigureKey key) {
        Figure known = figure(key);
        return known == null ? reasons.containsKey(key) : known.isSinglePass();
    }

    private static FigureKey keyOf(JsonNode line) {
        boolean isScenario = line.has("scenario");
        return new FigureKey(
                line.get("engine").asText(),
                isScenario ? line.get("items").asText() : line.get("trace").asText(),
                line.get(isScenario ? "scenario" : "row").asText(),
                line.hasNonNull("format") ? line.get("format").asText() : null);
    }

    private static double valueOf(JsonNode line) {
        for (String name : VALUES) {
            if (line.hasNonNull(name)) {
                return line.get(name).asDouble();
            }
        }
        throw new IllegalArgumentException("a line without a value: " + line);
    }
}
