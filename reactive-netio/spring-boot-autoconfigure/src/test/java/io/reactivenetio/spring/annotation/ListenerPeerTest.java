// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Tls;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestCertificates;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods that receive know who has published: in the Context, on their thread, and as a parameter. */
@Timeout(120)
class ListenerPeerTest {
    private static final TestCertificates FIRST = TestCertificates.local();
    private static final TestCertificates SECOND = TestCertificates.of("second", TestCertificates.LOCAL);

    /** What was seen, of whom. */
    private static final List<String> SEEN = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    ListenerPeerTest() {
        SEEN.clear();
    }

    private static void see(String what, @Nullable Principal peer) {
        SEEN.add(what + " " + (peer == null ? "nobody" : peer.getName()));
    }

    /** Has a parameter that its subclass says the type of. */
    public static class Generic<P> {
        @NetioListener("7")
        public void parameter(ByteBuffer message, @NetioTag long tag, @Nullable P peer) {
            see("parameter", (Principal) peer);
        }
    }

    /** Methods that are told by a parameter or the Context. */
    public static class Plain extends Generic<Principal> {
        @NetioListener("7")
        public Mono<Void> context(@Nullable Principal peer, Lease message) {
            return Mono.deferContextual(context -> Mono.<Void>fromRunnable(
                    () -> see("context", context.getOrDefault(Principal.class, null))));
        }
    }

    /** Methods that ask Spring Security. */
    public static class Secured {
        @NetioListener("7")
        public void thread(ByteBuffer message) {
            see("thread", SecurityContextHolder.getContext().getAuthentication());
        }

        @NetioListener("7")
        public Flux<String> security(ByteBuffer message) {
            return ReactiveSecurityContextHolder.getContext().map(context -> Objects.requireNonNull(context.getAuthentication()))
                    .flux().map(peer -> "security " + peer.getName()).doOnNext(SEEN::add);
        }
    }

    /** A method that is still in its first message when the detector is replaced. */
    public static class Waiting {
        static final CountDownLatch REPLACED = new CountDownLatch(1);

        @NetioListener("7")
        public void late(ByteBuffer message, Principal peer) throws InterruptedException {
            REPLACED.await();
            see(Long.toString(message.getLong(0)), peer);
        }
    }

    private static Tls as(TestCertificates own) {
        return Tls.create().certificate(own.certificate(), own.key());
    }

    private static <T> ApplicationContextRunner application(Detector detector, Class<T> methods, Path trusted) {
        return detector.application().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class)).withPropertyValues(
                "spring.ssl.bundle.pem.trusted.truststore.certificate=file:" + trusted,
                "netio.clients.detector.ssl.bundle=trusted").withBean("methods", methods);
    }

    private static Detector secured() {
        return new Detector(NetioPublisher.create().publishEach(Tags.of(7),
                tag -> Flux.just(Detector.number(0)).concatWith(Flux.never()))).with(server -> server.secure(as(FIRST))).start();
    }

    private static void awaitSeen(String... seen) {
        Eventually.await(() -> SEEN.size() >= seen.length, SEEN::toString);
        assertThat(SEEN).containsExactlyInAnyOrder(seen);
    }

    @Test
    void shouldTellMethodsWhoHasPublished() {
        try (Detector detector = secured()) {
            application(detector, Plain.class, FIRST.certificate())
                    .withClassLoader(new FilteredClassLoader("org.springframework.security"))
                    .run(context -> awaitSeen("parameter CN=local", "context CN=local"));
        }
    }

    @Test
    void shouldTellSpringSecurity() {
        try (Detector detector = secured()) {
            application(detector, Secured.class, FIRST.certificate())
                    .run(context -> awaitSeen("thread CN=local", "security CN=local"));
        }
    }

    @Test
    void shouldTellThatNobodyKnows() {
        try (Detector detector = Detector.of(1)) {
            detector.application().withBean(Plain.class)
                    .run(context -> awaitSeen("parameter nobody", "context nobody"));
        }
    }

    @Test
    void shouldTellWhoHasPublishedEachMessageWhenAnotherPeerFollows() throws Exception {
        Path both = Files.writeString(folder.resolve("both.pem"),
                Files.readString(FIRST.certificate()) + Files.readString(SECOND.certificate()));
        AtomicInteger published = new AtomicInteger();
        try (Detector detector = new Detector(NetioPublisher.create().publishEach(Tags.of(7),
                tag -> Flux.range(published.getAndAdd(2), 2).map(Detector::number).concatWith(Flux.never())))) {
            detector.with(server -> server.secure(as(FIRST))).start();
            application(detector, Waiting.class, both).run(context -> {
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("methods.late");
                Eventually.await("the messages of the first", () -> listener.statistics().received() == 2);
                detector.kill();
                detector.with(server -> server.secure(as(SECOND))).start();
                Eventually.await("the messages of the second", () -> listener.statistics().received() == 4);
                Waiting.REPLACED.countDown();
                awaitSeen("0 CN=local", "1 CN=local", "2 CN=second", "3 CN=second");
            });
        }
    }
}
