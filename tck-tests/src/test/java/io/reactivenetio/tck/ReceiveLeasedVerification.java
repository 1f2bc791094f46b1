// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Lease;
import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.lang.reflect.Method;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import reactor.core.publisher.Flux;

/** {@code receiveLeased()} is a Publisher, with the elements coming from a peer. Nobody gives a lease back: copies take over. */
@SuppressWarnings("exports")
abstract class ReceiveLeasedVerification extends PublisherVerification<Lease> {
    private final Loopback loopback;

    ReceiveLeasedVerification(BackendType backend, Framing framing) {
        super(TestSettings.environment(), TestSettings.collection());
        loopback = new Loopback(backend, framing);
    }

    @Override
    public Publisher<Lease> createPublisher(long elements) {
        return loopback.receiving(elements).receiveLeased();
    }

    /** A second subscriber is refused. */
    @Override
    public Publisher<Lease> createFailedPublisher() {
        Flux<Lease> taken = loopback.receiving(1).receiveLeased();
        taken.blockLast();
        return taken;
    }

    /**
     * The TCK gives the collector 100 ms to report a subscriber as unreachable. What the tests before have lost, and is found
     * with it, is hundreds of leases, each with a Cleaner, a warning and, with checked buffers, an arena: they go first.
     */
    @BeforeMethod
    void collectLostLeases(Method test) throws InterruptedException {
        if (test.getName().startsWith("required_spec313")) {
            System.gc();
            Thread.sleep(TestSettings.collection());
        }
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
