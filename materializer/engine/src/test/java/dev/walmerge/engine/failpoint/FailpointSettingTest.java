package dev.walmerge.engine.failpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class FailpointSettingTest {
    @AfterEach
    void disarm() {
        Failpoint.onReach(null);
    }

    @Test
    void readsNameCountAndAction() {
        assertThat(FailpointSetting.parse("after-journal")).hasToString("after-journal:1:kill");
        assertThat(FailpointSetting.parse("AFTER_JOURNAL:7")).hasToString("after-journal:7:kill");
        assertThat(FailpointSetting.parse("inside-write:2:stop")).hasToString("inside-write:2:stop");
    }

    @Test
    void saysWhatThereIs() {
        assertThatThrownBy(() -> FailpointSetting.parse("after-lunch"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NAME[:COUNT")
                .hasMessageContaining("after-receive, after-journal")
                .hasMessageContaining("after-backfill");
        for (String wrong :
                new String[] {"", "after-journal:0", "after-journal:x", "after-journal:1:kick", "a:1:kill:"}) {
            assertThatThrownBy(() -> FailpointSetting.parse(wrong))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void happensOnceAtTheCountedTimeAndAtThatPlaceOnly() {
        Failpoint.AFTER_MERGE.reach();
        FailpointSetting.parse("after-merge:3:throw").arm();
        Failpoint.AFTER_MERGE.reach();
        Failpoint.AFTER_MERGE.reach();
        Failpoint.BEFORE_WRITE.reach();
        assertThatThrownBy(Failpoint.AFTER_MERGE::reach)
                .isInstanceOf(FailpointException.class)
                .hasMessage("failpoint after-merge");
        assertThatCode(Failpoint.AFTER_MERGE::reach).doesNotThrowAnyException();
    }

    @Test
    void holdKeepsTheThreadUntilTheEnd() throws Exception {
        FailpointSetting.parse("after-merge:1:hold").arm();
        Thread held = new Thread(Failpoint.AFTER_MERGE::reach);
        held.start();
        await().until(() -> held.getState() == Thread.State.WAITING);
        Failpoint.AFTER_MERGE.reach();
        Failpoint.ending();
        held.join(Duration.ofSeconds(10).toMillis());
        assertThat(held.isAlive()).isFalse();
    }

    @Test
    void killEndsTheProcessWithoutAWord() throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(FailpointSetting.KILLED_EXIT_CODE);
        assertThat(said)
                .contains("failpoint after-sync reached: KILL")
                .doesNotContain("hook")
                .doesNotContain("after it");
    }

    /** Runs in a process of its own. */
    static final class Killed {
        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
            FailpointSetting.parse("after-sync").arm();
            Failpoint.AFTER_SYNC.reach();
            System.out.println("after it");
        }
    }
}
