// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Serves a recording to {@link NetioRecordingClient}s. Each reader has a stream of its own, and what its client asks for is what
 * is read from the disk. All methods may be called on any thread.
 *
 * <p>Whatever ends a reader here, its client is told. A message that is larger than the client's
 * {@link io.reactivenetio.Framing.Stream#maxMessageSize(int) maxMessageSize} ends the reader with LIMIT.
 *
 * <p>It uses the tags from 0x4e52454300000000 to 0x4e524543ffffffff of each connection. A {@code NetioPublisher} may serve others
 * on the same connections.
 */
public final class NetioRecordingServer {
    /** How many readers may be open at a time, unless set. */
    public static final int DEFAULT_READERS = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(NetioRecordingServer.class);

    private final RecordingReader recording;
    private final int maxReaders;
    private final AtomicInteger readers = new AtomicInteger();

    private NetioRecordingServer(RecordingReader recording, int maxReaders) {
        this.recording = recording;
        this.maxReaders = maxReaders;
    }

    /** Creates a server of {@code recording}, which is not closed with it. */
    public static NetioRecordingServer create(RecordingReader recording) {
        return new NetioRecordingServer(recording, DEFAULT_READERS);
    }

    /**
     * Sets how many readers may be open at a time, on all connections together; {@value #DEFAULT_READERS} unless set. One more is
     * refused with LIMIT. A reader that reads keeps a block in memory.
     *
     * @return another server of the same recording
     * @throws IllegalArgumentException if it is less than 1
     */
    public NetioRecordingServer maxReaders(int number) {
        if (number < 1) {
            throw new IllegalArgumentException("maxReaders must be at least 1: " + number);
        }
        return new NetioRecordingServer(recording, number);
    }

    /** How many readers are open now. */
    public int readers() {
        return readers.get();
    }

    /** Returns {@code server} with {@link NetioServer#streamFraming}, serving this recording on each connection. */
    public NetioServer serve(NetioServer server) {
        return server.framing(server.streamFraming()).doOnConnection(this::serve);
    }

    /** Serves this recording on {@code connection}. Call it in {@code doOnConnection} or {@code doOnConnected}. */
    public void serve(NetioConnection connection) {
        Map<Long, Disposable> open = new ConcurrentHashMap<>();
        connection.respond(RecordingProtocol.CONTROL, request -> answer(connection, open, request))
                .subscribe(nothing -> { }, error -> LOG.warn("{} is served no recording any more: {}", connection,
                        error.toString()));
        connection.onDispose().subscribe(nothing -> { }, error -> closeAll(open), () -> closeAll(open));
    }

    private static void closeAll(Map<Long, Disposable> open) {
        open.values().forEach(Disposable::dispose);
    }

    private Mono<ByteBuffer> answer(NetioConnection connection, Map<Long, Disposable> open, ByteBuffer request) {
        return switch (RecordingProtocol.request(request)) {
            case RecordingProtocol.LIST -> list(request.getInt());
            case RecordingProtocol.OPEN -> Mono.just(open(connection, open, RecordingProtocol.opened(request)));
            default -> Mono.just(close(open, request.getLong()));
        };
    }

    private Mono<ByteBuffer> list(int from) {
        return Mono.defer(recording::tags).map(all -> RecordingProtocol.streams(all, from))
                .onErrorResume(why -> Mono.just(RecordingProtocol.refusal(RecordingProtocol.reason(why))));
    }

    private static ByteBuffer close(Map<Long, Disposable> open, long cursor) {
        Disposable reader = open.get(cursor);
        if (reader != null) {
            reader.dispose();
        }
        return RecordingProtocol.ok();
    }

    private ByteBuffer open(NetioConnection connection, Map<Long, Disposable> open, RecordingProtocol.Open wanted) {
        if (readers.incrementAndGet() > maxReaders) {
            readers.decrementAndGet();
            return RecordingProtocol.refusal(new NetioRecordingException(Reason.LIMIT, maxReaders + " readers are open at "
                    + "the server of the recording: close some, or raise maxReaders there"));
        }
        Disposable.Swap reader = Disposables.swap();
        if (open.putIfAbsent(wanted.cursor(), reader) != null) {
            readers.decrementAndGet();
            return RecordingProtocol.refusal(new NetioRecordingException(Reason.IN_USE, "there is a reader with tag "
                    + Long.toHexString(wanted.cursor()) + " on this connection"));
        }
        NetioStream stream = connection.stream(wanted.cursor());
        reader.update(stream.completion(SendCompletion.TRANSMITTED).send(events(connection, wanted), RecordingProtocol.ENCODER)
                .onErrorResume(why -> isEnd(why) ? Mono.error(why) : tell(stream, told(connection, wanted, why)))
                .then(stream.completeOutbound())
                .doFinally(signal -> {
                    if (open.remove(wanted.cursor(), reader)) {
                        readers.decrementAndGet();
                    }
                })
                .subscribe(nothing -> { }, error -> ended(connection, wanted, error)));
        return RecordingProtocol.ok();
    }

    /** The events of a reader, and as the last one why there are no more, whatever that is. */
    private Flux<Object> events(NetioConnection connection, RecordingProtocol.Open wanted) {
        return Flux.defer(() -> recording.read(wanted.tags(), wanted.from(), wanted.follow())).cast(Object.class)
                .onErrorResume(why -> Mono.just(told(connection, wanted, why)));
    }

    /** Sends why there are no more events as the last one. */
    private static Mono<Void> tell(NetioStream stream, NetioRecordingException why) {
        return stream.completion(SendCompletion.TRANSMITTED).send(Mono.just(why), RecordingProtocol.ENCODER);
    }

    private static NetioRecordingException told(NetioConnection connection, RecordingProtocol.Open wanted, Throwable why) {
        if (!(why instanceof NetioRecordingException)) {
            LOG.warn("a reader of {} on {} has failed, and is told so", wanted.tags(), connection, why);
        }
        return RecordingProtocol.reason(why);
    }

    /** Whether the client has ended the stream or is gone, and so knows of the end. */
    private static boolean isEnd(Throwable error) {
        return error instanceof NetioException && !(error instanceof MessageTooLargeException);
    }

    /** A client that cannot be told why its stream has ended loses its connection: it must not wait for more. */
    private static void ended(NetioConnection connection, RecordingProtocol.Open wanted, Throwable error) {
        if (!isEnd(error)) {
            LOG.warn("a reader of {} on {} cannot be told why it has ended: its connection is closed", wanted.tags(), connection,
                    error);
            connection.dispose();
        }
    }
}
