// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;

/** What is received is a Publisher of the JDK's, too, through the adapter that Reactor has for it. */
@SuppressWarnings("exports")
abstract class FlowReceiveVerification<T> extends FlowPublisherVerification<T> {
    private final Loopback loopback;
    private final Function<NetioConnection, Flux<T>> receiving;

    FlowReceiveVerification(BackendType backend, Function<NetioConnection, Flux<T>> receiving) {
        super(TestSettings.environment(), TestSettings.collection());
        this.loopback = new Loopback(backend);
        this.receiving = receiving;
    }

    @Override
    public Flow.Publisher<T> createFlowPublisher(long elements) {
        return JdkFlowAdapter.publisherToFlowPublisher(receiving.apply(loopback.receiving(elements)));
    }

    /** A second subscriber is refused. */
    @Override
    public Flow.Publisher<T> createFailedFlowPublisher() {
        Flux<T> taken = receiving.apply(loopback.receiving(1));
        taken.blockLast();
        return JdkFlowAdapter.publisherToFlowPublisher(taken);
    }

    @AfterMethod
    void closeConnections() {
        loopback.closeConnections();
    }

    @AfterClass
    void close() {
        loopback.close();
    }
}
