package dev.walmerge.sidecar.replication;

import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.Awaitility;

/** A database with the schema and a publication of {@code crdt.ops}, and a name for a slot in it. */
/** One slot of a database of its own. */
public final class SlotFixture implements AutoCloseable {
    static final String PUBLICATION = "walmerge";

    static {
        // A busy machine is not a failure.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    }

    final PostgresServer.Database database;
    final Endpoint endpoint;
    final String slot;

    SlotFixture() throws SQLException {
        this(PostgresServer.shared());
    }

    SlotFixture(PostgresServer server) throws SQLException {
        database = server.createInstalledDatabase();
        endpoint = Endpoint.of(database.url());
        slot = "s_" + database.name();
        try (Connection connection = database.connect();
                PreparedStatement exists =
                        connection.prepareStatement("select from pg_publication where pubname = ?")) {
            exists.setString(1, PUBLICATION);
            if (!exists.executeQuery().next()) {
                database.execute("create publication " + PUBLICATION + " for table crdt.ops"
                        + " with (publish = 'insert', publish_via_partition_root = true)");
            }
        }
    }

    SlotReaderOptions options() {
        return SlotReaderOptions.of(slot, PUBLICATION, 0);
    }

    SlotReaderOptions options(Duration silenceMax, Duration acquirePatience) {
        return new SlotReaderOptions(slot, PUBLICATION, 0, Duration.ofSeconds(1), silenceMax, acquirePatience);
    }

    /** Creates the slot, without its snapshot. */
    CreatedSlot createSlot() throws ReplicationException {
        try (ReplicationConnection connection = ReplicationConnection.open(endpoint)) {
            return connection.createSlot(slot);
        }
    }

    SlotState state() throws SQLException {
        try (Connection connection = database.connect()) {
            return SlotState.read(connection, slot);
        }
    }

    void insert(String doc) throws SQLException {
        database.execute("insert into crdt.ops (doc, update) values ('" + doc + "', '\\x0000')");
    }

    @Override
    public void close() throws SQLException {
        drop(database, slot);
    }

    /** Drops a slot, if it is there: ends whoever still reads it, and waits for that. */
    public static void drop(PostgresServer.Database database, String slot) throws SQLException {
        database.execute("""
                do $$
                begin
                  for i in 1 .. 500 loop
                    perform pg_terminate_backend(active_pid) from pg_replication_slots
                      where slot_name = '%1$s' and active_pid is not null;
                    exit when not found;
                    perform pg_sleep(0.01);
                  end loop;
                  perform pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '%1$s';
                end $$
                """.formatted(slot));
    }
}
