package dev.walmerge.sidecar.replication;

import dev.walmerge.sidecar.replication.ReplicationErrors.Doing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/**
 * Reads the rows of {@code crdt.ops} that a slot's snapshot sees: those that the slot will not send. Rows come in
 * generations of the ring, oldest first, and inside one as they lie in the table, which for an append-only table is
 * about as they were inserted. CRDT ops commute, so any order gives the same documents; this one keeps few of them
 * waiting for earlier ones, without sorting the table.
 *
 * <p>Rows are streamed, one in memory at a time. Not thread-safe.
 */
public final class Backfill implements AutoCloseable {
    /** What an exported snapshot's name looks like: it goes into a statement that takes no parameters. */
    private static final Pattern SNAPSHOT_NAME = Pattern.compile("[0-9A-Fa-f-]{1,64}");

    // The ring has eight leaves, each of 2^20 ids; a generation is one filling of one leaf.
    private static final String GENERATIONS = "select id >> 20, count(*) from crdt.ops group by 1 order by 1";
    private static final String ROWS = """
            copy (
              select id, doc, update, %2$s, op::text, role
              from crdt.ops o where ((id >> 20) & 7) = (%1$d & 7) and (id >> 20) = %1$d
            ) to stdout (format binary)
            """;

    /** An op that declares no format has that of its time, as nearly as the row tells: when its transaction began. */
    static final String FORMAT_OF_ITS_TIME = """
            coalesce(format, (select c.format from crdt.collection c
              where c.name = 'default' and c.created_at <= o.at order by c.version desc limit 1))""";

    static final String FORMATS = "select count(distinct format) from crdt.collection where name = 'default'";

    /** Receives one row; {@code update} or {@code op} is null, {@code format} may be. */
    @FunctionalInterface
    public interface RowConsumer {
        /**
         * @param update a fresh array, the consumer's to keep
         * @throws ReplicationException if the slot's connection was lost meanwhile ({@link SlotReader#keepAlive})
         */
        void accept(long id, String doc, byte[] update, String format, String op, String role)
                throws ReplicationException;
    }

    private static final String COMMANDS = """
            select id, name, collection, doc, dead_letter, rule, format from crdt.command
            where done_at is null and (name in ('forget', 'revive')) = ? order by id""";

    /** Receives a command that was not carried out; what it does not name is null. */
    @FunctionalInterface
    public interface CommandConsumer {
        void accept(long id, String name, String collection, String doc, Long deadLetter, String rule, String format);
    }

    private record Generation(long number, long rows) {}

    private final Connection connection;
    private final List<Generation> generations;
    private final String format;
    private volatile long readCount;

    private Backfill(Connection connection, List<Generation> generations, String format) {
        this.connection = connection;
        this.format = format;
        this.generations = generations;
    }

    /**
     * Imports the snapshot and counts the rows it sees. From then on the connection that exported it is free, for
     * instance to start streaming.
     */
    public static Backfill open(Endpoint endpoint, CreatedSlot slot) throws ReplicationException {
        if (!SNAPSHOT_NAME.matcher(slot.snapshotName()).matches()) {
            throw new IllegalArgumentException("not the name of a snapshot");
        }
        Connection connection = null;
        try {
            connection = endpoint.connect("backfill");
            try (Statement statement = connection.createStatement()) {
                // Row security would hide rows without an error. Workers, or a scan that joins another in its middle,
                // would
                // give them in an order of their own, and documents would wait for earlier ones.
                statement.execute("set row_security = off; set max_parallel_workers_per_gather = 0;"
                        + " set synchronize_seqscans = off");
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                connection.setReadOnly(true);
                statement.execute("set transaction snapshot '" + slot.snapshotName() + "'");
                List<Generation> generations = new ArrayList<>();
                try (ResultSet row = statement.executeQuery(GENERATIONS)) {
                    while (row.next()) {
                        generations.add(new Generation(row.getLong(1), row.getLong(2)));
                    }
                }
                Backfill backfill = new Backfill(connection, generations, format(statement));
                connection = null;
                return backfill;
            }
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.BACKFILL, e);
        } finally {
            cut(connection);
        }
    }

    private static String format(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(FORMATS)) {
            row.next();
            return row.getLong(1) > 1 ? FORMAT_OF_ITS_TIME : "format";
        }
    }

    /** How many rows {@link #read} will give. */
    public long rowCount() {
        long rows = 0;
        for (Generation generation : generations) {
            rows += generation.rows();
        }
        return rows;
    }

    /** How many rows were read so far. Any thread. */
    public long readCount() {
        return readCount;
    }

    /** Reads all rows once, on the calling thread; a consumer that throws ends it. Returns how many there were. */
    public long read(RowConsumer consumer) throws ReplicationException {
        long rows = 0;
        try {
            PGConnection driver = connection.unwrap(PGConnection.class);
            for (Generation generation : generations) {
                CopyOut copy = driver.getCopyAPI().copyOut(ROWS.formatted(generation.number(), format));
                CopyRows decoder = new CopyRows();
                for (byte[] chunk = copy.readFromCopy(); chunk != null; chunk = copy.readFromCopy()) {
                    if (decoder.next(chunk)) {
                        consumer.accept(
                                decoder.int8(),
                                decoder.text(),
                                decoder.bytes(),
                                decoder.text(),
                                decoder.text(),
                                decoder.text());
                        rows++;
                        readCount = rows;
                    }
                }
            }
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.BACKFILL, e);
        }
        return rows;
    }

    /**
     * Reads the commands that the snapshot sees and nobody carried out.
     *
     * @param aboutTombstones those that forget and revive, or the others
     */
    public void readCommands(boolean aboutTombstones, CommandConsumer consumer) throws ReplicationException {
        try (PreparedStatement select = connection.prepareStatement(COMMANDS)) {
            select.setBoolean(1, aboutTombstones);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    consumer.accept(
                            row.getLong("id"),
                            row.getString("name"),
                            row.getString("collection"),
                            row.getString("doc"),
                            row.getObject("dead_letter", Long.class),
                            row.getString("rule"),
                            row.getString("format"));
                }
            }
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.BACKFILL, e);
        }
    }

    /** Ends the transaction, and the connection with it. */
    @Override
    public void close() {
        cut(connection);
    }

    /** A polite end would read what a copy has left. */
    private static void cut(Connection connection) {
        if (connection != null) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                // Then it is cut already.
            }
        }
    }
}
