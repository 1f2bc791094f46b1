// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioRegion;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.micrometer.NetioRespondContext;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The guide says what is compiled here, and that works. */
@Timeout(180)
class GuideTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);
    private static final int MOST_CPUS = 8192;
    private static final List<String> FILES = List.of("main/Beginning", "main/Receiving", "main/Sending", "main/Living",
            "main/Coding", "main/Streaming", "main/Paging", "main/Publishing", "ladder/ZeroCopyRegion",
            "ladder/Requests", "test/PipelineTest", "test/Tracing");
    private static final Path LADDER = Path.of("../ladder/src/main/java/io/reactivenetio/examples");

    @Test
    void shouldShowTheSnippetsThatAreCompiledHereAndNoOthers() throws IOException {
        List<String> compiled = new ArrayList<>();
        for (String file : FILES) {
            String source = Files.readString(file.startsWith("ladder/") ? LADDER.resolve(file + ".java")
                    : Path.of("src", file.replace("/", "/java/io/reactivenetio/examples/") + ".java"));
            List<String> parts = Arrays.asList(source.split("    // guide( end)?\n"));
            assertThat(parts).as(file).hasSizeGreaterThan(2);
            parts.subList(1, parts.size() - 1).forEach(part -> compiled.add(shown(part)));
        }
        assertThat(BLOCK.matcher(Files.readString(Path.of("../../docs/guide.md"))).results().map(block -> block.group(1)))
                .containsExactlyInAnyOrderElementsOf(compiled);
    }

    private static String shown(String part) {
        return part.strip().lines().map(line -> line.startsWith("    ") ? line.substring(4) : line)
                .map(line -> line.replaceFirst("^static ", "")).collect(Collectors.joining("\n"));
    }

    @Test
    void shouldBeginAsTheGuideSays() {
        var server = Beginning.greeter().bindNow();
        try {
            assertThat(Beginning.greetings(server.port()).collectList().block(Duration.ofSeconds(60)))
                    .hasSize(10).startsWith("event 1").endsWith("event 10");
        } finally {
            server.dispose();
        }
    }

    @Test
    void shouldStoreWhatIsReceivedAtItsPace() {
        assertThat(received(in -> Beginning.stored(in, n -> Mono.delay(Duration.ofMillis(1)).thenReturn(n))))
                .hasSize(100).startsWith(1L, 2L).endsWith(100L);
    }

    @Test
    void shouldMakeLoopsForLatency() {
        int cpu = IntStream.range(0, MOST_CPUS).filter(GuideTest::isAllowed).findFirst().orElseThrow();
        var loops = Living.forLatency(cpu, cpu);
        assertThat(Mono.fromCallable(() -> Thread.currentThread().getName()).subscribeOn(loops.scheduler())
                .block(Duration.ofSeconds(60))).isEqualTo("readout-1");
        loops.dispose();
    }

    private static boolean isAllowed(int cpu) {
        try {
            NetioLoops.builder().affinity(cpu).build().dispose();
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    void shouldLiveAsTheGuideSays() {
        var loops = NetioLoops.create("guide", 1);
        var server = NetioServer.create().backend(BackendType.TCP).runOn(loops)
                .doOnConnection(connection -> Living.sendHeartbeats(connection).subscribe(nothing -> { }, error -> { }))
                .bindNow();
        var client = NetioClient.create().backend(BackendType.TCP).port(server.port());
        AtomicInteger connections = new AtomicInteger();
        Flux<Long> three = Living.forEver(client.doOnConnected(connection -> {
            if (connections.incrementAndGet() == 1) {
                connection.dispose(); // lost as soon as it is there
            }
        })).take(3);
        assertThat(three.collectList().block(Duration.ofSeconds(60))).hasSize(3).isSorted();
        assertThat(connections.get()).isEqualTo(2);
        var connection = client.connectNow();
        assertThat(Living.analysed(connection, n -> n < 0 ? -1 : 1L).take(5).collectList().block(Duration.ofSeconds(60)))
                .containsExactly(1L, 1L, 1L, 1L, 1L);
        connection.dispose();
        Living.stop(server, loops).block(Duration.ofSeconds(60));
        assertThat(loops.isDisposed()).isTrue();
    }

    /** What the application of the guide is made with. */
    @Configuration(proxyBeanMethods = false)
    static class Surroundings {
        private static final int HISTOGRAMS = 200;

        private final CountDownLatch stored = new CountDownLatch(3);

        @Bean
        CountDownLatch stored() {
            return stored;
        }

        @Bean
        Function<Long, Mono<Long>> store() {
            return number -> Mono.fromCallable(() -> {
                stored.countDown();
                return number;
            });
        }

        @Bean
        Flux<ByteBuffer> histograms() {
            return Flux.range(0, HISTOGRAMS).map(n -> ByteBuffer.allocate(Long.BYTES));
        }
    }

    @Test
    void shouldLiveInSpringAsTheGuideSays() throws InterruptedException {
        CountDownLatch gone = new CountDownLatch(1);
        var detector = NetioServer.create().doOnConnection(connection -> {
            Living.sendHeartbeats(connection).subscribe(nothing -> { }, error -> { });
            connection.onDispose().subscribe(nothing -> { }, error -> { }, gone::countDown);
        }).bindNow();
        var application = new AnnotationConfigApplicationContext();
        application.getEnvironment().getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("detector.port", detector.port())));
        application.register(SpringBeans.Readout.class, Surroundings.class);
        application.refresh();
        assertThat(application.getBean(CountDownLatch.class).await(60, TimeUnit.SECONDS)).isTrue();
        var monitor = NetioClient.create().port(application.getBean("monitoring", DisposableServer.class).port()).connectNow();
        CountDownLatch begun = new CountDownLatch(1);
        var received = monitor.receive().doOnNext(message -> begun.countDown())
                .delayElements(Duration.ofNanos(100_000)).count().toFuture();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

        application.close(); // while the monitor is still receiving

        assertThat(received.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(Surroundings.HISTOGRAMS);
        assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
        detector.dispose();
    }

    @Test
    void shouldTakeTheContextAlongAsTheGuideSays() {
        ObservationRegistry registry = ObservationRegistry.create();
        List<String> observed = new CopyOnWriteArrayList<>();
        registry.observationConfig().observationHandler(new ObservationHandler<NetioRespondContext>() {
            @Override
            public void onStop(NetioRespondContext context) {
                observed.add(context.getContextualName() + " " + context.outcome());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof NetioRespondContext;
            }
        });
        var server = Tracing.observed(Tracing.greeterOfUsers(), registry).bindNow();
        try {
            assertThat(Tracing.greeted(server.port(), "ann").block(Duration.ofSeconds(60))).isEqualTo("hello ann");
            // which ends when the answer is on its way
            Flux.interval(Duration.ofMillis(10)).filter(n -> !observed.isEmpty()).blockFirst(Duration.ofSeconds(60));
            assertThat(observed).containsExactly("respond 7 success");
        } finally {
            server.dispose();
        }
    }

    @Test
    void shouldStreamAsTheGuideSays() {
        var tagged = NetioServer.create().backend(BackendType.TCP)
                .doOnConnection(connection -> Streaming.serve(connection, Flux.just(ByteBuffer.allocate(1)),
                        Flux.just(ByteBuffer.allocate(8), ByteBuffer.allocate(16))).subscribe(nothing -> { }, error -> { }))
                .bindNow();
        var client = NetioClient.create().backend(BackendType.TCP).port(tagged.port());
        var connection = client.connectNow();
        var far = client.connectNow();
        try {
            assertThat(Streaming.readTemperatures(connection).map(ByteBuffer::remaining).collectList()
                    .block(Duration.ofSeconds(60))).containsExactly(8, 16);
            assertThat(Streaming.workedOff(far, Mono::just).count().block(Duration.ofSeconds(60))).isEqualTo(2);
        } finally {
            connection.dispose();
            far.dispose();
            tagged.dispose();
        }
    }

    @Test
    void shouldPackPagesAsTheGuideSays() {
        Flux<TaggedMessage> fragments = Flux.range(0, 1_000).map(n -> TaggedMessage.of(n % 3, ByteBuffer.allocate(n % 7)));
        var server = Paging.readout(fragments).backend(BackendType.TCP).bindNow();
        var connection = NetioClient.create().backend(BackendType.TCP).framing(Framing.page().endSignal(EndSignal.PEER_CLOSE))
                .port(server.port()).connectNow();
        try {
            assertThat(Paging.bytesPerLink(connection).block(Duration.ofSeconds(60))).isEqualTo(fragments
                    .collect(HashMap::new, (HashMap<Long, Long> sums, TaggedMessage m) ->
                            sums.merge(m.tag(), (long) m.payload().remaining(), Long::sum)).block());
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    @Test
    void shouldTakeTheFirstThousandAsTheGuideSays() {
        var server = Streaming.detector(Flux.range(0, 100_000).map(n -> ByteBuffer.allocate(8).putLong(0, n))).bindNow();
        try {
            assertThat(Streaming.firstThousand(server.port()).block(Duration.ofSeconds(60))).isEqualTo(1_000);
        } finally {
            server.dispose();
        }
    }

    private static List<Long> received(Function<NetioInbound, Flux<Long>> receiver) {
        var server = NetioServer.create().backend(BackendType.TCP)
                .handle((in, out) -> out.send(Flux.range(1, 100).map(n -> ByteBuffer.allocate(16)
                        .putLong(n).putLong(1_000).flip())).then(out.completeOutbound())).bindNow();
        var connection = NetioClient.create().backend(BackendType.TCP).port(server.port()).connectNow();
        try {
            return receiver.apply(connection).collectList().block(Duration.ofSeconds(60));
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    /** What the peer gets of what {@code sender} sends. */
    private static List<Long> sent(Framing.Raw framing, Function<NetioOutbound, Mono<Void>> sender) {
        var server = NetioServer.create().backend(BackendType.TCP).framing(framing.endSignal(EndSignal.EMPTY_MESSAGE))
                .handle((in, out) -> sender.apply(out).then(out.completeOutbound())).bindNow();
        var connection = NetioClient.create().backend(BackendType.TCP).framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE))
                .port(server.port()).connectNow();
        try {
            return connection.receive(ByteBuffer::getLong).collectList().block(Duration.ofSeconds(60));
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    private static Flux<Long> numbers() {
        return Flux.range(0, 1_000).map(Long::valueOf);
    }

    private static Flux<ByteBuffer> messages() {
        return numbers().map(n -> ByteBuffer.allocate(8).putLong(n).flip());
    }

    @Test
    void shouldSendAsTheGuideSays() {
        List<Long> expected = numbers().collectList().block();
        try (NetioRegion region = NetioRegion.allocate(1 << 16)) {
            Framing.Raw raw = Framing.raw().region(region);
            assertThat(sent(raw, out -> Sending.send(out, messages(), lost -> { }))).isEqualTo(expected);
            assertThat(sent(raw, out -> Sending.report(out, messages()))).isEqualTo(expected);
        }
        var server = Sending.forManyConnections().backend(BackendType.TCP).handle((in, out) -> out.send(messages())
                .then(in.receive().then())).bindNow();
        var connection = NetioClient.create().backend(BackendType.TCP).framing(Framing.raw()).port(server.port()).connectNow();
        try {
            assertThat(connection.receive(ByteBuffer::getLong).take(expected.size()).collectList().block(Duration.ofSeconds(60)))
                    .isEqualTo(expected);
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    @Test
    void shouldCountWhatIsLost() {
        AtomicLong lost = new AtomicLong();
        var server = NetioServer.create().backend(BackendType.TCP).handle((in, out) -> in.receive().then()).bindNow();
        var connection = NetioClient.create().backend(BackendType.TCP).port(server.port()).connectNow();
        assertThatThrownBy(() -> Sending.send(connection, messages().doOnNext(m -> connection.dispose()), lost::set)
                .block(Duration.ofSeconds(60))).isInstanceOf(NetioAbortedException.class);
        assertThat(lost.get()).isPositive();
        server.dispose();
    }

    @Test
    void shouldSumInPlace() {
        assertThat(received(Receiving::sums)).hasSize(100).startsWith(1_001L, 1_002L);
    }

    @Test
    void shouldReadLeasesOnAnotherThread() {
        assertThat(received(Receiving::firstElsewhere)).hasSize(100).startsWith(1L, 2L);
    }

    @Test
    void shouldPublishAndSubscribe() {
        Flux<Coding.Hit> hits = Flux.range(1, 1_000).map(n -> new Coding.Hit(n, n, (short) 1));
        var server = Publishing.publisher(hits, Flux.never())
                .serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        var client = NetioClient.create().backend(BackendType.TCP).port(server.port());
        try {
            var all = Publishing.hits(client, missed -> { }).collectList().block(Duration.ofSeconds(60));
            assertThat(all).isEqualTo(hits.collectList().block());
            assertThat(NetioSubscriber.create(client).subscribe(8).count().block(Duration.ofSeconds(60))).isEqualTo(100);
        } finally {
            server.dispose();
        }
    }

    @Test
    void shouldCodeAsTheGuideSays() {
        List<Coding.Hit> hits = List.of(new Coding.Hit(1, 2, (short) 3), new Coding.Hit(-1, -2, (short) -3));
        var server = NetioServer.create().backend(BackendType.TCP).doOnConnection(connection -> {
            Coding.answerHits(connection, name -> Mono.just(new Coding.Hit(name.length(), 0, (short) 0))).subscribe();
            Coding.sendHits(connection, Flux.fromIterable(hits)).subscribe();
            connection.stream(1).send(Flux.just(new short[] {1, 2}, new short[0]), Coding.SAMPLES).subscribe();
        }).bindNow();
        var connection = NetioClient.create().backend(BackendType.TCP).port(server.port()).connectNow();
        try {
            assertThat(Coding.receiveHits(connection).take(2).collectList().block(Duration.ofSeconds(60))).isEqualTo(hits);
            assertThat(Coding.askForHit(connection, "four").block(Duration.ofSeconds(60)).time()).isEqualTo(4);
            assertThat(connection.stream(1).receive(ByteBuffer::remaining).take(2).collectList().block(Duration.ofSeconds(60)))
                    .containsExactly(4, 0);
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    @Test
    void shouldShareOneInbound() {
        assertThat(received(in -> {
            Flux<Long> shared = Receiving.shared(in);
            return Flux.zip(shared, shared, (one, other) -> one + other);
        })).hasSize(100).startsWith(2L, 4L);
    }
}
