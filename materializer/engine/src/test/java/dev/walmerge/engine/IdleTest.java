package dev.walmerge.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Idle is quiet: no CPU, no WAL. */
final class IdleTest {
    @TempDir
    Path journal;

    @Test
    void anIdleEngineSleepsAndWritesNothing() throws Exception {
        try (EngineFixture fixture = new EngineFixture(journal)) {
            fixture.start(fixture.settings().shards(2).build(), Policy.defaults());
            fixture.insert("d", Updates.HELLO);
            fixture.sync();
            fixture.eventually(
                    "progress is persisted",
                    () -> fixture.one("select written from crdt.progress").equals(Lsn.format(fixture.nextLsn())));
            String nonce = fixture.one("select nonce from crdt.progress");
            long before = engineCpuNanos();
            await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
            assertThat(Duration.ofNanos(engineCpuNanos() - before)).isLessThan(Duration.ofMillis(60));
            assertThat(fixture.one("select nonce from crdt.progress")).isEqualTo(nonce);
        }
    }

    private static long engineCpuNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = 0;
        for (ThreadInfo thread : threads.dumpAllThreads(false, false)) {
            String name = thread.getThreadName();
            if (name.startsWith("walmerge-")
                    || name.toLowerCase(java.util.Locale.ROOT).contains("chronicle")) {
                nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return nanos;
    }
}
