// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.simulated.SimulatedEndpoint;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameType;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A client that begins as one of ours and then says, page after page, what nobody should. It counts no credits. */
final class RulelessPeer implements BackendCallbacks {
    /** What it says in one page. */
    enum Trick {
        ANNOUNCE, MESSAGE, SUBSCRIBE, SUBSCRIBE_AGAIN, REQUEST, CANCEL, COMPLETE, ERROR, OPCODE, CREDITS, PONG, ANSWER_TWICE,
        RANDOM
    }

    private static final int PAGE = 1024;
    private static final int BUFFERS = 8;
    private static final int CONTROL_PAGES = 3;
    private static final int PAUSE_NANOS = 2_000_000;
    /** The statuses of answers to requests, and what is beyond them. */
    private static final int STATUSES = 7;
    private static final int UNKNOWN = 0xe0;
    private static final long[] TAGS = {0, 1, 2, 50, 51, Published.HOT, Published.HOT + 1, Published.COLD, Published.COLD + 1,
        999};

    private final VirtualMachine machine;
    private final Step.Intrude step;
    private final Scenario.Setup setup;
    private final EventLoop loop;
    private final NetworkBackend backend;
    private final FrameWriter writer;
    private final FrameReader reader;
    /** Streams that the server wants to receive, and requests it has made; what is said of others is made up. */
    private final List<Integer> wanted = new ArrayList<>(List.of(0));
    private final List<Long> requests = new ArrayList<>();
    private @Nullable Endpoint endpoint;
    private Runnable established = () -> { };
    private int pages;
    private int streams = 1;
    private int dataPages;
    private int controlPages;

    RulelessPeer(World world, Step.Intrude step) {
        this.machine = world.machine();
        this.step = step;
        this.setup = world.scenario().setup();
        this.loop = world.loop(Step.Side.CLIENT);
        this.writer = new FrameWriter(setup.checksums());
        this.reader = new FrameReader(setup.checksums());
        this.backend = world.network().create(BackendType.TCP, BackendConfig.defaults(), loop, this);
    }

    /** Connects; {@code then} runs when the connection is there. */
    void connect(int port, Runnable then) {
        established = then;
        int features = Handshake.CRC32C | (setup.clientPropagates() ? Handshake.REQUEST_HEADERS : 0);
        Handshake said = new Handshake(Handshake.Role.CONNECTS, 1, 1, Handshake.STREAM, features, 0, PAGE, BUFFERS, CONTROL_PAGES,
                setup.maxMessage(), setup.maxStreams(), setup.maxMessage(), 0);
        ByteBuffer bytes = ByteBuffer.allocate(Handshake.SIZE);
        said.encode(bytes);
        ConnectionParameters parameters = new ConnectionParameters(PAGE, BUFFERS + CONTROL_PAGES, PAGE, BUFFERS)
                .withData(ConnectionData.of(bytes.array()));
        execute(() -> endpoint = backend.openActiveEndpoint(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                parameters));
    }

    @Nullable SimulatedEndpoint end() {
        Endpoint mine = endpoint;
        return mine == null ? null : (SimulatedEndpoint) mine.implementation();
    }

    void close() {
        execute(() -> {
            if (endpoint != null) {
                backend.closeActiveEndpoint(endpoint);
            }
        });
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException terminated) {
            // the world is over
        }
    }

    @Override
    public void onConnectionEstablished(Endpoint mine, Capabilities capabilities) {
        established.run();
        goOn(mine);
    }

    private void goOn(Endpoint mine) {
        if (pages++ < step.pages()) {
            machine.after(machine.drawNanos(PAUSE_NANOS), () -> execute(() -> say(mine)));
        }
    }

    /** One page. */
    private void say(Endpoint mine) {
        SendBuffer buffer = backend.getBuffer(mine);
        if (buffer != null) {
            writer.begin(buffer.data());
            int length = finish(buffer.data(), write());
            buffer.length(length);
            switch (backend.sendBuffer(mine, buffer, SendCompletion.TRANSMITTED)) {
                case NO_RESOURCES -> buffer.release();
                default -> { }
            }
        }
        goOn(mine);
    }

    private Trick write() {
        Trick trick = machine.chance(50) ? step.favourite() : Trick.values()[machine.draw(Trick.values().length)];
        int stream = machine.chance(70) ? wanted.get(machine.draw(wanted.size())) : machine.draw(6);
        switch (trick) {
            case ANNOUNCE -> writer.firstPart(stream, machine.draw(4), 0,
                    ByteBuffer.allocate(1 + machine.draw(setup.maxMessage() + 1)));
            case MESSAGE -> writer.message(stream, ByteBuffer.allocate(machine.draw(PAGE / 2)));
            case SUBSCRIBE -> writer.subscribe(streams++, pattern(), policy(machine.draw(SlowPolicy.values().length + 1)));
            case SUBSCRIBE_AGAIN -> writer.subscribe(Math.max(1, streams - 1), pattern(), null);
            case REQUEST -> writer.request(machine.chance(50) ? 0 : 1_000, 1 + machine.draw(3));
            case CANCEL -> writer.cancel(machine.draw(streams + 1));
            case COMPLETE -> writer.complete(stream, machine.draw(3));
            case ERROR -> writer.error(machine.chance(20) ? FrameType.CONNECTION : stream, machine.draw(10), "ruleless");
            case PONG -> writer.pong(machine.draw(10));
            case ANSWER_TWICE -> answerTwice(stream);
            default -> { } // written behind the header
        }
        return trick;
    }

    private static @Nullable SlowPolicy policy(int code) {
        return code == 0 ? null : SlowPolicy.values()[code - 1];
    }

    private Tags pattern() {
        long tag = TAGS[machine.draw(TAGS.length)];
        return switch (machine.draw(6)) {
            case 0 -> Tags.range(tag, tag + machine.draw(20));
            case 1 -> Tags.masked(tag & ~3, ~3);
            default -> Tags.of(tag);
        };
    }

    private void answerTwice(int stream) {
        long request = requests.isEmpty() ? machine.draw(4) : requests.get(machine.draw(requests.size()));
        int status = machine.draw(STATUSES);
        ByteBuffer payload = ByteBuffer.allocate(Integer.BYTES);
        if (setup.requestsHaveHeaders() && status == STATUSES - 1) {
            headers(payload);
        }
        for (int i = 0; i < 2; i++) {
            writer.message(stream, request, status, payload.duplicate());
        }
    }

    /** Makes headers of the payload of a request, or what is not quite that. */
    private void headers(ByteBuffer payload) {
        for (int i = 0; i < payload.capacity(); i++) {
            payload.put(i, (byte) machine.draw(machine.chance(80) ? 3 : 256));
        }
    }

    /** The bytes of the page, with the credits that are due, or not. */
    private int finish(ByteBuffer page, Trick trick) {
        boolean generous = trick == Trick.CREDITS;
        int length = writer.finish(generous ? machine.draw(1 << 16) : dataPages,
                generous ? machine.draw(256) : controlPages);
        dataPages = 0;
        controlPages = 0;
        if (trick == Trick.OPCODE) {
            int bytes = machine.draw(16);
            page.putInt(length, (UNKNOWN - machine.draw(64) & 0xff) << 24 | bytes);
            length += Integer.BYTES + machine.draw(bytes + 1);
        } else if (trick == Trick.RANDOM) {
            length = machine.draw(40);
            for (int i = 0; i < length; i++) {
                page.put(i, (byte) machine.draw(256));
            }
        }
        return length;
    }

    @Override
    public void onData(Endpoint mine, ReceivedBuffer buffer) {
        try {
            reader.begin(buffer.data());
            if (reader.isDataPage()) {
                dataPages++;
            } else {
                controlPages++;
            }
            while (reader.next()) {
                if (reader.type() == FrameType.SUBSCRIBE) {
                    wanted.add(reader.stream());
                } else if (reader.type() == FrameType.DATA && reader.isFirst() && reader.isTagged()) {
                    requests.add(reader.tag());
                }
            }
        } catch (ProtocolException e) {
            if (!setup.checksums()) {
                machine.violated("a page of ours is none: " + e);
            }
        }
    }

    @Override
    public void onConnectionClosed(Endpoint mine, List<SendKey> cancelled, @Nullable NetioException cause) {
        pages = Integer.MAX_VALUE - 1;
    }
}
