package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.writeback.Entry;
import dev.walmerge.engine.writeback.LetterKey;
import dev.walmerge.engine.writeback.LetterUpdate;
import java.util.List;
import java.util.function.Consumer;

/** Carries out commands about dead letters, of the documents of one shard. Single thread. */
final class LetterCommands {
    private static final int PAGE = 500;

    private final Letters letters;
    private final Retrial retrial;
    private final Consumer<Entry> entries;
    private final EarlyLetters early;

    /** Where dead letters are read. */
    interface Letters {
        /** At most {@code limit} of those that a command means, behind an id, in order; of all shards. */
        List<LetterKey> page(Command command, long afterId, int limit);

        /** Whether the letter is of this shard. */
        boolean isMine(LetterKey letter);

        /** What it says; null when it is gone. */
        Op load(LetterKey letter);
    }

    /** Merges an op that was refused before. */
    @FunctionalInterface
    interface Retrial {
        /** @return why it is refused again, or null */
        Refusal merge(Op op, long letterId);
    }

    LetterCommands(Letters letters, Retrial retrial, Consumer<Entry> entries, EarlyLetters early) {
        this.letters = letters;
        this.retrial = retrial;
        this.entries = entries;
        this.early = early;
    }

    /** @return false when it is not about dead letters */
    boolean carryOut(Command command) {
        boolean retry = command.name().equals(Command.RETRY_DEAD_LETTER);
        if (!retry && !command.name().equals(Command.DISCARD_DEAD_LETTER)) {
            return false;
        }
        long last = 0;
        List<LetterKey> page;
        do {
            page = letters.page(command, last, PAGE);
            for (LetterKey letter : page) {
                last = letter.id();
                if (!letters.isMine(letter)) {
                    continue;
                }
                if (retry) {
                    retry(letter, command.format());
                } else {
                    entries.accept(LetterUpdate.discard(letter.id()));
                }
            }
        } while (page.size() == PAGE);
        early.free(letter -> retry(letter, command.format()));
        return true;
    }

    private void retry(LetterKey letter, String format) {
        Op op = letters.load(letter);
        if (op == null) {
            return;
        }
        if (format != null) {
            op = new Op(op.collection(), op.doc(), format, op.payload(), op.json(), op.role(), op.rowId());
        }
        Refusal refusal = retrial.merge(op, letter.id());
        if (refusal != null) {
            early.refused(letter, op, refusal);
            entries.accept(new LetterUpdate(letter.id(), refusal.rule(), refusal.reason(), refusal.byteOffset()));
        }
    }
}
