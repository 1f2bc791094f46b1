// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.FramingSpec;
import io.reactivenetio.testing.TestSettings;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Factory;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;

/** What {@code send} subscribes with is a Subscriber, with a probe around it. */
@SuppressWarnings("exports")
public class SendWhiteboxTckTest extends SubscriberWhiteboxVerification<ByteBuffer> {
    private final Loopback loopback;
    private final FramingSpec framing;

    @Factory(dataProvider = "every", dataProviderClass = Variant.class)
    SendWhiteboxTckTest(Variant variant) {
        super(Loopback.environment());
        loopback = new Loopback(variant);
        framing = variant.framing();
    }

    @Override
    public Subscriber<ByteBuffer> createSubscriber(WhiteboxSubscriberProbe<ByteBuffer> probe) {
        CompletableFuture<Subscriber<? super ByteBuffer>> sender = new CompletableFuture<>();
        CompletableFuture<BaseSubscriber<ByteBuffer>> remote = new CompletableFuture<>();
        Disposable send = (framing == Variant.STREAM ? loopback.sending(remote) : loopback.sending()).send(sender::complete)
                .subscribe(nothing -> { }, error -> { });
        @SuppressWarnings("unchecked") // send accepts any ByteBuffer
        Subscriber<ByteBuffer> subscriber = (Subscriber<ByteBuffer>) sender
                .orTimeout(TestSettings.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return new Probed(subscriber, probe, framing == Variant.STREAM ? puppet(remote) : puppet(send));
    }

    /** RAW, PAGE: the sender requests by itself, for as many elements as it has room for. */
    private static SubscriberPuppet puppet(Disposable send) {
        return new SubscriberPuppet() {
            @Override
            public void triggerRequest(long elements) {
            }

            @Override
            public void signalCancel() {
                send.dispose();
            }
        };
    }

    /** STREAM: it does what the subscriber at the other end of the wire does. */
    private static SubscriberPuppet puppet(CompletableFuture<BaseSubscriber<ByteBuffer>> remote) {
        return new SubscriberPuppet() {
            @Override
            public void triggerRequest(long elements) {
                remote.orTimeout(TestSettings.PATIENCE.toSeconds(), TimeUnit.SECONDS).join().request(elements);
            }

            @Override
            public void signalCancel() {
                remote.orTimeout(TestSettings.PATIENCE.toSeconds(), TimeUnit.SECONDS).join().cancel();
            }
        };
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

    /** Tells the probe every signal before the sender gets it; the puppet requests and cancels as the sender might. */
    private static final class Probed implements Subscriber<ByteBuffer> {
        private final Subscriber<ByteBuffer> sender;
        private final WhiteboxSubscriberProbe<ByteBuffer> probe;
        private final SubscriberPuppet puppet;
        private boolean subscribed;

        Probed(Subscriber<ByteBuffer> sender, WhiteboxSubscriberProbe<ByteBuffer> probe,
                SubscriberPuppet puppet) {
            this.sender = sender;
            this.probe = probe;
            this.puppet = puppet;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            sender.onSubscribe(subscription);
            if (!subscribed) {
                subscribed = true;
                probe.registerOnSubscribe(puppet);
            }
        }

        @Override
        public void onNext(ByteBuffer element) {
            probe.registerOnNext(element);
            sender.onNext(element);
        }

        @Override
        public void onError(Throwable error) {
            probe.registerOnError(error);
            sender.onError(error);
        }

        @Override
        public void onComplete() {
            probe.registerOnComplete();
            sender.onComplete();
        }
    }
}
