// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoopWatchdogTest {
    /** Takes its stack while it is initialized, as a class does that is used for the first time. */
    private static final class Slow {
        private static final StackTraceElement[] STACK = Thread.currentThread().getStackTrace();
    }

    private static StackTraceElement[] stack(String... classes) {
        StackTraceElement[] stack = new StackTraceElement[classes.length];
        for (int i = 0; i < classes.length; i++) {
            stack[i] = new StackTraceElement(classes[i], "run", null, -1);
        }
        return stack;
    }

    @Test
    void shouldKnowAThreadThatLoadsClasses() {
        assertThat(LoopWatchdog.loadsClasses(Slow.STACK)).isTrue();
        assertThat(LoopWatchdog.loadsClasses(stack("java.lang.ClassLoader", "org.example.Handler"))).isTrue();
        assertThat(LoopWatchdog.loadsClasses(stack("java.lang.invoke.MethodHandleNatives", "org.example.Handler"))).isTrue();
        assertThat(LoopWatchdog.loadsClasses(stack("java.lang.Thread", "org.example.Handler"))).isFalse();
        assertThat(LoopWatchdog.loadsClasses(new StackTraceElement[0])).isFalse();
    }

    @Test
    void shouldExcuseTheFirstSecondsOfALoop() {
        LoopWatchdog.Watch watch = LoopWatchdog.watch("young", Long.MAX_VALUE, () -> 0, () -> true, Thread.currentThread());
        assertThat(watch.isExcused(7)).isTrue();
        watch.close();
    }
}
