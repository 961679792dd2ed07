package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.writeback.CommandDone;
import dev.walmerge.engine.writeback.Entry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands of a shard: about dead letters at once, others when there is time. Single thread. */
final class Orders {
    private static final Logger LOG = LoggerFactory.getLogger(Orders.class);

    private final LetterCommands letters;
    private final Consumer<Entry> entries;
    private final boolean first;
    private final Deque<Command> reprojections = new ArrayDeque<>(0);

    /** @param first whether this shard says that letters were seen to */
    Orders(LetterCommands letters, Consumer<Entry> entries, boolean first) {
        this.letters = letters;
        this.entries = entries;
        this.first = first;
    }

    void take(Command command) {
        if (command.name().equals(Command.REPROJECT)) {
            reprojections.add(command);
        } else if (!letters.carryOut(command)) {
            LOG.warn("command {}: this version does not know {}", command.id(), command.name());
        } else if (first) {
            entries.accept(new CommandDone(command.id()));
        }
    }

    /** One that came since the last call, or null. */
    Command takeReprojection() {
        return reprojections.poll();
    }
}
