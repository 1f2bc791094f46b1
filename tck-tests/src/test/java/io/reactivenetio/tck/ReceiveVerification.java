// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import reactor.core.publisher.Flux;

/** {@code receive()} is a Publisher, with the elements coming from a peer. */
@SuppressWarnings("exports")
abstract class ReceiveVerification extends PublisherVerification<ByteBuffer> {
    private final Loopback loopback;

    ReceiveVerification(BackendType backend, Framing framing) {
        super(TestSettings.environment(), TestSettings.collection());
        loopback = new Loopback(backend, framing);
    }

    @Override
    public Publisher<ByteBuffer> createPublisher(long elements) {
        return loopback.receiving(elements).receive();
    }

    /** A second subscriber is refused. */
    @Override
    public Publisher<ByteBuffer> createFailedPublisher() {
        Flux<ByteBuffer> taken = loopback.receiving(1).receive();
        taken.blockLast();
        return taken;
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
