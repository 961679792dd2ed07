package dev.walmerge.sidecar.pipeline;

import dev.walmerge.engine.Policy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * All versions of the settings that a start finds in the table. The last ones may be younger than the ops that the slot
 * still has to send, and an op without a format has that of its time.
 *
 * <p>A version is taken for as old as the beginning of its transaction, which the table knows; what committed between
 * that and the end of that transaction is the only thing that may be misjudged.
 */
public final class PolicyHistory {
    private static final String VERSIONS = """
            select name, (extract(epoch from created_at) * 1000000)::bigint as created_micros, %s
              from crdt.collection
             order by version
            """.formatted(PolicyColumns.SELECTED);

    private record Version(String collection, long createdMicros, Policy policy) {}

    private final List<Version> versions = new ArrayList<>();

    private PolicyHistory() {}

    public static PolicyHistory read(Connection connection) throws SQLException {
        PolicyHistory history = new PolicyHistory();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(VERSIONS)) {
            while (row.next()) {
                history.versions.add(
                        new Version(row.getString("name"), row.getLong("created_micros"), PolicyColumns.read(row)));
            }
        }
        return history;
    }

    /** The settings in force now, by collection. */
    public Map<String, Policy> inForce() {
        return upTo(Long.MAX_VALUE);
    }

    /** All versions of a collection's settings, the one in force last. */
    public List<Policy> versions(String collection) {
        return versions.stream()
                .filter(version -> version.collection.equals(collection))
                .map(Version::policy)
                .toList();
    }

    /**
     * The settings that were others at a time: what was in force then.
     *
     * @param micros microseconds since the Unix epoch, by the server's clock
     */
    void changedSince(long micros, BiConsumer<String, Policy> then) {
        Map<String, Policy> now = inForce();
        upTo(micros).forEach((collection, policy) -> {
            if (!policy.equals(now.get(collection))) {
                then.accept(collection, policy);
            }
        });
    }

    /** A collection older than its first version does not exist: that one holds from the start. */
    private Map<String, Policy> upTo(long micros) {
        Map<String, Policy> policies = new HashMap<>();
        for (Version version : versions) {
            if (version.createdMicros <= micros) {
                policies.put(version.collection, version.policy);
            } else {
                policies.putIfAbsent(version.collection, version.policy);
            }
        }
        return policies;
    }
}
