// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.micrometer.NetioObservations;
import io.reactivenetio.micrometer.NetioRequestContext;
import io.reactivenetio.micrometer.NetioRespondContext;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.metrics.NetioObservationAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.FilteredClassLoader;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** What the application's server and clients do is observed, and what propagators write goes along. */
@Timeout(60)
class ObservationTest {
    private static final Duration LIMIT = TestSettings.PATIENCE;
    private static final String HEADER = "trace";

    /** Notes what has ended, and passes a header on as a tracer does. */
    private static final class Tracer implements ObservationHandler<Observation.Context> {
        final List<String> ended = new CopyOnWriteArrayList<>();

        @Override
        public void onStart(Observation.Context context) {
            if (context instanceof NetioRequestContext request) {
                request.getSetter().set(request.getCarrier(), HEADER, "one");
            }
        }

        @Override
        public void onStop(Observation.Context context) {
            String header = context instanceof NetioRespondContext answered
                    ? " of " + answered.getGetter().get(answered.getCarrier(), HEADER) : "";
            ended.add(context.getName() + header);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        ObservationRegistry registry() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(this);
            return registry;
        }

        void awaitEnded(String... names) {
            Eventually.within(LIMIT, () -> ended.containsAll(List.of(names)));
            assertThat(ended).contains(names);
        }
    }

    private static NetioServerCustomizer answering() {
        return server -> server.doOnConnection(connection -> connection.respond(7, Mono::just).subscribe());
    }

    @Test
    void shouldObserveTheServerAndItsClients() {
        Tracer serving = new Tracer();
        Tracer asking = new Tracer();
        Contexts.tcp().withPropertyValues("netio.server.port=0").withBean(ObservationRegistry.class, serving::registry)
                .withBean(NetioServerCustomizer.class, ObservationTest::answering).run(detector -> {
                    detector.getBean(NetioPublisher.class).publish(8, Flux.just(ByteBuffer.allocate(1)));
                    int port = detector.getBean(NetioServerLifecycle.class).server().port();
                    Contexts.tcp().withPropertyValues("netio.clients.detector.port=" + port)
                            .withBean(ObservationRegistry.class, asking::registry).run(readout -> {
                                NetioClients clients = readout.getBean(NetioClients.class);
                                assertThat(clients.connection("detector").flatMap(connection -> connection.requester(7)
                                        .request(ByteBuffer.allocate(4))).block(LIMIT).remaining()).isEqualTo(4);
                                assertThat(clients.subscriber("detector").subscribe(8).blockFirst(LIMIT)).isNotNull();
                                asking.awaitEnded("netio.connect", "netio.request", "netio.subscribe");
                                serving.awaitEnded("netio.respond of one");
                            });
                });
    }

    @Test
    void shouldPassOnWhatPropagatorsWrite() {
        AtomicReference<String> user = new AtomicReference<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0")
                .withBean(NetioPropagator.class, () -> NetioPropagator.ofKeys("user"))
                .withBean(NetioServerCustomizer.class, () -> server -> server.doOnConnection(connection -> connection
                        .respond(7, question -> Mono.deferContextual(context -> {
                            user.set(context.get("user"));
                            return Mono.just(question);
                        })).subscribe()))
                .run(detector -> Contexts.tcp().withPropertyValues("netio.clients.detector.port="
                                + detector.getBean(NetioServerLifecycle.class).server().port())
                        .withBean(NetioPropagator.class, () -> NetioPropagator.ofKeys("user")).run(readout -> {
                            readout.getBean(NetioClients.class).connection("detector")
                                    .flatMap(connection -> connection.requester(7).request(ByteBuffer.allocate(4)))
                                    .contextWrite(Context.of("user", "ada")).block(LIMIT);
                            assertThat(user).hasValue("ada");
                        }));
    }

    @Test
    void shouldObserveNothingWithoutARegistryOrWithOnesOwnObservations() {
        Contexts.tcp().run(context -> assertThat(context).doesNotHaveBean(NetioObservations.class));
        NetioObservations own = NetioObservations.create(ObservationRegistry.NOOP);
        Contexts.tcp().withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withBean(NetioObservations.class, () -> own)
                .run(context -> assertThat(context.getBean(NetioObservations.class)).isSameAs(own));
        Contexts.tcp().withClassLoader(new FilteredClassLoader(ObservationRegistry.class)).withPropertyValues(
                "netio.server.port=0").run(context -> assertThat(context).hasNotFailed()
                        .doesNotHaveBean(NetioObservationAutoConfiguration.class));
    }

    @Test
    void shouldObserveServersOfEachFraming() {
        for (String framing : List.of("raw", "page")) {
            Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.server.framing=" + framing)
                    .withBean(ObservationRegistry.class, ObservationRegistry::create)
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }
}
