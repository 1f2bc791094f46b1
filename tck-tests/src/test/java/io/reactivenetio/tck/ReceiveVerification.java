// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.NetioConnection;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.SkipException;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** What is received is a Publisher, with the elements coming from a peer. */
@SuppressWarnings("exports")
abstract class ReceiveVerification<T> extends PublisherVerification<T> implements OverLoopback {
    private final Loopback loopback;
    private final Function<NetioConnection, Flux<T>> receiving;

    ReceiveVerification(Variant variant, Function<NetioConnection, Flux<T>> receiving) {
        super(Loopback.environment());
        this.loopback = new Loopback(variant);
        this.receiving = receiving;
    }

    @Override
    public Publisher<T> createPublisher(long elements) {
        return receiving.apply(loopback.receiving(elements));
    }

    /** A second subscriber is refused. */
    @Override
    public Publisher<T> createFailedPublisher() {
        Flux<T> taken = receiving.apply(loopback.receiving(1));
        taken.blockLast();
        return taken;
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
