// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.transport.Capabilities;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.SendKey;
import io.reactivenetio.transport.SendKind;
import io.reactivenetio.transport.SendStatus;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioSocketException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One end of a simulated connection, and the way to its peer. */
final class SimulatedEndpoint {
    private enum State { OPENING, ESTABLISHED, CLOSING, CLOSED }

    /** What is on its way to the peer: a message, an acknowledgement, or with neither, the end. */
    private record Parcel(@Nullable ByteBuffer message, @Nullable Flight acknowledged, @Nullable Flight flight) {
    }

    /** A send that is not over. */
    private static final class Flight {
        private final SendPool.Buffer buffer;
        private final CompletionLevel level;

        Flight(SendPool.Buffer buffer, CompletionLevel level) {
            this.buffer = buffer;
            this.level = level;
        }
    }

    private final SimulatedBackend backend;
    private final VirtualMachine machine;
    private final SimulatedNetwork.Weather weather;
    private final Endpoint handle;
    private final SendPool sends;
    private final ReceivePool receives;
    private final int mostInFlight;
    private final List<Flight> flights = new ArrayList<>();
    private final Deque<Parcel> arrived = new ArrayDeque<>();
    private @Nullable SimulatedEndpoint peer;
    private State state = State.OPENING;
    private boolean wasEstablished;
    private boolean offered;
    private boolean silent;
    private Step.@Nullable Damage damage;
    private long lastArrival;
    private int inKernel;
    private @Nullable NetioException cause;

    SimulatedEndpoint(SimulatedBackend backend, InetSocketAddress remote, @Nullable ListenEndpoint listener,
            ConnectionParameters parameters) {
        this.backend = backend;
        this.machine = backend.network().machine();
        this.weather = backend.network().weather();
        this.handle = new Endpoint(remote, listener, this);
        this.sends = backend.sends(parameters);
        this.receives = backend.receives(parameters);
        this.mostInFlight = sends.number();
        receives.join(this);
        backend.network().opened(this);
    }

    Endpoint handle() {
        return handle;
    }

    SimulatedBackend backend() {
        return backend;
    }

    ReceivePool receives() {
        return receives;
    }

    SendPool sends() {
        return sends;
    }

    boolean isClosed() {
        return state == State.CLOSING || state == State.CLOSED;
    }

    boolean isEstablished() {
        return state == State.ESTABLISHED;
    }

    @Nullable SimulatedEndpoint peer() {
        return peer;
    }

    void pairWith(SimulatedEndpoint other) {
        peer = other;
        other.peer = this;
    }

    void established() {
        if (state == State.OPENING) {
            state = State.ESTABLISHED;
            wasEstablished = true;
            guarded(() -> backend.callbacks().onConnectionEstablished(handle, new Capabilities(true, false, false, true)));
            takeArrived();
        }
    }

    void refuse(NetioException reason) {
        close(reason);
    }

    // ---- sending

    SendPool.@Nullable Buffer lend() {
        if (isClosed()) {
            return null;
        }
        SendPool.Buffer buffer = sends.lend();
        if (buffer == null) {
            sends.await(this);
        }
        return buffer;
    }

    int freeSendBuffers() {
        return isClosed() ? 0 : sends.free();
    }

    SendStatus send(SendPool.Buffer buffer, CompletionLevel level) {
        if (state != State.ESTABLISHED) {
            buffer.release();
            return SendStatus.FAILED;
        }
        if (flights.size() >= mostInFlight || machine.chance(weather.refusedPercent())) {
            machine.after(machine.drawNanos(weather.latencyNanos()), this::offerResources);
            return SendStatus.NO_RESOURCES;
        }
        Flight flight = new Flight(buffer, level);
        flights.add(flight);
        toPeer(new Parcel(buffer.fly(), null, flight));
        if (level == CompletionLevel.TRANSMIT_COMPLETE && inKernel < weather.kernelMessages()) {
            inKernel++;
            machine.after(machine.drawNanos(weather.latencyNanos() / 2), () -> sent(flight));
        }
        return SendStatus.OK;
    }

    /** Each follows what went before. */
    private void toPeer(Parcel parcel) {
        lastArrival = Math.max(lastArrival, machine.now() + machine.drawNanos(weather.latencyNanos()));
        machine.after(lastArrival - machine.now(), () -> {
            SimulatedEndpoint other = peer;
            if (other != null && !silent) {
                other.arrive(parcel);
                other.takeArrived();
            }
        });
    }

    /** The next message to come here is damaged. */
    void damageNext(Step.Damage how) {
        damage = how;
    }

    private void arrive(Parcel parcel) {
        ByteBuffer message = parcel.message();
        Step.Damage how = damage;
        if (message == null || how == null) {
            arrived.add(parcel);
            return;
        }
        damage = null;
        if (how == Step.Damage.TWICE) {
            arrived.add(new Parcel(message, null, null));
            arrived.add(parcel);
        } else {
            arrived.add(new Parcel(damaged(message, how), null, parcel.flight()));
        }
    }

    private ByteBuffer damaged(ByteBuffer message, Step.Damage how) {
        int bytes = message.remaining();
        switch (how) {
            case CUT_SHORT -> message.limit(machine.draw(bytes + 1));
            case EMPTY -> message.limit(0);
            case RANDOM -> {
                for (int i = 0; i < bytes; i++) {
                    message.put(i, (byte) machine.draw(256));
                }
            }
            default -> {
                if (bytes > 0) {
                    int at = machine.draw(Math.min(bytes, machine.chance(70) ? 24 : bytes));
                    message.put(at, (byte) (message.get(at) ^ 1 << machine.draw(8)));
                }
            }
        }
        return message;
    }

    /** As far as there are receive buffers: what is behind a message waits with it. */
    void takeArrived() {
        Parcel next;
        while (state == State.ESTABLISHED && (next = arrived.peek()) != null) {
            ByteBuffer message = next.message();
            if (message == null) {
                arrived.remove();
                notice(next);
                continue;
            }
            int bytes = message.remaining();
            ReceivePool.Slot slot = receives.fill(message);
            if (slot == null) {
                return;
            }
            arrived.remove();
            backend.complete(() -> deliver(slot, bytes));
            tellDelivered(next.flight());
        }
    }

    private void notice(Parcel parcel) {
        Flight acknowledged = parcel.acknowledged();
        if (acknowledged != null) {
            sent(acknowledged);
        } else {
            backend.complete(() -> close(null));
        }
    }

    private void tellDelivered(@Nullable Flight flight) {
        SimulatedEndpoint from = peer;
        if (from == null || flight == null) {
            return;
        }
        from.inKernel = Math.max(0, from.inKernel - 1);
        if (weather.acksBehindData()) {
            toPeer(new Parcel(null, flight, null));
        } else {
            machine.after(machine.drawNanos(weather.latencyNanos()), () -> from.sent(flight));
        }
    }

    private void sent(Flight flight) {
        if (!isClosed() && flights.remove(flight)) {
            backend.complete(() -> landed(flight));
        }
    }

    private void landed(Flight flight) {
        if (state == State.CLOSED) {
            flight.buffer.landed();
            return;
        }
        flight.buffer.landed();
        guarded(() -> backend.callbacks().onSendCompleted(handle, SendKind.BUFFERED, flight.buffer.key()));
    }

    private void deliver(ReceivePool.Slot slot, int bytes) {
        if (state == State.ESTABLISHED) {
            guarded(() -> backend.callbacks().onData(handle, slot));
            backend.network().growth().delivered(this, bytes);
        }
        slot.release();
    }

    void offerResources() {
        if (state == State.ESTABLISHED && !offered) {
            offered = true;
            backend.complete(() -> {
                offered = false;
                if (state == State.ESTABLISHED) {
                    guarded(() -> backend.callbacks().onResourcesAvailable(handle));
                }
            });
        }
    }

    private void guarded(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable t) {
            backend.loop().report(t);
            close(new NetioException("a callback failed: " + t, t));
        }
    }

    // ---- the end

    /** Nothing that is sent arrives any more, and nobody is told. */
    void fallSilent() {
        silent = true;
    }

    /** The connection breaks: this end notices. */
    void cut() {
        silent = true;
        backend.complete(() -> close(new NetioSocketException("the simulated network broke", 104)));
    }

    void close(@Nullable NetioException reason) {
        if (!isClosed()) {
            state = State.CLOSING;
            cause = reason;
            backend.loop().atEndOfTurn(this::finish);
        }
    }

    private void finish() {
        state = State.CLOSED;
        List<SendKey> cancelled = new ArrayList<>();
        for (Flight flight : flights) {
            cancelled.add(new SendKey(SendKind.BUFFERED, flight.buffer.key()));
            flight.buffer.landed();
        }
        flights.clear();
        arrived.clear();
        receives.leave(this);
        if (wasEstablished) {
            toPeer(new Parcel(null, null, null));
            quietly(() -> backend.callbacks().onConnectionClosed(handle, cancelled, cause));
        } else {
            NetioException reason = cause != null ? cause : new NetioException("closed before it was established");
            quietly(() -> backend.callbacks().onConnectionRefused(handle, reason));
        }
    }

    private void quietly(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable t) {
            backend.loop().report(t);
        }
    }

    @Override
    public String toString() {
        return handle + " (" + state + ")";
    }
}
