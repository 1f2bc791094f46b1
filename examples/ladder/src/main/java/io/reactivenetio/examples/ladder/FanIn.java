// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;

/**
 * Reads three detectors as one Flux, and counts what came from each. Each detector is a server that sends 1,000 numbers. The
 * numbers come in the order of arrival. Each detector is asked for more only as its own numbers are taken, so none crowds out
 * the others. Try {@code Flux.concat} instead of {@code merge}, which reads one detector after the other. Or let the reader
 * {@code take(100)}: the detectors are told to stop.
 */
public final class FanIn {
    private static final int DETECTORS = 3;

    private FanIn() {
    }

    // docs
    record Reading(int detector, int number) {
    }

    static final NetioCodec<Reading> READINGS = NetioCodec.ofRecord(Reading.class); // messages of 8 bytes

    static DisposableServer detector(int number) {
        Flux<Reading> readings = Flux.range(0, 1_000).map(n -> new Reading(number, n));
        return NetioServer.create().backend(Backend.chosen()).handle((in, out) -> out.send(readings, READINGS)).bindNow();
    }

    static Flux<Reading> readings(int port) {
        return NetioClient.create().backend(Backend.chosen()).port(port).connect()
                .flatMapMany(connection -> connection.receive(READINGS)
                        .doFinally(signal -> connection.dispose()));
    }

    /** Prints how much each detector has sent. */
    public static void main(String... args) {
        List<DisposableServer> detectors = IntStream.rangeClosed(1, DETECTORS).mapToObj(FanIn::detector).toList();
        Flux<Reading> all = Flux.merge(detectors.stream().map(server -> readings(server.port())).toList());
        all.collect(TreeMap<Integer, Integer>::new, (sums, reading) -> sums.merge(reading.detector(), 1, Integer::sum))
                .doOnNext(counts -> counts.forEach((detector, count) ->
                        System.out.println("detector " + detector + ": " + count + " readings")))
                .block(Duration.ofSeconds(10));
        detectors.forEach(DisposableServer::dispose);
    }
    // docs end
}
