package dev.walmerge.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.Policy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the journal does on a disk that has no room, is read-only, or is gone: never the end of the JVM. Real file systems
 * of 16 MiB in memory, where this machine lets the test mount one.
 */
final class DiskFullTest {
    private static final long DISK_BYTES = 16 << 20;
    private static final long MAX_BYTES = 64 << 20;

    @TempDir
    Path folder;

    private Path disk;

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            run("umount", "-l", disk.toString());
        }
    }

    @Test
    void aFullDiskMakesReadingWaitAndGoesOnByItself() throws Exception {
        mount();
        Path other = disk.resolve("other");
        try (Journal journal = open(0)) {
            JournalWriter writer = journal.writer(0, () -> {});
            Counter counter = new Counter();
            try (JournalReader reader = journal.reader(0, 1, counter)) {
                commit(writer);
                fill(other);
                while (journal.hasRoom()) {
                    commit(writer);
                }
                assertThat(journal.state()).isEqualTo(JournalState.DISK_FULL);
                long commits = writer.lastEndLsn() / 10;
                assertThat(readAll(reader, counter)).as("what is there is read").isEqualTo(commits);
                Files.delete(other);
                awaitRoom(journal);
                assertThat(journal.state()).isEqualTo(JournalState.READY);
                commit(writer);
                assertThat(readAll(reader, counter)).isEqualTo(commits + 1);
                journal.sync(journal.point(writer.lastEndLsn()));
            }
        }
    }

    @Test
    void aLargeOpOnAFullDiskIsAnErrorAndNotTheEndOfTheJvm() throws Exception {
        mount();
        try (Journal journal = open(0)) {
            JournalWriter writer = journal.writer(0, () -> {});
            writer.begin(1, 0);
            assertThatThrownBy(() -> writer.op(op(new byte[(int) DISK_BYTES])))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(JournalDiskFullException.class);
        }
        assertThatThrownBy(() -> open(DISK_BYTES)).isInstanceOf(JournalDiskFullException.class);
    }

    @Test
    void theReserveIsLeftToOthers() throws Exception {
        mount();
        long reserve = 10 << 20;
        try (Journal journal = open(reserve)) {
            JournalWriter writer = journal.writer(0, () -> {});
            while (journal.hasRoom()) {
                commit(writer);
            }
            assertThat(journal.state()).isEqualTo(JournalState.DISK_FULL);
            assertThat(Files.getFileStore(disk).getUsableSpace()).isGreaterThanOrEqualTo(reserve);
        }
    }

    @Test
    void aDiskThatBecameReadOnlyMakesReadingWait() throws Exception {
        mount();
        try (Journal journal = open(0)) {
            JournalWriter writer = journal.writer(0, () -> {});
            Counter counter = new Counter();
            try (JournalReader reader = journal.reader(0, 1, counter)) {
                commit(writer);
                // The queue has mapped it for writing, so that only a lazy unmount and a read-only one in its place
                // work.
                run("umount", "-l", disk.toString());
                run("mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", disk.toString());
                assertThatThrownBy(() -> {
                            while (journal.hasRoom()) {
                                commit(writer);
                            }
                        })
                        .as("another file system in its place")
                        .hasCauseInstanceOf(JournalLostException.class);
                assertThat(readAll(reader, counter)).isGreaterThanOrEqualTo(writer.lastEndLsn() / 10 - 1);
            }
        }
        assertThatThrownBy(() -> open(0)).isInstanceOf(IOException.class);
    }

    @Test
    void aFolderThatVanishedIsATypedError() throws Exception {
        try (Journal journal = openIn(folder.resolve("journal"), 0)) {
            JournalWriter writer = journal.writer(0, () -> {});
            commit(writer);
            SyncPoint point = journal.point(writer.lastEndLsn());
            try (Stream<Path> files = Files.walk(folder.resolve("journal"))) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
            assertThatThrownBy(() -> journal.sync(point)).isInstanceOf(JournalLostException.class);
            assertThatThrownBy(() -> {
                        while (journal.hasRoom()) {
                            commit(writer);
                        }
                    })
                    .hasCauseInstanceOf(JournalLostException.class);
        }
    }

    private void mount() throws Exception {
        Path point = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=" + DISK_BYTES, "tmpfs", point.toString()),
                "this test needs the right to mount a file system");
        disk = point;
    }

    private static boolean run(String... command) throws Exception {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static void fill(Path file) throws IOException {
        try (var out = Files.newOutputStream(file)) {
            byte[] block = new byte[4096];
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(Files.getFileStore(file).getUsableSpace()).isLessThan(4096);
        }
    }

    private static void awaitRoom(Journal journal) {
        org.awaitility.Awaitility.await().until(journal::hasRoom);
    }

    private Journal open(long reserveBytes) throws IOException {
        return openIn(disk, reserveBytes);
    }

    private static Journal openIn(Path directory, long reserveBytes) throws IOException {
        JournalHome home = JournalHome.open(directory, "7", 1, "slot");
        try {
            home.claim(new UUID(7, 1));
            return Journal.open(home, 1, MAX_BYTES, reserveBytes, 0);
        } catch (IOException e) {
            home.close();
            throw e;
        }
    }

    private static Op op(byte[] payload) {
        return new Op("default", "doc", null, payload, null, "app", 1);
    }

    private static void commit(JournalWriter writer) {
        long lsn = writer.lastEndLsn();
        writer.begin(lsn, 0);
        writer.op(op(new byte[10_000]));
        writer.commit(lsn + 10);
    }

    private static long readAll(JournalReader reader, Counter counter) {
        while (reader.poll(100) > 0) {}
        return counter.commits;
    }

    private static final class Counter implements JournalHandler {
        long commits;

        @Override
        public void op(long commitLsn, int sequence, int hash, Op op) {}

        @Override
        public void barrier(String doc) {}

        @Override
        public void policy(String collection, Policy policy) {}

        @Override
        public void command(long commitLsn, Command command) {}

        @Override
        public void commit(long endLsn, boolean hasOps, boolean hasBarrier) {
            commits++;
        }

        @Override
        public void abandon() {}
    }
}
