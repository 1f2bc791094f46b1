// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.examples.images.SeriesMessage.End;
import io.reactivenetio.examples.images.SeriesMessage.Image;
import io.reactivenetio.examples.images.SeriesMessage.Start;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.function.Tuple2;

/**
 * Three series of a simulated detector, of which the second is aborted, read by three workers, of which the last is slow. Prints
 * how many images each has had.
 */
public final class ImageSeries {
    static final int PIXELS = 512;
    private static final int WORKERS = 3;
    private static final int SERIES = 3;
    private static final int IMAGES = 300;
    private static final Duration SLOW = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private ImageSeries() {
    }

    static Start start(int series, int images) {
        return new Start(series, UUID.randomUUID().toString(), PIXELS, PIXELS, images);
    }

    /** Images with a few hits, as they come from a detector behind a crystal. */
    static Flux<Image> images(Start start) {
        return Flux.range(0, start.images()).map(number -> {
            short[] pixels = new short[start.width() * start.height()];
            SplittableRandom random = new SplittableRandom(number);
            random.ints(pixels.length / 100, 0, pixels.length).forEach(at -> pixels[at]++);
            return new Image(start.series(), start.uniqueId(), number, start.width(), start.height(), pixels);
        });
    }

    private static Mono<Void> work(int port, int worker, AtomicIntegerArray counts) {
        return Series.worker(NetioClient.create(), port).concatMap(message -> {
            if (message instanceof Image image) {
                counts.incrementAndGet(image.series() * WORKERS + worker);
                return worker == WORKERS - 1 ? Mono.delay(SLOW).then(Mono.empty()) : Mono.empty();
            }
            return message instanceof End end ? Mono.just(end) : Mono.empty();
        }, 1).take(SERIES).then();
    }

    /** Runs it. */
    public static void main(String... args) {
        SharedSeries shared = new SharedSeries();
        AtomicIntegerArray counts = new AtomicIntegerArray(SERIES * WORKERS);
        DisposableServer server = Series.serve(NetioServer.create().port(0), shared);
        Mono<Void> workers = Mono.when(IntStream.range(0, WORKERS).mapToObj(n -> work(server.port(), n, counts)).toList());
        Mono<List<Integer>> detector = Flux.range(0, SERIES).concatMap(n -> {
            Start start = start(n, IMAGES);
            Flux<Image> images = images(start);
            return shared.run(start, n == 1 ? images.doOnNext(image -> {
                if (image.number() == IMAGES / 2) {
                    shared.abort();
                }
            }) : images);
        }).collectList().delaySubscription(shared.workers(WORKERS));
        List<Integer> handedOut = Mono.zip(detector, workers.thenReturn(true)).map(Tuple2::getT1).blockOptional(PATIENCE)
                .orElseThrow();
        System.out.println("series  images  worker 0  worker 1  worker 2 (slow)");
        for (int n = 0; n < SERIES; n++) {
            System.out.printf("%6d  %6d  %8d  %8d  %8d%s%n", n, handedOut.get(n), counts.get(n * WORKERS),
                    counts.get(n * WORKERS + 1), counts.get(n * WORKERS + 2), n == 1 ? "  aborted" : "");
        }
        shared.close();
        server.disposeNow();
    }
}
