// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.loop.EventLoop;
import java.util.Comparator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/**
 * Has BlockHound watch every event loop of a test run, and {@link LoopNeverBlocksTest} say at its end what was found. It is a
 * ClassOrderer because JUnit's other ways to do something before all tests need a service file, and the module that the tests are
 * patched into cannot have one. A test that is run in another way, without {@code -Dio.reactivenetio.watchLoops=true} and the
 * options of the JVM that pom.xml has beside it, runs unwatched.
 */
public final class WatchedLoops implements ClassOrderer {
    private static final Queue<BlockingOperationError> FOUND = new ConcurrentLinkedQueue<>();

    static {
        if (Boolean.getBoolean("io.reactivenetio.watchLoops")) {
            watch();
        }
    }

    private static void watch() {
        BlockHound.builder().loadIntegrations()
                .nonBlockingThreadPredicate(before -> before.or(EventLoop::isLoopThread))
                .addDynamicThreadPredicate(EventLoop::isLoopThread)
                // at its end a loop waits, 1 us at a time, for those who are just submitting a task
                .allowBlockingCallsInside("io.reactivenetio.loop.Inbox", "drain")
                // the tests' logger, and the tests that keep a loop from its work on purpose
                .allowBlockingCallsInside("org.slf4j.simple.SimpleLogger", "innerHandleNormalizedLoggingCall")
                .allowBlockingCallsInside("io.reactivenetio.flow.LoopSchedulerTest", "await")
                .allowBlockingCallsInside("io.reactivenetio.ConnectionTest", "meet")
                .blockingMethodCallback(method -> {
                    BlockingOperationError error = new BlockingOperationError(method);
                    FOUND.add(error);
                    throw error;
                })
                .install();
    }

    /** What has blocked on a loop so far. Not to be changed but by who blocks on purpose. */
    static Queue<BlockingOperationError> found() {
        return FOUND;
    }

    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors().sort(Comparator.comparing(WatchedLoops::isLast));
    }

    private static boolean isLast(ClassDescriptor descriptor) {
        return descriptor.getTestClass() == LoopNeverBlocksTest.class;
    }
}
