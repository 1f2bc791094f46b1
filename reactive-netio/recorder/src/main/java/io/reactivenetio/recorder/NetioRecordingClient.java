// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.Framing;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SharedConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Reads a recording that a {@link NetioRecordingServer} serves. All readers that are subscribed at a time share one connection.
 * It is made with the first and closed with the last. Signals come on the connection's loop. A client is immutable: each setting
 * returns a changed copy, which has a connection of its own. All methods may be called on any thread.
 *
 * <p>The server reads no more from its disk than readers have asked for, and what {@code prefetch} of the client adds.
 *
 * <p>A Flux fails with a {@link NetioRecordingException} as that of a {@link NetioRecording} does, also with LIMIT if the server
 * has too many readers or a message is larger than {@code maxMessageSize} of the client, with UNAVAILABLE if the server does not
 * reach what it serves, and with a {@link io.reactivenetio.transport.exceptions.NetioException} when the connection is lost or
 * cannot be made. {@link #reconnect} is for that.
 */
public final class NetioRecordingClient implements RecordingReader {
    private final NetioClient user;
    private final @Nullable Retry retry;
    private final SharedConnection shared;
    private final AtomicInteger cursors = new AtomicInteger();

    /** Events have something beside their message, which comes on top of the largest message that the user has set. */
    private NetioRecordingClient(NetioClient user, @Nullable Retry retry) {
        this.user = user;
        Framing.Stream framing = user.streamFraming();
        NetioClient client = user.framing(framing.maxMessageSize((int) Math.min(Integer.MAX_VALUE,
                (long) framing.maxMessageSize() + RecordingProtocol.EVENT_BYTES)));
        this.retry = retry;
        this.shared = client.shared();
    }

    /** Creates a client of the server that {@code client} connects to. It uses {@link NetioClient#streamFraming}. */
    public static NetioRecordingClient create(NetioClient client) {
        return new NetioRecordingClient(client, null);
    }

    /**
     * Connects again, as {@code when} says, after every {@linkplain NetioSubscriber#isTransient transient} failure, also after
     * UNAVAILABLE, and goes on behind the last event: nothing is lost, and nothing comes twice.
     */
    public NetioRecordingClient reconnect(Retry when) {
        return new NetioRecordingClient(user, new Retry(when.retryContext()) {
            @Override
            public Publisher<?> generateCompanion(Flux<RetrySignal> signals) {
                return when.generateCompanion(signals.handle((signal, sink) -> {
                    if (isTransient(signal.failure())) {
                        sink.next(signal);
                    } else {
                        sink.error(signal.failure());
                    }
                }));
            }
        });
    }

    private static boolean isTransient(Throwable failure) {
        return failure instanceof NetioRecordingException told ? told.reason() == Reason.UNAVAILABLE
                : NetioSubscriber.isTransient(failure);
    }

    @Override
    public Mono<List<RecordedTags>> tags() {
        return again(shared.with(connection -> list(connection, 0)
                .expand(part -> part.streams().isEmpty() ? Mono.empty() : list(connection, part.end()))
                .flatMapIterable(Listed::streams)
                .collectList())).single();
    }

    /** Streams, and how many there are before and in them. */
    private record Listed(int end, List<RecordedTags> streams) {
    }

    private static Mono<Listed> list(NetioConnection connection, int from) {
        return connection.requester(RecordingProtocol.CONTROL).request(RecordingProtocol.list(from))
                .map(RecordingProtocol::part).map(part -> new Listed(from + part.streams().size(), part.streams()));
    }

    @Override
    public Flux<RecordedEvent> read(Tags tags, RecordingPosition from, boolean follow) {
        return Flux.defer(() -> {
            AtomicReference<RecordingPosition> next = new AtomicReference<>(from);
            return again(shared.with(connection -> open(connection, tags, next.get(), follow))
                    .doOnNext(event -> next.set(from.behind(behind(event)))));
        });
    }

    private static Position behind(RecordedEvent event) {
        return switch (event.event()) {
            case SequencedMessage message -> message.position();
            case Gap gap -> new Position(gap.run(), gap.to());
            case RunChange change -> new Position(change.run(), -1);
        };
    }

    private Flux<RecordedEvent> open(NetioConnection connection, Tags tags, RecordingPosition from, boolean follow) {
        long cursor = RecordingProtocol.CONTROL + 1 + Integer.toUnsignedLong(cursors.getAndIncrement()) % 0xffff_ffffL;
        return connection.requester(RecordingProtocol.CONTROL)
                .request(RecordingProtocol.open(new RecordingProtocol.Open(cursor, tags, from, follow)))
                .map(RecordingProtocol::accepted)
                .flatMapMany(accepted -> connection.stream(cursor).receive(message -> RecordingProtocol.event(tags, message)))
                .doOnCancel(() -> connection.requester(RecordingProtocol.CONTROL).request(RecordingProtocol.close(cursor))
                        .subscribe(answer -> { }, error -> { })); // if the reader was not subscribed to yet
    }

    private <T> Flux<T> again(Flux<T> flux) {
        return retry == null ? flux : flux.retryWhen(retry);
    }
}
