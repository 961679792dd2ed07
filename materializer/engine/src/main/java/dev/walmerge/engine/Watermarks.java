package dev.walmerge.engine;

/**
 * How far ops have come, as ends of commits: unsigned LSNs of one incarnation of the server, and only of one. Each is at
 * most the one before it, and none ever goes back.
 *
 * @param received every commit up to it was handed to the sink
 * @param journaled in the journal
 * @param merged by every shard
 * @param written in Postgres: what the slot is told as a rule
 */
public record Watermarks(long received, long journaled, long merged, long written) {
    public Watermarks {
        requireOrder("received", received, "journaled", journaled);
        requireOrder("journaled", journaled, "merged", merged);
        requireOrder("merged", merged, "written", written);
    }

    /** All at one place, where an engine starts. */
    static Watermarks at(long lsn) {
        return new Watermarks(lsn, lsn, lsn, lsn);
    }

    /** These, if none of them is less than it was. */
    Watermarks since(Watermarks earlier) {
        requireOrder("received", received, "received before", earlier.received);
        requireOrder("journaled", journaled, "journaled before", earlier.journaled);
        requireOrder("merged", merged, "merged before", earlier.merged);
        requireOrder("written", written, "written before", earlier.written);
        return this;
    }

    private static void requireOrder(String name, long lsn, String otherName, long otherLsn) {
        if (Lsn.isBefore(lsn, otherLsn)) {
            throw new IllegalStateException("the watermark " + name + " is at " + Lsn.format(lsn) + ", " + otherName
                    + " at " + Lsn.format(otherLsn));
        }
    }
}
