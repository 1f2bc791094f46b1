// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.loop.EventLoop;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DisplayNameGenerator;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;

/**
 * Has BlockHound watch every event loop of a test run. Each JVM of the run leaves a file of what it found in the folder that
 * {@code -Dio.reactivenetio.watchLoops=FOLDER} names, and {@link LoopNeverBlocksTest} reads them when all have ended. It is a
 * DisplayNameGenerator, which JUnit loads before each test class, because its other ways need a service file, and the module that
 * the tests are patched into cannot have one. A test that is run in another way, without that property and the options of the JVM
 * that pom.xml has beside it, runs unwatched.
 */
public final class WatchedLoops extends DisplayNameGenerator.Standard {
    /** The name of the property. */
    static final String FOLDER = "io.reactivenetio.watchLoops";
    private static final Queue<BlockingOperationError> FOUND = new ConcurrentLinkedQueue<>();

    static {
        String folder = System.getProperty(FOLDER);
        if (folder != null) {
            report(Path.of(folder));
            watch();
            loadWhatALoopNeeds();
        }
    }

    /**
     * BlockHound decides about a thread when that one first blocks, for good. The thread of a JVM's first loop reads classes
     * before it counts as a loop's, and would be unwatched.
     */
    private static void loadWhatALoopNeeds() {
        NetioLoops first = NetioLoops.create("first", 1);
        Mono.empty().subscribeOn(first.scheduler()).block();
        first.dispose();
    }

    /** Writes a file when this JVM ends, which is empty if nothing blocked. Writing it at once would block the loop, too. */
    private static void report(Path folder) {
        Path file = folder.resolve(ProcessHandle.current().pid() + ".txt");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Files.createDirectories(folder);
                Files.write(file, FOUND.stream().map(WatchedLoops::text).toList());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
    }

    private static String text(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static void watch() {
        BlockHound.builder().loadIntegrations()
                .nonBlockingThreadPredicate(before -> before.or(EventLoop::isLoopThread))
                .addDynamicThreadPredicate(EventLoop::isLoopThread)
                // at its end a loop waits, 1 us at a time, for those who are just submitting a task
                .allowBlockingCallsInside("io.reactivenetio.loop.task.Inbox", "drain")
                // Thread.onSpinWait counts as a wait
                .allowBlockingCallsInside("io.reactivenetio.loop.Turn", "spin")
                // a cancel of Flux.interval may meet its thread at the lock of a queue, as those do that Reactor allows itself
                .allowBlockingCallsInside("reactor.core.scheduler.PeriodicWorkerTask", "dispose")
                .allowBlockingCallsInside("reactor.core.scheduler.PeriodicSchedulerTask", "dispose")
                // the tests' logger, and the tests that keep a loop from its work on purpose
                .allowBlockingCallsInside("org.slf4j.simple.SimpleLogger", "innerHandleNormalizedLoggingCall")
                .allowBlockingCallsInside("io.reactivenetio.scheduler.LoopSchedulerTest", "await")
                .allowBlockingCallsInside("io.reactivenetio.ConnectionTest", "meet")
                .blockingMethodCallback(method -> {
                    BlockingOperationError error = new BlockingOperationError(method);
                    FOUND.add(error);
                    throw error;
                })
                .install();
    }

    /** What has blocked on a loop of this JVM so far. Only a test that blocks on purpose may modify it. */
    static Queue<BlockingOperationError> found() {
        return FOUND;
    }
}
