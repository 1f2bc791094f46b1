// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.screen.Histogram;
import java.util.List;
import java.util.stream.IntStream;

/** Samples as a run may have them. */
final class Samples {

    private Samples() {
    }

    static DetectorSettings settings(int links) {
        DetectorSettings settings = new DetectorSettings();
        settings.links = links;
        settings.rate = 20_000;
        settings.seconds = 10;
        settings.hits = 8;
        return settings;
    }

    /** Of so many links, each of which has received so many fragments of 64 bytes, a tenth of the events being lost. */
    static Sample of(int links, long received) {
        Histogram histogram = new Histogram(8);
        IntStream.range(0, 200).forEach(i -> histogram.add(i % 20));
        List<Long> stalls = IntStream.range(0, links).mapToObj(i -> received / 300 + i).toList();
        DetectorStatus status = new DetectorStatus(received / 18, received + received / 9, received, received / 9, stalls);
        return new Sample(received * 50_000, received, received / 10, 0, 2, status, IntStream.range(0, links)
                .mapToObj(i -> new Sample.Link(i, received, received * 64, 100 - i, stalls.get(i), received / 60 + i,
                        received / 61 + i, 5, 0, 0)).toList(), histogram.counts());
    }

    /** Of a run that has ended with that sample, and with what the detector says of it. */
    static Summary summary(Sample end) {
        List<LinkTally> tallies = end.links().stream().map(link -> new LinkTally(link.number(), link.received(), link.bytes(),
                link.truncated(), link.corrupted(), link.digest(), link.stalls())).toList();
        return Summary.of(tallies, end, settings(end.links().size()));
    }
}
