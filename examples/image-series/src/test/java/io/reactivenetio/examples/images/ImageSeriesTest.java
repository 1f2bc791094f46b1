// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.examples.images.SeriesMessage.End;
import io.reactivenetio.examples.images.SeriesMessage.Image;
import io.reactivenetio.examples.images.SeriesMessage.Start;
import io.reactivenetio.transport.BackendType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Series that workers share, over plain TCP. */
@Timeout(120)
class ImageSeriesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SIZE = 64;

    private final SharedSeries shared = new SharedSeries();
    private final DisposableServer server = Series.serve(NetioServer.create().backend(BackendType.TCP), shared);

    @AfterEach
    void close() {
        shared.close();
        server.disposeNow();
    }

    private static Start start(int series, int images) {
        return new Start(series, "unique-" + series, SIZE, SIZE, images);
    }

    private static Flux<Image> images(Start of) {
        return Flux.range(0, of.images()).map(n -> {
            short[] pixels = new short[SIZE * SIZE];
            pixels[n % pixels.length] = (short) (n + 1);
            return new Image(of.series(), of.uniqueId(), n, SIZE, SIZE, pixels);
        });
    }

    private Flux<SeriesMessage> worker() {
        return Series.worker(NetioClient.create().backend(BackendType.TCP), server.port());
    }

    /** The messages of a worker up to the end of so many series. */
    private CompletableFuture<List<SeriesMessage>> record(int series, Duration each) {
        List<SeriesMessage> got = new ArrayList<>();
        return worker().concatMap(message -> each.isZero() || !(message instanceof Image) ? Mono.just(message)
                        : Mono.delay(each).thenReturn(message), 1)
                .doOnNext(got::add).filter(End.class::isInstance).take(series).then(Mono.fromSupplier(() -> got)).toFuture();
    }

    private static List<Integer> numbers(List<SeriesMessage> messages, int series) {
        return messages.stream().filter(m -> m instanceof Image && m.series() == series).map(m -> ((Image) m).number()).toList();
    }

    @Test
    void shouldGiveEachImageToExactlyOneWorkerAndTheEndToAll() throws Exception {
        var all = IntStream.range(0, 3).mapToObj(n -> record(2, Duration.ZERO)).toList();
        shared.workers(3).block(PATIENCE);
        for (int n = 0; n < 2; n++) {
            Start start = start(n, 300);
            assertThat(shared.run(start, images(start)).block(PATIENCE)).isEqualTo(300);
        }
        List<Integer> numbers = new ArrayList<>();
        for (var future : all) {
            List<SeriesMessage> got = future.get();
            assertThat(got).startsWith(start(0, 300)).endsWith(new End(1, "unique-1"))
                    .contains(new End(0, "unique-0"), start(1, 300));
            assertThat(numbers(got, 1)).isSorted();
            numbers.addAll(numbers(got, 1));
            got.stream().filter(Image.class::isInstance).map(Image.class::cast).forEach(image ->
                    assertThat(image.pixels()[image.number() % image.pixels().length]).isEqualTo((short) (image.number() + 1)));
        }
        assertThat(numbers).hasSize(300).doesNotHaveDuplicates();
    }

    @Test
    void shouldGiveMoreToWorkersThatAreQuick() throws Exception {
        var slow = record(3, Duration.ofMillis(50));
        var quick = record(3, Duration.ZERO);
        shared.workers(2).block(PATIENCE);
        for (int n = 0; n < 3; n++) {
            Start start = start(n, 400);
            assertThat(shared.run(start, images(start)).block(PATIENCE)).isEqualTo(400);
        }
        for (int n = 0; n < 3; n++) {
            int ofSlow = numbers(slow.get(), n).size();
            assertThat(ofSlow).isLessThan(100); // none, if a series takes no time
            assertThat(numbers(quick.get(), n)).hasSize(400 - ofSlow);
        }
    }

    @Test
    void shouldNotLetAnAbortedSeriesLeakIntoTheNext() throws Exception {
        var all = IntStream.range(0, 3).mapToObj(n -> record(20, Duration.ZERO)).toList();
        shared.workers(3).block(PATIENCE);
        List<Integer> handedOut = new ArrayList<>();
        for (int n = 0; n < 20; n++) {
            Start start = start(n, 100);
            int last = n * 5;
            handedOut.add(shared.run(start, images(start).doOnNext(image -> {
                if (image.number() == last) {
                    shared.abort();
                }
            })).block(PATIENCE));
        }
        List<List<SeriesMessage>> got = new ArrayList<>();
        for (var future : all) {
            got.add(future.get()); // fails where a message is not of the series that has begun
        }
        for (int n = 0; n < 20; n++) {
            int series = n;
            List<Integer> numbers = got.stream().flatMap(one -> numbers(one, series).stream()).sorted().toList();
            assertThat(numbers).isEqualTo(IntStream.range(0, n * 5).boxed().toList()).hasSize(handedOut.get(n));
        }
    }

    @Test
    void shouldEndTheSeriesOfADetectorThatFails() throws Exception {
        var worker = record(2, Duration.ZERO);
        shared.workers(1).block(PATIENCE);
        Start failing = start(0, 10);
        Flux<Image> lost = images(failing).concatWith(Flux.error(new IllegalStateException("beam lost")));
        assertThatThrownBy(() -> shared.run(failing, lost).block(PATIENCE)).hasMessage("beam lost");
        Start foreign = start(1, 10);
        assertThatThrownBy(() -> shared.run(foreign, images(failing)).block(PATIENCE)).hasMessageContaining("within series 1");
        assertThat(worker.get()).hasSize(2 + 10 + 2).endsWith(foreign, new End(1, "unique-1"));
    }

    @Test
    void shouldTellALateWorkerWhatRunsAndGoOnWithoutOneThatLeaves() throws Exception {
        Disposable leaver = worker().take(5).subscribe();
        shared.workers(1).block(PATIENCE);
        Start start = start(0, 200);
        CompletableFuture<Integer> run = shared.run(start, images(start)).toFuture();
        assertThat(shared.run(start(1, 1), Flux.empty()).map(n -> "ran").onErrorResume(e -> Mono.just(e.getMessage()))
                .block(PATIENCE)).isEqualTo("series 0 has not ended");
        var late = record(1, Duration.ZERO);
        assertThat(run.get()).isEqualTo(200);
        assertThat(late.get()).startsWith(start).endsWith(new End(0, "unique-0"));
        assertThat(numbers(late.get(), 0)).hasSizeBetween(180, 200);
        leaver.dispose();
    }

    @Test
    void shouldPrintATable() {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            ImageSeries.main();
        } finally {
            System.setOut(out);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines()).hasSize(4).element(2).asString().endsWith("aborted");
    }
}
