// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.backend.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop for which there is no thread, in a JVM of its own that has no memory for more stacks. */
@Timeout(120)
class ThreadsExhaustedTest {
    /** Large stacks, little else, and no word of the JVM about it. */
    private static final String OPTIONS = "-Xss256m -Xmx64m -XX:ReservedCodeCacheSize=64m -XX:CompressedClassSpaceSize=64m"
            + " -Xlog:disable -XX:ActiveProcessorCount=1 -XX:+UseSerialGC";

    @Test
    void shouldCloseALoopThatCouldNotBeStarted() throws Exception {
        try (ChildJvm child = new ChildJvm("ulimit -v 8000000", OPTIONS, Starting.class)) {
            assertThat(child.hear()).isEqualTo("closed");
        }
    }

    /** The child. */
    static final class Starting {
        private static final int MORE_THAN_FIT = 60;

        private Starting() {
        }

        public static void main(String[] arguments) throws InterruptedException {
            List<EventLoop> loops = new ArrayList<>();
            String outcome = "all started";
            for (int i = 0; i < MORE_THAN_FIT && outcome.equals("all started"); i++) {
                EventLoop loop = EventLoop.create("loop-" + i);
                try {
                    loop.start();
                    loops.add(loop);
                } catch (OutOfMemoryError e) {
                    outcome = loop.awaitTermination(Duration.ofSeconds(10)) ? "closed" : "left open";
                }
            }
            System.out.println(outcome);
            loops.forEach(EventLoop::close);
        }
    }
}
