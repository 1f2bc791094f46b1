// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;

import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two connected ends over loopback, of which one receives numbers into 8 buffers. */
public final class Link implements AutoCloseable {
    static final int CREDITS = 8;
    /** Of messages. */
    static final int MANY = 10_000;
    static final int CAP = ConnectionProbe.leaseCap(CREDITS);

    final NetioConnection receiving;
    final NetioConnection sending;

    /** {@code options}: further settings of the receiving side. */
    Link(NetioLoops loops, BackendType backend, UnaryOperator<NetioServer> options) {
        Framing raw = Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE);
        TwoEnds.Connected ends = TwoEnds.connected(loops, backend, s -> options.apply(s.framing(raw).receiveBuffers(64, CREDITS)),
                c -> c.framing(raw));
        receiving = ends.server();
        sending = ends.client();
    }

    /** Sends 0 to {@code count - 1}, and the end, in its own time. */
    void send(int count) {
        send(0, count).then(sending.completeOutbound()).subscribe(nothing -> { }, error -> { });
    }

    Mono<Void> send(int first, int count) {
        return sending.send(Flux.range(first, count).map(Link::message));
    }

    static ByteBuffer message(int number) {
        return ByteBuffer.allocate(8).putInt(number).putInt(~number).flip();
    }

    /** The number in a message, which is checked to be one whole message. */
    static int number(ByteBuffer message) {
        int value = message.getInt(0);
        if (message.remaining() != 8 || message.getInt(4) != ~value) {
            throw new AssertionError("no message of these tests: " + message);
        }
        return value;
    }

    /** Whether every receive buffer is posted or holds a message that waits for demand, and no lease is out: at one moment. */
    boolean isBalanced() {
        return ConnectionProbe.onLoop(engine(receiving), posted -> {
            ConnectionStatistics now = receiving.statistics();
            return now.leasedBuffers() == 0 && now.leasedCopies() == 0 && posted + now.creditsInUse() == CREDITS;
        });
    }

    void awaitBalance(Supplier<String> what) {
        await(this::isBalanced, () -> what.get() + ": " + ConnectionProbe.creditsPosted(engine(receiving)) + " of " + CREDITS
                + " posted, " + receiving.statistics());
    }

    public static void await(BooleanSupplier condition, Supplier<String> what) {
        Eventually.await(condition::getAsBoolean, what);
    }

    @Override
    public void close() {
        receiving.dispose();
        sending.dispose();
    }
}
