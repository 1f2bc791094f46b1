// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import reactor.core.publisher.Flux;

/** {@code receive(decoder)} is a Publisher, with the elements coming from a peer. */
@SuppressWarnings("exports")
public class ReceiveDecodedTckTest extends PublisherVerification<Long> {
    private final Loopback loopback = new Loopback();

    public ReceiveDecodedTckTest() {
        super(TestSettings.environment(), TestSettings.collection());
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
