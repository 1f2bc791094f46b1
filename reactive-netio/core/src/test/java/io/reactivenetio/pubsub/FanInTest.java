// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** One reader of several publishers, whose large messages do not all fit its budget at a time. */
@Timeout(180)
class FanInTest {
    private static final int PUBLISHERS = 8;
    private static final int FRAME = 1 << 20;
    private static final int FRAMES = 20;

    private final NetioLoops publishing = NetioLoops.create("out", 1);
    private final NetioLoops reading = NetioLoops.create("in", 1);

    @AfterEach
    void stop() {
        reading.dispose();
        publishing.dispose();
    }

    /** Each has its turn, and none loses its connection for being second. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLetEachHaveItsTurn(BackendType backend) {
        reading.reassemblyBudget(5 * FRAME / 2);
        List<AtomicLong> got = new ArrayList<>();
        List<NetioSubscriber> subscribers = new ArrayList<>();
        for (int i = 0; i < PUBLISHERS; i++) {
            DisposableServer server = NetioPublisher.create().publishEach(Tags.of(7),
                    tag -> Flux.<ByteBuffer>generate(sink -> sink.next(ByteBuffer.allocate(FRAME))).take(FRAMES))
                    .serve(NetioServer.create().backend(backend).host(TestSettings.ADDRESS).runOn(publishing)).bindNow();
            NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(backend).host(TestSettings.ADDRESS)
                    .receiveBuffers(8_192, 4).runOn(reading).port(server.port()))
                    .reconnect(Retry.fixedDelay(1_000, Duration.ofMillis(10)));
            AtomicLong frames = new AtomicLong();
            subscriber.subscribe(ByteBuffer::remaining, 7).subscribe(bytes -> frames.incrementAndGet());
            got.add(frames);
            subscribers.add(subscriber);
        }
        Link.await(() -> got.stream().allMatch(frames -> frames.get() >= FRAMES), got::toString);
        assertThat(subscribers).allSatisfy(each -> assertThat(each.statistics().connections()).isEqualTo(1));
        assertThat(got).allSatisfy(frames -> assertThat(frames).hasValue(FRAMES));
    }
}
