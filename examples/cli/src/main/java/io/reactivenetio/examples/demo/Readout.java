// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.cli.Patience;
import io.reactivenetio.examples.demo.event.Fragment;
import io.reactivenetio.examples.demo.screen.Histogram;
import io.reactivenetio.pubsub.Missed;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** Subscribes to the links of the detector, all over one connection, which is made again when it is lost. */
final class Readout {
    private static final int PAGE = 16_384;
    private static final int PAGES = 32;
    /** This side sends nothing but what it asks for. */
    private static final int CONTROL_PAGE = 1_024;
    private static final int CONTROL_PAGES = 8;
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(100);
    private static final int ATTEMPTS = 50;

    private final String provider;
    private final Histogram histogram;
    private final List<ReadoutLink> links;
    private final Map<Tags, ReadoutLink> byTags;
    private volatile @Nullable NetioSubscriber subscriber;

    /** A readout of so many {@code links}, whose fragments have {@code meanHits} hits. */
    Readout(String provider, int links, double meanHits) {
        this.provider = provider;
        this.histogram = new Histogram(meanHits);
        this.links = IntStream.range(0, links).mapToObj(number -> new ReadoutLink(number, histogram)).toList();
        this.byTags = this.links.stream().collect(Collectors.toMap(link -> Tags.of(link.number()), Function.identity()));
    }

    /** The fragments of each link, from the detector that listens there. */
    List<Flux<Fragment>> subscribe(InetSocketAddress detector) {
        NetioSubscriber made = NetioSubscriber.create(NetioClient.create().provider(provider)
                        .host(detector.getAddress().getHostAddress()).port(detector.getPort())
                        .receiveBuffers(PAGE, PAGES).sendBuffers(CONTROL_PAGE, CONTROL_PAGES)
                        .connectTimeout(Patience.ofSeconds(5)))
                .reconnect(Retry.fixedDelay(ATTEMPTS, BETWEEN_ATTEMPTS).transientErrors(true)
                        .onRetryExhaustedThrow((attempts, signal) -> signal.failure()))
                .doOnMissed(this::missed);
        subscriber = made;
        return links.stream().map(link -> link.fragments(made)).toList();
    }

    private void missed(Missed event) {
        ReadoutLink link = byTags.get(event.tags());
        if (link != null) {
            link.missed(event.messages());
        }
    }

    /** Returns the links by number. */
    List<ReadoutLink> links() {
        return links;
    }

    /** How many fragments have had how many hits until now. */
    Histogram.Counts hits() {
        return histogram.counts();
    }

    /** How often the connection was lost and made again. */
    long reconnects() {
        NetioSubscriber made = subscriber;
        return made == null ? 0 : Math.max(0, made.statistics().connections() - 1);
    }
}
