package dev.walmerge.sidecar;

import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.journal.JournalHome;
import dev.walmerge.engine.journal.JournalLostException;
import dev.walmerge.engine.journal.JournalReplay;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.replication.SlotState;
import dev.walmerge.sidecar.replication.SystemIdentity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Where a session begins: at what the slot will send, if that and the journal are all that is not written; else at the
 * tables.
 *
 * @param obstacle why only the tables have everything, or null
 * @param before the progress row
 * @param slot null if there is none
 * @param replay what the slot was told of before it was written, or null if nothing
 */
record StartingPoint(String obstacle, TakeOver.Before before, SlotState slot, JournalReplay replay) {

    /** @throws OperatingException if the slot is somebody else's: it is never touched */
    static StartingPoint find(
            Connection control, String slotName, SystemIdentity server, JournalHome journal, Path idleFile)
            throws SQLException, OperatingException {
        TakeOver.Before before = TakeOver.before(control, slotName, server.systemIdentifier(), server.timeline());
        SlotState slot = SlotState.read(control, slotName);
        if (slot == null) {
            return new StartingPoint("there is no slot", before, null, null);
        }
        requireOurs(slot, server);
        if (slot.lost()) {
            return new StartingPoint("the slot is lost", before, slot, null);
        }
        if (before.written() == 0) {
            return new StartingPoint(
                    "nothing is on record that this slot goes on from (a first start that did not end, another server,"
                            + " or another publication)",
                    before,
                    slot,
                    null);
        }
        if (!Lsn.isBefore(before.written(), slot.confirmedFlushLsn())) {
            return new StartingPoint(null, before, slot, null);
        }
        return pastWhatIsWritten(before, slot, journal, idleFile);
    }

    /** The slot was told of more than is written. Either we did that, and know why, or ops are skipped. */
    private static StartingPoint pastWhatIsWritten(
            TakeOver.Before before, SlotState slot, JournalHome journal, Path idleFile) {
        if (!Lsn.isBefore(IdleMark.read(idleFile, before.nonce()), slot.confirmedFlushLsn())) {
            // Told while nothing was left to write: the journal has nothing that is missing, and may end before that.
            return new StartingPoint(null, before, slot, null);
        }
        if (before.journaled()) {
            try {
                JournalReplay replay = journal.replay(before.nonce(), before.written(), slot.confirmedFlushLsn());
                if (replay != null) {
                    return new StartingPoint(null, before, slot, replay);
                }
            } catch (JournalLostException e) {
                return new StartingPoint(
                        "the slot was told of what is not written, and the journal can't be used: " + e.getMessage(),
                        before,
                        slot,
                        null);
            }
        }
        return new StartingPoint(
                "the slot is past what is written, and no file of ours says that nothing was between",
                before,
                slot,
                null);
    }

    private static void requireOurs(SlotState slot, SystemIdentity server) throws OperatingException {
        if (!server.database().equals(slot.database()) || !"pgoutput".equals(slot.plugin())) {
            throw new OperatingException(
                    Kind.OPERATOR,
                    "slot-exists",
                    "the slot " + slot.name() + " belongs to the database " + slot.database() + ", with the plugin "
                            + slot.plugin(),
                    "names of slots are server-wide: give this database's sidecar another with --slot",
                    null);
        }
    }

    /** Where reading the slot begins. */
    long readFromLsn() {
        return Lsn.max(before.written(), slot.confirmedFlushLsn());
    }
}
