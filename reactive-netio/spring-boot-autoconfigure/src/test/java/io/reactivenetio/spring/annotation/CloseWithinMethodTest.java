// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/** A method that closes the context does not wait for itself, which would last until the phase's time is over. */
@Timeout(120)
class CloseWithinMethodTest {
    /** A tenth of what Spring gives each phase. */
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Closes the context, once, and tells how it went. */
    public static class Closing implements DisposableBean {
        final CompletableFuture<Duration> took = new CompletableFuture<>();
        final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        private final AtomicBoolean begun = new AtomicBoolean();
        private final ConfigurableApplicationContext context;

        Closing(ConfigurableApplicationContext context) {
            this.context = context;
        }

        void close() {
            if (begun.compareAndSet(false, true)) {
                long start = System.nanoTime();
                context.close();
                took.complete(Duration.ofNanos(System.nanoTime() - start));
            }
        }

        @Override
        public void destroy() {
            interrupted.complete(Thread.currentThread().isInterrupted());
        }
    }

    public static class Blocking extends Closing {
        Blocking(ConfigurableApplicationContext context) {
            super(context);
        }

        @NetioListener("7")
        public void on(ByteBuffer message) {
            close();
        }
    }

    public static class OnLoop extends Closing {
        OnLoop(ConfigurableApplicationContext context) {
            super(context);
        }

        @NetioListener("7")
        public Mono<Void> on(ByteBuffer message) {
            return Mono.fromRunnable(this::close);
        }
    }

    public static class Answering extends Closing {
        Answering(ConfigurableApplicationContext context) {
            super(context);
        }

        @NetioMapping("8")
        public String stop(String how) {
            close();
            return "too late";
        }

        @NetioMapping("9")
        public Mono<String> stopOnLoop(String how) {
            return Mono.fromRunnable(this::close);
        }
    }

    private static ApplicationContextRunner slow(ApplicationContextRunner application) {
        return application.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=200s");
    }

    private static void shouldCloseSoon(Closing closing) {
        assertThat(closing.took).succeedsWithin(90, TimeUnit.SECONDS).satisfies(took -> assertThat(took).isLessThan(SOON));
    }

    @Test
    void shouldCloseWithinAListenerThatBlocks() {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            slow(detector.application()).withBean(Blocking.class).run(context -> {
                Closing closing = context.getBean(Closing.class);
                shouldCloseSoon(closing);
                assertThat(closing.interrupted).as("the thread that destroys the beans").isCompletedWithValue(false);
            });
        }
    }

    @Test
    void shouldCloseOnTheLoopOfAListener() {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            slow(detector.application()).withBean(OnLoop.class).run(context -> shouldCloseSoon(context.getBean(Closing.class)));
        }
    }

    @Test
    void shouldCloseWithinAMethodThatAnswers() {
        for (int tag : new int[] {8, 9}) {
            slow(Detector.application("netio.server.port=0")).withBean(Answering.class).run(server ->
                    Detector.application("netio.clients.a.port=" + server.getEnvironment().getProperty("local.netio.port"))
                            .run(context -> {
                                Closing closing = server.getBean(Closing.class);
                                CompletableFuture<String> answer = context.getBean(NetioRequesters.class)
                                        .requester("a", tag, String.class, String.class).request("now").toFuture();
                                shouldCloseSoon(closing);
                                // It fails if the connection ends first, but the answer may just have left.
                                assertThat(answer.handle((text, failure) -> "over")).succeedsWithin(Detector.PATIENCE);
                            }));
        }
    }
}
