// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import reactor.core.Disposable;

/** What {@code send} subscribes with is a Subscriber, with a probe around it. */
@SuppressWarnings("exports")
abstract class SendWhiteboxVerification extends SubscriberWhiteboxVerification<ByteBuffer> {
    private final Loopback loopback;

    SendWhiteboxVerification(BackendType backend) {
        super(TestSettings.environment());
        loopback = new Loopback(backend);
    }

    @Override
    public Subscriber<ByteBuffer> createSubscriber(WhiteboxSubscriberProbe<ByteBuffer> probe) {
        CompletableFuture<Subscriber<? super ByteBuffer>> sender = new CompletableFuture<>();
        Disposable send = loopback.sending().send(sender::complete).subscribe(nothing -> { }, error -> { });
        @SuppressWarnings("unchecked") // send accepts any ByteBuffer
        Subscriber<ByteBuffer> subscriber = (Subscriber<ByteBuffer>) sender.orTimeout(5, TimeUnit.SECONDS).join();
        return new Probed(subscriber, probe, send);
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
        private final Disposable send;
        private boolean subscribed;

        Probed(Subscriber<ByteBuffer> sender, WhiteboxSubscriberProbe<ByteBuffer> probe, Disposable send) {
            this.sender = sender;
            this.probe = probe;
            this.send = send;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            sender.onSubscribe(subscription);
            if (!subscribed) {
                subscribed = true;
                probe.registerOnSubscribe(new SubscriberPuppet() {
                    @Override
                    public void triggerRequest(long elements) {
                        // the sender requests by itself, for as many free send buffers as it has
                    }

                    @Override
                    public void signalCancel() {
                        send.dispose();
                    }
                });
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
