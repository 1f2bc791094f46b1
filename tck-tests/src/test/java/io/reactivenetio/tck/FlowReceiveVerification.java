// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.NetioConnection;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.SkipException;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** What is received is a Publisher of the JDK's, too, through the adapter of Reactive Streams. */
@SuppressWarnings("exports")
abstract class FlowReceiveVerification<T> extends FlowPublisherVerification<T> implements OverLoopback {
    private final Loopback loopback;
    private final Function<NetioConnection, Flux<T>> receiving;

    FlowReceiveVerification(Variant variant, Function<NetioConnection, Flux<T>> receiving) {
        super(Loopback.environment());
        this.loopback = new Loopback(variant);
        this.receiving = receiving;
    }

    @Override
    public Flow.Publisher<T> createFlowPublisher(long elements) {
        return adapted(receiving.apply(loopback.receiving(elements)));
    }

    /** A second subscriber is refused. */
    @Override
    public Flow.Publisher<T> createFailedFlowPublisher() {
        Flux<T> taken = receiving.apply(loopback.receiving(1));
        taken.blockLast();
        return adapted(taken);
    }

    /** In a disguise, or the adapter back would unwrap it. Reactor's own adapter takes a null for a subscriber, against §1.9. */
    private static <T> Flow.Publisher<T> adapted(Flux<T> flux) {
        Flow.Publisher<T> adapted = FlowAdapters.toFlowPublisher(flux);
        return adapted::subscribe;
    }

    @Override
    @Test
    public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber() throws Throwable {
        activePublisherTest(3, false, DroppedSubscriber::verify);
    }

    /** A second subscriber is refused. The TCK would wait 10 seconds for what it is sent, and then skip the rule. */
    @Override
    @Test
    public void optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals() {
        throw new SkipException("optional, and there is one subscriber");
    }

    @Override
    public Loopback loopback() {
        return loopback;
    }
}
