package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.writeback.LetterKey;
import java.util.List;

/** No dead letter is stored. */
enum NoLetters implements LetterCommands.Letters {
    INSTANCE;

    @Override
    public List<LetterKey> page(Command command, long afterId, int limit) {
        return List.of();
    }

    @Override
    public boolean isMine(LetterKey letter) {
        return true;
    }

    @Override
    public Op load(LetterKey letter) {
        return null;
    }
}
