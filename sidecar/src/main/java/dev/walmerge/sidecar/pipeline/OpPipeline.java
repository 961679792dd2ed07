package dev.walmerge.sidecar.pipeline;

import dev.walmerge.decoder.pgoutput.Relation;
import dev.walmerge.decoder.pgoutput.ReplicationHandler;
import dev.walmerge.decoder.pgoutput.Tuple;
import dev.walmerge.engine.OpSink;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Turns decoded messages into ops: the one place where the decoder's words meet the engine's. Runs on the reader thread.
 * Ops are inserts: what else happens to a published table does not change a document.
 */
public final class OpPipeline implements ReplicationHandler {
    /** The prefix of logical messages that are barriers. Anyone may emit one, so a message is never more than that. */
    public static final String BARRIER_PREFIX = "walmerge";

    private static final String SCHEMA = "crdt";
    private static final String OPS = "ops";
    private static final String COLLECTION = "collection";
    private static final String COMMAND = "command";
    static final String DEFAULT_COLLECTION = "default";

    private final OpSink sink;
    private final CommitLag lag;
    private PolicyHistory history;
    private final Map<Integer, OpsColumns> opTables = new HashMap<>();
    private final Map<Integer, PolicyColumns> settings = new HashMap<>();
    private final Map<Integer, CommandColumns> commands = new HashMap<>();

    /**
     * @param history what the engine's settings were taken from. They may be younger than what the stream begins with
     */
    public OpPipeline(OpSink sink, PolicyHistory history, CommitLag lag) {
        this.sink = sink;
        this.lag = lag;
        this.history = history;
    }

    @Override
    public void onBegin(long commitLsn, long commitTimeMicros, int xid) {
        lag.sees(commitTimeMicros);
        sink.begin(commitLsn, commitTimeMicros);
        if (history != null) {
            // The versions since then come through the stream, each before the ops that it is for.
            history.changedSince(commitTimeMicros, sink::policy);
            history = null;
        }
    }

    @Override
    public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
        sink.commit(endLsn);
    }

    @Override
    public void onRelation(int xid, Relation relation) {
        opTables.remove(relation.oid());
        settings.remove(relation.oid());
        commands.remove(relation.oid());
        if (!relation.schema().equals(SCHEMA)) {
            return;
        }
        if (relation.name().equals(OPS)) {
            opTables.put(relation.oid(), OpsColumns.of(relation, DEFAULT_COLLECTION));
        } else if (relation.name().equals(COLLECTION)) {
            settings.put(relation.oid(), new PolicyColumns(relation));
        } else if (relation.name().equals(COMMAND)) {
            commands.put(relation.oid(), new CommandColumns(relation));
        }
    }

    @Override
    public void onInsert(int xid, Relation relation, Tuple row) {
        OpsColumns ops = opTables.get(relation.oid());
        if (ops != null) {
            sink.op(ops.read(row));
            return;
        }
        PolicyColumns policy = settings.get(relation.oid());
        if (policy != null) {
            sink.policy(policy.collection(row), policy.read(row));
            return;
        }
        CommandColumns command = commands.get(relation.oid());
        if (command != null) {
            sink.command(command.read(row));
        }
    }

    @Override
    public void onMessage(
            int xid, boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length) {
        // Outside a transaction a message has no commit that could be waited for.
        if (transactional && prefix.equals(BARRIER_PREFIX)) {
            sink.barrier(length == 0 ? null : new String(buffer, offset, length, StandardCharsets.UTF_8));
        }
    }
}
