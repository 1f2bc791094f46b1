// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.number;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Tags;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** A tag has one source, and a publisher is settled before it has any. */
@Timeout(120)
class OverlappingSourcesTest {
    private final NetioLoops loops = NetioLoops.create("overlap", 1);
    private final NetioPublisher publisher = NetioPublisher.create();

    @AfterEach
    void stop() {
        publisher.dispose();
        loops.dispose();
    }

    private NetioSubscriber subscriber() {
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops)).bindNow();
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops).port(server.port()));
    }

    private void hot(Tags tags) {
        publisher.publish(tags, Flux.never());
    }

    private void cold(Tags tags) {
        publisher.publishEach(tags, tag -> Flux.never());
    }

    private static void refused(Runnable call, String added, String present) {
        assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class).hasMessage("cannot publish a " + added
                + ": there is a " + present + " already, and a tag has one source."
                + " Make one of both, with Flux.merge, or give them other tags");
    }

    @Test
    void shouldNameBothSourcesOfATag() {
        publisher.publish(7, Flux.never());
        refused(() -> publisher.publish(7, Flux.never()), "shared source for tag 7", "shared source for tag 7");
        refused(() -> publisher.publish(7, Flux.just(1L), NetioCodec.longs()), "shared source for tag 7",
                "shared source for tag 7");
        refused(() -> hot(Tags.range(1, 9)), "shared source for tags 1 to 9", "shared source for tag 7");
        refused(() -> publisher.publish(Tags.range(7, 8), Flux.just(1L), n -> 8, NetioCodec.longs()),
                "shared source for tags 7 to 8", "shared source for tag 7");
        refused(() -> cold(Tags.of(7)), "source for each subscriber of tag 7", "shared source for tag 7");
        cold(Tags.range(100, 110));
        refused(() -> cold(Tags.of(105)), "source for each subscriber of tag 105",
                "source for each subscriber of tags 100 to 110");
        refused(() -> publisher.publishEach(Tags.masked(0, 1), tag -> Flux.just(1L), NetioCodec.longs()),
                "source for each subscriber of tags with 0x0 in 0x1", "source for each subscriber of tags 100 to 110");
        refused(() -> publisher.publish(110, Flux.never()), "shared source for tag 110",
                "source for each subscriber of tags 100 to 110");
    }

    @Test
    void shouldTakeSourcesThatHaveNoTagInCommon() {
        cold(Tags.range(100, 110));
        hot(Tags.range(111, 120));
        hot(Tags.masked(0x80, ~0x7L)); // 128 to 135
        hot(Tags.masked(1L << 63, -1L << 62));
        cold(Tags.range(0, 99));
        refused(() -> hot(Tags.range(-1L << 63, -1)), "shared source for tags 9223372036854775808 to 18446744073709551615",
                "shared source for tags with 0x8000000000000000 in 0xc000000000000000");
        publisher.publish(-1, Flux.never());
    }

    @Test
    void shouldAddSourcesWhileItServes() {
        NetioSubscriber subscriber = subscriber();
        assertThatThrownBy(() -> subscriber.subscribe(7).blockFirst(PATIENCE)).isInstanceOf(NetioStreamException.class);
        publisher.publish(7, Flux.just(number(1)));
        assertThat(subscriber.subscribe(7).count().block(PATIENCE)).isEqualTo(1);
    }

    @Test
    void shouldGiveTheTagsOfASharedSourceThatHasEndedToTheNext() {
        Sinks.Empty<Void> end = Sinks.empty();
        publisher.publish(Tags.range(5, 9), Flux.never().takeUntilOther(end.asMono()), nothing -> 5,
                NetioCodec.ofSize(0, (value, target) -> { }, message -> ""));
        NetioSubscriber subscriber = subscriber();
        CompletableFuture<Long> first = subscriber.subscribe(7).count().toFuture();
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        refused(() -> publisher.publish(7, Flux.never()), "shared source for tag 7", "shared source for tags 5 to 9");
        end.tryEmitEmpty();
        assertThat(first.orTimeout(30, TimeUnit.SECONDS).join()).isZero();
        assertThat(subscriber.subscribe(8).count().block(PATIENCE)).as("how it ended").isZero();
        publisher.publish(7, Flux.just(number(1)));
        assertThat(subscriber.subscribe(7).count().block(PATIENCE)).isEqualTo(1);
        assertThatThrownBy(() -> subscriber.subscribe(8).blockFirst(PATIENCE)).isInstanceOf(NetioStreamException.class)
                .hasMessageContaining("nobody serves tag 8");
        publisher.publish(9, Flux.error(new IllegalStateException("no such run")));
        assertThatThrownBy(() -> subscriber.subscribe(9).blockFirst(PATIENCE)).hasMessageContaining("no such run");
        publisher.publish(9, Flux.just(number(2)));
        assertThat(subscriber.subscribe(9).count().block(PATIENCE)).isEqualTo(1);
    }

    @Test
    void shouldGiveATagToOneOfManyThatWantItAtATime() {
        for (int i = 0; i < 200; i++) {
            int tag = i;
            AtomicInteger refused = new AtomicInteger();
            Flux.range(0, 4).flatMap(n -> Mono.fromRunnable(() -> publisher.publish(tag, Flux.never()))
                    .subscribeOn(Schedulers.parallel()).onErrorResume(IllegalArgumentException.class, error -> {
                        refused.incrementAndGet();
                        return Mono.empty();
                    })).blockLast(PATIENCE);
            assertThat(refused.get()).isEqualTo(3);
        }
    }

    @Test
    void shouldHaveSourcesOfItsOwnAndTheSettingsOfItsBuilder() {
        NetioPublisher.Builder settings = NetioPublisher.builder();
        assertThat(List.of(settings.stallTimeout(Duration.ofHours(1)), settings.byteOrder(ByteOrder.LITTLE_ENDIAN)))
                .doesNotContain(settings);
        settings.build().publish(7, Flux.never());
        settings.build().publish(7, Flux.never());
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
            assertThatThrownBy(() -> settings.stallTimeout(wrong)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("longer than nothing");
        }
    }
}
