// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** What a {@link NetioPublisher} publishes, as a {@link NetioSubscriber} gives it that would connect again. */
@SuppressWarnings("exports")
public abstract class PublishedVerification<T> extends PublisherVerification<T> {
    private static final BackendType BACKEND = TestSettings.VERBS ? BackendType.LIBFABRIC : BackendType.TCP;
    private static final int TAG = 7;

    private final List<DisposableServer> servers = new CopyOnWriteArrayList<>();
    private @Nullable NetioLoops loops;

    PublishedVerification() {
        super(Loopback.environment());
    }

    abstract Flux<T> subscribe(NetioSubscriber subscriber, Tags tags);

    private NetioLoops loops() {
        NetioLoops running = loops;
        if (running == null) {
            running = NetioLoops.create("tck-published", 2);
            loops = running;
        }
        return running;
    }

    private NetioSubscriber subscriber(int port) {
        return NetioSubscriber.create(NetioClient.create().backend(BACKEND).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops()).port(port).connectTimeout(TestSettings.PATIENCE));
    }

    /** It has a source of its own for each subscriber, since what is published begins for all with the first. */
    @Override
    public Publisher<T> createPublisher(long elements) {
        return Flux.defer(() -> {
            NetioPublisher publisher = NetioPublisher.create().publish(TAG, Loopback.numbers(elements));
            DisposableServer server = publisher.serve(NetioServer.create().backend(BACKEND).provider(TestSettings.PROVIDER)
                    .host(TestSettings.ADDRESS).runOn(loops())).bindNow(TestSettings.PATIENCE);
            servers.add(server);
            return subscribe(subscriber(server.port()).reconnect(Retry.backoff(3, Duration.ofMillis(100))), Tags.of(TAG));
        });
    }

    /** Nobody listens any more. */
    @Override
    public Publisher<T> createFailedPublisher() {
        DisposableServer server = NetioServer.create().backend(BACKEND).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops()).bindNow(TestSettings.PATIENCE);
        server.disposeNow(TestSettings.PATIENCE);
        return subscribe(subscriber(server.port()), Tags.of(TAG));
    }

    @AfterMethod
    void closeServers() {
        servers.forEach(server -> server.disposeNow(TestSettings.PATIENCE));
        servers.clear();
    }

    @AfterClass
    void close() {
        if (loops != null) {
            loops.dispose();
        }
    }
}
