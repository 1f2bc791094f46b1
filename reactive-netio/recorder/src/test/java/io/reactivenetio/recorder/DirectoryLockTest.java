// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** One recorder for a directory, whatever happens to the file that is locked. */
class DirectoryLockTest {
    private static final RecorderOptions PROMPT = RecorderOptions.defaults().linger(Duration.ZERO);

    @TempDir
    Path directory;

    /** Another process, which says whether it may record. */
    static final class Another {
        private Another() {
        }

        public static void main(String[] args) {
            try {
                NetioRecorder.open(Path.of(args[0]), PROMPT).close();
                System.out.println("opened");
            } catch (NetioRecordingException e) {
                System.out.println(e.reason());
            }
        }
    }

    private String another() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-cp", KillTest.classPath(), Another.class.getName(), directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said.strip();
    }

    /** The system takes the locks on a file away from a process that closes any descriptor of it. */
    @Test
    void shouldKeepOthersOutAfterASecondRecorderOfTheProcessWasRefused() throws Exception {
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            assertThatThrownBy(() -> NetioRecorder.open(directory, PROMPT)).isInstanceOf(NetioRecordingException.class);
            assertThat(another()).isEqualTo("IN_USE");
            assertThat(recorder.isDisposed()).isFalse();
        }
        assertThat(another()).isEqualTo("opened");
    }

    /** Whoever copies it closes a descriptor of it, too: the system has forgotten the lock, but the file changes. */
    @Test
    void shouldKeepOthersOutAfterItsDirectoryWasCopied(@TempDir Path backup) throws Exception {
        Path lock = directory.resolve(Format.LOCK);
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 3))).blockLast(SOON);
            Files.copy(lock, backup.resolve(Format.LOCK));
            assertThat(another()).isEqualTo("IN_USE");
            recorder.record(TAG, Flux.fromIterable(messages(3, 6))).blockLast(SOON);
            NetioRecorder.open(backup, PROMPT).close(); // says that it is of another file
        }
        assertThat(Events.read(directory)).hasSize(6);
        assertThat(another()).isEqualTo("opened");
    }

    /** The other one was told nothing while this process stood still for longer than anybody waits. */
    @Test
    void shouldEndWhenItsLockWasTaken() throws IOException {
        NetioRecorder recorder = NetioRecorder.open(directory, PROMPT);
        Path lock = directory.resolve(Format.LOCK);
        LockRecord mine = LockRecord.decode(ByteBuffer.wrap(Files.readAllBytes(lock)));
        LockRecord other = new LockRecord(mine.owner() + 2, 0, mine.host(), mine.pid(), mine.begun(), mine.file(), 7);
        Files.write(lock, other.encode().array(), StandardOpenOption.WRITE);
        StepVerifier.create(recorder.record(TAG, Flux.never())).verifyErrorSatisfies(error ->
                assertThat(((NetioRecordingException) error).reason()).isEqualTo(Reason.IN_USE));
        recorder.onDispose().block(SOON);
        assertThat(LockRecord.decode(ByteBuffer.wrap(Files.readAllBytes(lock)))).isEqualTo(other);
    }

    /** Of a process that has ended, of a copy, of a closed one, or of none: nobody waits. */
    @Test
    void shouldKnowWhichOwnersAreGone() throws IOException {
        Files.createFile(directory.resolve(Format.LOCK));
        Object key = Files.readAttributes(directory.resolve(Format.LOCK), BasicFileAttributes.class).fileKey();
        LockRecord mine = LockRecord.mine(5, key, 3);
        assertThat(LockRecord.decode(mine.encode())).isEqualTo(mine);
        assertThat(mine.isOver(key)).isFalse();
        assertThat(mine.closed().isOver(key)).isTrue();
        assertThat(mine.isOver("(dev=1,ino=-5)")).isTrue();
        assertThat(new LockRecord(5, 0, mine.host(), mine.pid(), mine.begun() - 1, mine.file(), 3).isOver(key)).isTrue();
        assertThat(new LockRecord(5, 0, mine.host(), Integer.MAX_VALUE, mine.begun(), mine.file(), 3).isOver(key)).isTrue();
        assertThat(new LockRecord(5, 0, mine.host() + 1, 1, 1, mine.file(), 3).isOver(key)).isFalse();
        assertThat(LockRecord.decode(ByteBuffer.allocate(LockRecord.BYTES))).isNull();
        assertThat(LockRecord.decode(ByteBuffer.allocate(3))).isNull();
    }

    @Test
    void shouldLockAnewWhenItsLockWasDeleted() throws Exception {
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            Path file = directory.resolve(Format.LOCK);
            Files.delete(file);
            Flux.interval(Duration.ofMillis(20)).filter(n -> Files.exists(file)).blockFirst(SOON);
            assertThatThrownBy(() -> NetioRecorder.open(directory, PROMPT)).isInstanceOf(NetioRecordingException.class);
            recorder.record(TAG, Flux.fromIterable(messages(0, 3))).blockLast(SOON);
        }
        NetioRecorder.open(directory, PROMPT).close();
    }

    @Test
    void shouldEndWhenAnotherRecorderCameAfterItsLockWasDeleted() throws IOException {
        NetioRecorder former = NetioRecorder.open(directory, PROMPT);
        Files.delete(directory.resolve(Format.LOCK));
        NetioRecorder later = null;
        try {
            later = NetioRecorder.open(directory, PROMPT);
        } catch (NetioRecordingException e) {
            assertThat(e.reason()).isEqualTo(Reason.IN_USE); // it has locked anew already
        }
        if (later != null) {
            StepVerifier.create(former.record(TAG, Flux.never())).verifyErrorSatisfies(error ->
                    assertThat(((NetioRecordingException) error).reason()).isEqualTo(Reason.IN_USE));
            later.record(TAG, Flux.fromIterable(messages(0, 3))).blockLast(SOON);
            later.close();
        }
        former.close();
    }
}
