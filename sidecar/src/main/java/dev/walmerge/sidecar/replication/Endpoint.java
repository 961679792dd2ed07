package dev.walmerge.sidecar.replication;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * A Postgres database and how to log in to it. Thread-safe; never shows what it holds, as that may be a password.
 *
 * @param url a JDBC URL; what it says goes before the properties, except for what replication depends on
 * @param properties of the driver: user, password, sslmode and so on
 */
public record Endpoint(String url, Properties properties) {
    private static final String APPLICATION = "walmerge ";

    /** Not all versions have all of them. */
    private static final String WITHOUT_TIMEOUTS = """
            select pg_catalog.set_config(name, '0', false) from pg_catalog.pg_settings
             where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
                            'idle_session_timeout', 'transaction_timeout')
               and setting <> '0'""";

    public Endpoint {
        Properties copy = new Properties();
        for (String key : properties.stringPropertyNames()) {
            copy.setProperty(key, properties.getProperty(key));
        }
        properties = copy;
    }

    /** A URL that says everything. */
    public static Endpoint of(String url) {
        return new Endpoint(url, new Properties());
    }

    /**
     * A new ordinary connection, which the caller owns.
     *
     * @param purpose what {@code pg_stat_activity} shows after "walmerge"
     */
    public Connection connect(String purpose) throws SQLException {
        Map<String, String> forced = new TreeMap<>();
        forced.put(PGProperty.APPLICATION_NAME.getName(), APPLICATION + purpose);
        forced.put(PGProperty.TCP_KEEP_ALIVE.getName(), "true");
        return unlimited(connect(forced));
    }

    /** A connection that speaks the replication protocol, and counts in {@code traffic} what it receives. */
    Connection connectForReplication(LinkTraffic traffic) throws SQLException {
        Map<String, String> forced = new TreeMap<>();
        forced.put(PGProperty.APPLICATION_NAME.getName(), APPLICATION + "slot");
        forced.put(PGProperty.REPLICATION.getName(), "database");
        forced.put(PGProperty.ASSUME_MIN_SERVER_VERSION.getName(), "14");
        forced.put(PGProperty.PREFER_QUERY_MODE.getName(), "simple");
        // An idle stream is silent for as long as it likes: a read must not time out.
        forced.put(PGProperty.SOCKET_TIMEOUT.getName(), "0");
        forced.put(PGProperty.TCP_KEEP_ALIVE.getName(), "true");
        if (hasSocketFactory()) {
            return unlimited(connect(forced));
        }
        try (LinkTraffic.Registration registration = traffic.register()) {
            forced.put(PGProperty.SOCKET_FACTORY.getName(), LinkTraffic.Sockets.class.getName());
            forced.put(PGProperty.SOCKET_FACTORY_ARG.getName(), registration.name());
            return unlimited(connect(forced));
        }
    }

    /**
     * Timeouts that a role or database has for its applications would, with us, cut off a long read of the op rows each
     * time anew, or end a session that only waits for work.
     */
    private static Connection unlimited(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(WITHOUT_TIMEOUTS);
            return connection;
        } catch (SQLException e) {
            connection.abort(Runnable::run);
            throw e;
        }
    }

    /** Somebody else's sockets (a cloud's connector) are left alone; then nobody counts what they receive. */
    private boolean hasSocketFactory() {
        Properties parsed = Driver.parseURL(url, properties);
        return parsed != null && PGProperty.SOCKET_FACTORY.getOrDefault(parsed) != null;
    }

    private Connection connect(Map<String, String> forced) throws SQLException {
        Properties all = new Properties();
        all.putAll(properties);
        all.putAll(forced);
        return DriverManager.getConnection(urlWithout(forced), all);
    }

    /** The driver lets the URL's parameters win over properties, so the forced ones must not stand there. */
    private String urlWithout(Map<String, String> forced) {
        int query = url.indexOf('?');
        if (query < 0) {
            return url;
        }
        StringJoiner kept = new StringJoiner("&", url.substring(0, query + 1), "");
        for (String parameter : url.substring(query + 1).split("&", -1)) {
            int end = parameter.indexOf('=');
            if (!forced.containsKey(end < 0 ? parameter : parameter.substring(0, end))) {
                kept.add(parameter);
            }
        }
        return kept.toString();
    }

    @Override
    public String toString() {
        return "Endpoint";
    }
}
