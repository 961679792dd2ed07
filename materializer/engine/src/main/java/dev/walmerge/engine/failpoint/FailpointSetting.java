package dev.walmerge.engine.failpoint;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One failpoint as the environment names it: {@code name[:count[:action]]}. The action is done once, when the place is
 * reached for the {@code count}th time (1 unless it says so).
 */
public final class FailpointSetting implements Failpoint.Hook {
    /** The variable that {@code walmerge run} reads. */
    public static final String VARIABLE = "WALMERGE_FAILPOINT";

    /** What a process that killed itself exits with: as a shell tells of SIGKILL. */
    public static final int KILLED_EXIT_CODE = 137;

    private static final Logger LOG = LoggerFactory.getLogger(FailpointSetting.class);
    private static final int PARTS_MAX = 3;
    private static final String COUNT = "[1-9]\\d{0,8}";

    /** What is done. */
    public enum Action {
        /** Ends the process at once, as {@code kill -9} does: no hook runs, nothing is flushed or closed. */
        KILL,
        /** Sends SIGSTOP to the process; {@code kill -CONT} lets it go on. */
        STOP,
        /** The thread that is there waits until the process was told to end. */
        HOLD,
        /** Throws a {@link FailpointException} on the thread that is there. */
        THROW
    }

    private final Failpoint at;
    private final int count;
    private final Action action;
    private final AtomicInteger left;
    private final CountDownLatch ending = new CountDownLatch(1);

    private FailpointSetting(Failpoint at, int count, Action action) {
        this.at = at;
        this.count = count;
        this.action = action;
        this.left = new AtomicInteger(count);
    }

    /**
     * Reads what the variable says.
     *
     * @throws IllegalArgumentException with what is wrong and what there is, in words for the operator
     */
    public static FailpointSetting parse(String text) {
        String[] parts = text.split(":", -1);
        Failpoint at = Failpoint.ofLabel(parts[0]);
        if (at == null || parts.length > PARTS_MAX) {
            throw new IllegalArgumentException("must be NAME[:COUNT[:kill|stop|hold|throw]]; the names are "
                    + String.join(", ", Failpoint.labels()));
        }
        String count = parts.length > 1 ? parts[1].strip() : "1";
        if (!count.matches(COUNT)) {
            throw new IllegalArgumentException("COUNT must be a number from 1 to 999999999");
        }
        Action action = Action.KILL;
        if (parts.length > 2) {
            try {
                action = Action.valueOf(parts[2].strip().toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("the action must be kill, stop, hold or throw", e);
            }
        }
        return new FailpointSetting(at, Integer.parseInt(count), action);
    }

    /** Makes it happen in this process from now on, and says so. */
    public void arm() {
        LOG.warn("ARMED FOR A TEST, NEVER FOR SERVICE: {}={}", VARIABLE, this);
        Failpoint.onReach(this);
    }

    @Override
    public void reached(Failpoint reached) {
        if (reached != at || left.get() <= 0 || left.decrementAndGet() != 0) {
            return;
        }
        LOG.warn("failpoint {} reached: {}", at.label(), action);
        switch (action) {
            case KILL -> Runtime.getRuntime().halt(KILLED_EXIT_CODE);
            case STOP -> stopAll();
            case HOLD -> awaitEnd();
            case THROW -> throw new FailpointException(at);
        }
    }

    /** The thread that is there waits for the signal to be sent: it stops here, the others wherever they are. */
    private void stopAll() {
        String pid = Long.toString(ProcessHandle.current().pid());
        try {
            new ProcessBuilder("kill", "-STOP", pid).inheritIO().start().waitFor();
        } catch (IOException e) {
            LOG.error("no kill command: this thread waits instead", e);
            awaitEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitEnd() {
        try {
            ending.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void ending() {
        ending.countDown();
    }

    @Override
    public String toString() {
        return at.label() + ":" + count + ":" + action.name().toLowerCase(Locale.ROOT);
    }
}
