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

/** {@code receive(decoder)} is a Publisher, with the elements coming from a peer. */
@SuppressWarnings("exports")
abstract class ReceiveDecodedVerification extends PublisherVerification<Long> {
    private final Loopback loopback;

    ReceiveDecodedVerification(BackendType backend, Framing framing) {
        super(TestSettings.environment(), TestSettings.collection());
        loopback = new Loopback(backend, framing);
    }

    @Override
    public Publisher<Long> createPublisher(long elements) {
        return loopback.receiving(elements).receive(ByteBuffer::getLong);
    }

    /** A second subscriber is refused. */
    @Override
    public Publisher<Long> createFailedPublisher() {
        Flux<Long> taken = loopback.receiving(1).receive(ByteBuffer::getLong);
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
