// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulated;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioSocketException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One end of a simulated connection, and the way to its peer. Public methods are for whoever drives the loops, outside of their
 * turns.
 */
public final class SimulatedEndpoint {
    private static final int RESET = 104;

    private enum State { OPENING, ESTABLISHED, CLOSING, CLOSED }

    /** What becomes of a message on its way. */
    @FunctionalInterface
    public interface Damage {
        /** What arrives instead of {@code message}, at least one message. */
        List<ByteBuffer> damaged(ByteBuffer message);
    }

    /** Who is told what becomes of the connections of a network. */
    public interface Observer {
        /** There is one more end of a connection. */
        default void opened(SimulatedEndpoint endpoint) {
        }

        /** A message of so many bytes has been given to the owner of {@code endpoint}, on its loop. */
        default void delivered(SimulatedEndpoint endpoint, int bytes) {
        }
    }

    /** What is on its way to the peer: a message, an acknowledgement, or with neither, the end. */
    private record Parcel(@Nullable ByteBuffer message, @Nullable Flight acknowledged, @Nullable Flight flight) {
    }

    /** A send that is not over: of a buffer, or of a region's memory. */
    private static final class Flight {
        private final SendKind kind;
        private final long key;
        private final SendPool.@Nullable Buffer buffer;

        Flight(SendKind kind, long key, SendPool.@Nullable Buffer buffer) {
            this.kind = kind;
            this.key = key;
            this.buffer = buffer;
        }

        void landed() {
            if (buffer != null) {
                buffer.landed();
            }
        }
    }

    private final SimulatedBackend backend;
    private final SimulatedNetwork network;
    private final Surroundings surroundings;
    private final boolean toServer;
    private final Endpoint handle;
    private final SendPool sends;
    private final ReceivePool receives;
    private final @Nullable RegionSends gathers;
    private final int mostInFlight;
    private final List<Flight> flights = new ArrayList<>();
    private final Deque<Parcel> arrived = new ArrayDeque<>();
    private final Runnable onPosted = this::takeArrived;
    private final Runnable onSendFree = this::offerResources;
    private @Nullable SimulatedEndpoint peer;
    private State state = State.OPENING;
    private boolean wasEstablished;
    private boolean offered;
    private boolean silent;
    private @Nullable Damage damage;
    private @Nullable DelayedTask deadline;
    private long lastArrival;
    private int inKernel;
    private @Nullable NetioException cause;

    SimulatedEndpoint(SimulatedBackend backend, SocketAddress remote, @Nullable ListenEndpoint listener,
            ConnectionParameters parameters) {
        this.backend = backend;
        this.network = backend.network();
        this.surroundings = network.surroundings();
        this.toServer = listener == null;
        this.gathers = RegionSends.of(parameters); // first, because it may fail
        this.handle = new Endpoint(remote, listener, this);
        handle.callbacks(backend.callbacks());
        this.sends = backend.sends(parameters);
        this.receives = backend.receives(parameters);
        this.mostInFlight = sends.number();
        receives.join(onPosted);
        network.opened(this);
    }

    public Endpoint handle() {
        return handle;
    }

    SimulatedBackend backend() {
        return backend;
    }

    public ReceivePool receives() {
        return receives;
    }

    public SendPool sends() {
        return sends;
    }

    public boolean isClosed() {
        return state == State.CLOSING || state == State.CLOSED;
    }

    public boolean isEstablished() {
        return state == State.ESTABLISHED;
    }

    /** The other end, once there is one. */
    public @Nullable SimulatedEndpoint peer() {
        return peer;
    }

    /** Whether this end was opened, and not accepted. */
    public boolean isOfClient() {
        return toServer;
    }

    void pairWith(SimulatedEndpoint other) {
        peer = other;
        other.peer = this;
    }

    /** Whether it ever was one end of a connection, and not only an attempt. */
    public boolean hasPeer() {
        return peer != null;
    }

    /** Gives the attempt up when it takes longer than it may. */
    void limitTime() {
        long nanos = TimeUnit.NANOSECONDS.convert(backend.config().connectTimeout());
        try {
            deadline = backend.loop().schedule(() -> close(new NetioConnectException("connecting to "
                    + Addresses.format(handle.remoteAddress()) + " took longer than " + TimeUnit.NANOSECONDS.toMillis(nanos)
                    + " ms", null)), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException terminating) {
            // everything is closed anyway
        }
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    /** The client is told that it is connected. */
    void answer() {
        SimulatedEndpoint client = peer;
        if (client == null) {
            return;
        }
        long nanos = surroundings.answerNanos();
        if (nanos == 0 && !network.isHeld(false)) {
            client.backend.complete(client::established);
        } else {
            network.carry(false, nanos, () -> client.backend.complete(client::established));
        }
    }

    void established() {
        if (state == State.OPENING) {
            state = State.ESTABLISHED;
            wasEstablished = true;
            cancelDeadline();
            guarded(() -> handle.callbacks().onConnectionEstablished(handle, new Capabilities(sends.number() > 0, false,
                    gathers != null, receives.number() > 0)));
            takeArrived();
        }
    }

    // ---- sending

    SendPool.@Nullable Buffer lend() {
        if (isClosed()) {
            return null;
        }
        SendPool.Buffer buffer = sends.lend();
        if (buffer == null) {
            sends.await(onSendFree);
        }
        return buffer;
    }

    int freeSendBuffers() {
        return isClosed() ? 0 : sends.free();
    }

    SendStatus send(SendPool.Buffer buffer, SendCompletion level) {
        if (state != State.ESTABLISHED) {
            buffer.release();
            return SendStatus.FAILED;
        }
        if (flights.size() >= mostInFlight + mostGathers() || surroundings.refusesSend()) {
            return refuse();
        }
        leave(new Flight(SendKind.BUFFERED, buffer.key(), buffer), buffer.fly(), level);
        return SendStatus.OK;
    }

    SendStatus send(GatherList message, long key, SendCompletion level) {
        RegionSends own = gathers;
        if (own == null) {
            throw new NotSupportedException(handle + " was opened without a region for zero-copy sends");
        }
        if (state != State.ESTABLISHED) {
            return SendStatus.FAILED;
        }
        ByteBuffer copy = own.copy(message);
        long flying = flights.stream().filter(each -> each.kind == SendKind.ZERO_COPY).count();
        if (flying >= own.most() || surroundings.refusesSend()) {
            return refuse();
        }
        leave(new Flight(SendKind.ZERO_COPY, key, null), copy, level);
        return SendStatus.OK;
    }

    private int mostGathers() {
        return gathers == null ? 0 : gathers.most();
    }

    private SendStatus refuse() {
        surroundings.after(surroundings.latencyNanos(toServer), this::offerResources);
        return SendStatus.NO_RESOURCES;
    }

    private void leave(Flight flight, ByteBuffer message, SendCompletion level) {
        flights.add(flight);
        toPeer(new Parcel(message, null, flight));
        if (level == SendCompletion.TRANSMITTED && inKernel < surroundings.kernelMessages()) {
            inKernel++;
            surroundings.after(surroundings.kernelNanos(), () -> sent(flight));
        }
    }

    /** Each follows what went before. */
    private void toPeer(Parcel parcel) {
        lastArrival = Math.max(lastArrival, surroundings.now() + surroundings.latencyNanos(toServer));
        network.carry(toServer, lastArrival - surroundings.now(), () -> {
            SimulatedEndpoint other = peer;
            if (other != null && !silent) {
                other.arrive(parcel);
                other.takeArrived();
            }
        });
    }

    /** The next message to come here is damaged. */
    public void damageNext(Damage how) {
        damage = how;
    }

    private void arrive(Parcel parcel) {
        ByteBuffer message = parcel.message();
        Damage how = damage;
        if (message == null || how == null) {
            arrived.add(parcel);
            return;
        }
        damage = null;
        List<ByteBuffer> damaged = how.damaged(message);
        for (ByteBuffer each : damaged.subList(0, damaged.size() - 1)) {
            arrived.add(new Parcel(each, null, null));
        }
        arrived.add(new Parcel(damaged.getLast(), null, parcel.flight()));
    }

    /** Takes what has arrived as far as there are receive buffers: what is behind a message waits with it. */
    private void takeArrived() {
        Parcel next;
        while (state == State.ESTABLISHED && (next = arrived.peek()) != null) {
            ByteBuffer message = next.message();
            if (message == null) {
                arrived.remove();
                notice(next);
                continue;
            }
            int bytes = message.remaining();
            if (receives.number() == 0 || bytes > receives.size()) {
                backend.complete(() -> close(unfit(bytes)));
                return;
            }
            ReceivePool.Slot slot = receives.fill(message);
            if (slot == null) {
                return;
            }
            arrived.remove();
            backend.complete(() -> deliver(slot, bytes));
            tellDelivered(next.flight());
        }
    }

    private NetioException unfit(int bytes) {
        String what = "a message of " + bytes + " bytes from " + Addresses.format(handle.remoteAddress());
        return receives.number() == 0 ? new NetioException(what + ", but this connection was opened without receive buffers")
                : new MessageTooLargeException(what + " is larger than the receive buffers of " + receives.size()
                        + " bytes: use larger ones");
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
        if (surroundings.acknowledgesBehindData()) {
            toPeer(new Parcel(null, flight, null));
        } else {
            network.carry(toServer, surroundings.latencyNanos(toServer), () -> from.sent(flight));
        }
    }

    private void sent(Flight flight) {
        if (!isClosed() && flights.remove(flight)) {
            backend.complete(() -> landed(flight));
        }
    }

    private void landed(Flight flight) {
        flight.landed();
        if (state != State.CLOSED) {
            guarded(() -> handle.callbacks().onSendCompleted(handle, flight.kind, flight.key));
            if (flight.kind == SendKind.ZERO_COPY) {
                offerResources();
            }
        }
    }

    private void deliver(ReceivePool.Slot slot, int bytes) {
        if (state == State.ESTABLISHED) {
            guarded(() -> handle.callbacks().onData(handle, slot));
            network.observer().delivered(this, bytes);
        }
        slot.release();
    }

    private void offerResources() {
        if (state == State.ESTABLISHED && !offered) {
            offered = true;
            backend.complete(() -> {
                offered = false;
                if (state == State.ESTABLISHED) {
                    guarded(() -> handle.callbacks().onResourcesAvailable(handle));
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
    public void fallSilent() {
        silent = true;
    }

    /** The connection breaks: this end notices. */
    public void cut() {
        silent = true;
        backend.complete(() -> close(new NetioSocketException("the simulated network broke", RESET)));
    }

    void close(@Nullable NetioException reason) {
        if (!isClosed()) {
            state = State.CLOSING;
            cause = reason;
            cancelDeadline();
            backend.loop().atEndOfTurn(this::finish);
        }
    }

    private void finish() {
        state = State.CLOSED;
        List<SendKey> cancelled = new ArrayList<>();
        for (Flight flight : flights) {
            cancelled.add(new SendKey(flight.kind, flight.key));
            flight.landed();
        }
        flights.clear();
        arrived.clear();
        receives.leave(onPosted);
        if (gathers != null) {
            gathers.close();
        }
        backend.closed(this);
        if (peer != null) { // which may take it for established though it never was
            toPeer(new Parcel(null, null, null));
        }
        if (wasEstablished) {
            quietly(() -> handle.callbacks().onConnectionClosed(handle, cancelled, cause));
        } else {
            NetioException reason = cause != null ? cause : new NetioException("closed before it was established");
            quietly(() -> handle.callbacks().onConnectionRefused(handle, reason));
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
