// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamConfig;
import io.reactivenetio.framing.stream.StreamProvider;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A STREAM connection whose peer, backend and loop do only what a test says: the loop turns when told to, what is sent completes
 * when told to. One thread.
 */
public final class StreamUnderTest implements AutoCloseable {
    /** Send buffers. */
    public static final int BUFFERS = 6;
    /** Control credits of the peer at the beginning: as few as there may be. */
    public static final int CONTROLS = 3;
    private static final int PAGE = 1024;
    private static final int RECEIVE_BUFFERS = 32;

    /** What was thrown on the loop. */
    public final List<Throwable> failures = new ArrayList<>();
    private final EventLoop loop = EventLoop.create("under-test");
    private final StubBackend backend = new StubBackend(BUFFERS, PAGE);
    private final Connection engine;
    private final FrameWriter writer = new FrameWriter(false);
    private final FrameReader reader = new FrameReader(false);
    private int read;
    private int completed;
    private int controlsOut;

    /** The peer has so many data credits to give, and allows so many streams. */
    public StreamUnderTest(int dataPages, int maxStreams) {
        this(dataPages, maxStreams, 0);
    }

    /** The same with a peer that supports more, as the bits of its {@link Handshake} say. */
    public StreamUnderTest(int dataPages, int maxStreams, int supported) {
        loop.onError(failures::add);
        loop.poll();
        Endpoint endpoint = new Endpoint(new InetSocketAddress("127.0.0.1", 1), null, this);
        ByteBuffer said = ByteBuffer.allocate(Handshake.SIZE);
        new Handshake(Handshake.Role.ACCEPTS, 1, 1, Handshake.STREAM, supported, 0, PAGE, dataPages, CONTROLS, 10_000,
                maxStreams, 10_000, 0).encode(said);
        endpoint.peerSaid(ConnectionData.of(said.array()));
        ConnectionConfig config = new ConnectionConfig(BackendType.TCP, BackendConfig.defaults(),
                ConnectionParameters.defaults()
                .withReceiveBuffers(PAGE, RECEIVE_BUFFERS).withSendBuffers(PAGE, BUFFERS),
                new StreamProvider(new StreamConfig(64 << 20, 128L << 20, 4_096, 5_000, false,
                Prefetch.ADAPTIVE, 5_000_000_000L)), LeasePolicy.COPY, ByteOrder.BIG_ENDIAN);
        backend.posted = config.endpointParameters(true).receiveBuffers();
        engine = new Connection(new LoopResources(loop), backend, endpoint, config, config.budget(), null, null);
        turn();
    }

    public Connection engine() {
        return engine;
    }

    public StreamSession session() {
        return (StreamSession) engine.session();
    }

    public EventLoop loop() {
        return loop;
    }

    /** A few turns of the loop. */
    public void turn() {
        for (int i = 0; i < 5; i++) {
            loop.poll();
        }
    }

    /** A page of the peer's, which returns so many credits, and what follows from it. */
    public void receive(int dataCredits, int controlCredits, Consumer<FrameWriter> frames) {
        controlsOut -= controlCredits;
        ByteBuffer page = ByteBuffer.allocate(PAGE);
        frames.accept(writer.begin(page));
        backend.posted--;
        Received received = new Received(page.limit(writer.finish(dataCredits, controlCredits)).slice());
        engine.onData(engine.endpoint(), received);
        received.release();
        turn();
    }

    /** The peer subscribes to the tag of the same number, and asks for messages. */
    public static void subscribe(FrameWriter page, int stream, long tag, long demand) {
        page.subscribe(stream, Tags.of(tag), null);
        if (demand > 0) {
            page.request(stream, demand);
        }
    }

    /** What was sent since the last call: {@code COMPLETE 1 2} for instance; of a message, its bytes. */
    public List<String> sent() {
        List<String> frames = new ArrayList<>();
        for (; read < backend.sent.size(); read++) {
            try {
                StubBackend.StubBuffer page = backend.sent.get(read);
                reader.begin(page.data().duplicate().clear().limit(page.length()));
                controlsOut += reader.isDataPage() ? 0 : 1;
                while (reader.next()) {
                    frames.add(switch (reader.type()) {
                        case DATA -> "DATA " + reader.stream() + " " + reader.payloadLength();
                        case ERROR -> "ERROR " + reader.stream() + " " + reader.value() + " " + reader.text();
                        case PING, PONG -> reader.type() + " " + reader.value();
                        case CANCEL, SUBSCRIBE -> reader.type() + " " + reader.stream();
                        default -> reader.type() + " " + reader.stream() + " " + reader.value();
                    });
                }
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
        }
        return frames;
    }

    /** The backend has finished all sends; what they said is to be looked at before. */
    public void complete() {
        complete(backend.sent.size() - completed);
    }

    /** The backend has finished the first {@code pages} of the sends that it had not finished. */
    public void complete(int pages) {
        for (int i = 0; i < pages; i++) {
            StubBackend.StubBuffer page = backend.sent.get(completed++);
            backend.free.add(page);
            engine.onSendCompleted(engine.endpoint(), SendKind.BUFFERED, page.key());
        }
        turn();
    }

    /** Send buffers that nobody has. */
    public int freeBuffers() {
        return backend.free.size();
    }

    /** Pages that were sent and are not finished. */
    public int pagesUnderWay() {
        return backend.sent.size() - completed;
    }

    /** Control credits that the peer can return, by what {@link #sent} has shown. */
    public int controlsOut() {
        return controlsOut;
    }

    /** Whether this side has closed the connection. */
    public boolean isClosed() {
        return backend.closed > 0;
    }

    /** The connection is over. */
    public void end() {
        engine.onConnectionClosed(engine.endpoint(), List.of(), null);
        turn();
    }

    @Override
    public void close() {
        end();
        loop.close();
    }

    private final class Received implements ReceivedBuffer {
        private final ByteBuffer data;
        private int references = 1;

        Received(ByteBuffer data) {
            this.data = data.order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public ByteBuffer data() {
            return data;
        }

        @Override
        public int length() {
            return data.limit();
        }

        @Override
        public void retain() {
            references++;
        }

        @Override
        public void release() {
            if (--references == 0) {
                backend.posted++;
            }
        }
    }
}
