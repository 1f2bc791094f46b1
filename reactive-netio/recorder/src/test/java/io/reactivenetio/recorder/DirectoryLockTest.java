// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
