// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestSettings;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** What a send subscribes with is a Subscriber, with a probe around it. */
@SuppressWarnings("exports")
abstract class SendWhiteboxVerification<T> extends SubscriberWhiteboxVerification<T> implements OverLoopback {
    private final Loopback loopback;
    private final Framing framing;
    private final BiFunction<NetioConnection, Publisher<T>, Mono<Void>> sending;
    private final IntFunction<T> element;

    SendWhiteboxVerification(Variant variant, BiFunction<NetioConnection, Publisher<T>, Mono<Void>> sending,
            IntFunction<T> element) {
        super(Loopback.environment());
        this.loopback = new Loopback(variant);
        this.framing = variant.framing();
        this.sending = sending;
        this.element = element;
    }

    @Override
    public Subscriber<T> createSubscriber(WhiteboxSubscriberProbe<T> probe) {
        CompletableFuture<Subscriber<? super T>> sender = new CompletableFuture<>();
        CompletableFuture<BaseSubscriber<ByteBuffer>> remote = new CompletableFuture<>();
        boolean asked = framing == Variant.STREAM;
        Disposable send = sending.apply(asked ? loopback.sending(remote) : loopback.sending(), sender::complete)
                .subscribe(nothing -> { }, error -> { });
        @SuppressWarnings("unchecked") // it accepts any T
        Subscriber<T> subscriber = (Subscriber<T>) sender.orTimeout(TestSettings.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return new Probed<>(subscriber, probe, asked ? puppet(remote) : puppet(send));
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
    public T createElement(int number) {
        return element.apply(number);
    }

    @Override
    public Loopback loopback() {
        return loopback;
    }

    /** Tells the probe every signal before the sender gets it; the puppet requests and cancels as the sender might. */
    private static final class Probed<T> implements Subscriber<T> {
        private final Subscriber<T> sender;
        private final WhiteboxSubscriberProbe<T> probe;
        private final SubscriberPuppet puppet;
        private boolean subscribed;

        Probed(Subscriber<T> sender, WhiteboxSubscriberProbe<T> probe, SubscriberPuppet puppet) {
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
        public void onNext(T element) {
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
