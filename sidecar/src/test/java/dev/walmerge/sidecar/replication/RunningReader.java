package dev.walmerge.sidecar.replication;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A slot reader on a thread of its own, whose rows are durable as soon as their commit is there. */
final class RunningReader implements AutoCloseable {
    final SlotReader reader;
    final StreamRecorder recorder;
    volatile boolean hasRoom = true;
    volatile boolean durable = true;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    RunningReader(SlotReader reader, StreamRecorder recorder) {
        this.reader = reader;
        this.recorder = recorder;
        Thread thread = new Thread(this::run, "slot reader under test");
        thread.setDaemon(true);
        thread.start();
    }

    static RunningReader start(Endpoint endpoint, SlotReaderOptions options) throws ReplicationException {
        return start(endpoint, options, new StreamRecorder());
    }

    static RunningReader start(Endpoint endpoint, SlotReaderOptions options, StreamRecorder recorder)
            throws ReplicationException {
        return new RunningReader(SlotReader.start(ReplicationConnection.open(endpoint), options), recorder);
    }

    private void run() {
        try {
            reader.run(
                    recorder,
                    () -> durable ? recorder.lastCommitEndLsn() : 0,
                    () -> durable && !recorder.insideTransaction(),
                    () -> hasRoom);
            ended.complete(null);
        } catch (ReplicationException | RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }

    /** Completes when the reader ended, with its error if it did not just stop. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Stops, and fails if that takes more than two seconds or the reader had an error. */
    void stop() throws Exception {
        reader.stop();
        ended.get(2, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        reader.close();
    }
}
