// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.testing.TestSettings;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Factory;

/** What {@code send} subscribes with is a Subscriber, seen from outside. */
@SuppressWarnings("exports")
public class SendBlackboxTckTest extends SubscriberBlackboxVerification<ByteBuffer> {
    private final Loopback loopback;

    @Factory(dataProvider = "every", dataProviderClass = Variant.class)
    SendBlackboxTckTest(Variant variant) {
        super(Loopback.environment());
        loopback = new Loopback(variant);
    }

    @Override
    public Subscriber<ByteBuffer> createSubscriber() {
        CompletableFuture<Subscriber<? super ByteBuffer>> sender = new CompletableFuture<>();
        loopback.sending().send(sender::complete).subscribe(nothing -> { }, error -> { });
        @SuppressWarnings("unchecked") // send accepts any ByteBuffer
        Subscriber<ByteBuffer> subscriber = (Subscriber<ByteBuffer>) sender
                .orTimeout(TestSettings.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return subscriber;
    }

    @Override
    public ByteBuffer createElement(int element) {
        return Loopback.message(element);
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
