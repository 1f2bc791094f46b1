// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendBuffer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Runs the network on the event loop of the program. That loop, the host, ticks every 10 ms. It sleeps on the descriptor of
 * the network's loop, the guest, and gives the guest a turn when there is something to do. Timer and network share one thread,
 * so the tick sends without a lock or a queue. This uses the backend below the reactive API, whose {@code NetioLoops} have
 * threads of their own. Try to put the guest into another loop, one that has an epoll or calls {@code guest.poll()} between
 * two frames.
 */
public final class GuestLoop extends QuietCallbacks {
    // docs
    private final EventLoop host = EventLoop.create("host");
    private final EventLoop guest = EventLoop.create("guest");
    private final NetworkBackend network =
            NetworkBackend.create(Backend.chosen(), BackendConfig.defaults(), guest, this);
    private Runnable ticker = () -> { };
    private int ticks;

    private GuestLoop() {
        host.onInit(() -> {
            host.register(guest.epollFd(), FdRegistration.READABLE, events -> turn());
            turn(); // the first one makes this thread the guest's
        });
        guest.onInit(() -> {
            var anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            var here = network.openListenEndpoint(anyPort, ConnectionParameters.defaults(), null);
            network.openActiveEndpoint(here.localAddress(), ConnectionParameters.defaults());
        });
    }

    private void turn() {
        if (!guest.poll()) {
            host.execute(this::turn); // it has more to do; after true it waits for its descriptor
        }
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        if (endpoint.listenEndpoint() == null) { // the end that has connected
            ticker = () -> tick(endpoint);
            host.schedule(ticker, 10, TimeUnit.MILLISECONDS);
        }
    }

    private void tick(Endpoint endpoint) {
        System.out.println("host: tick " + ++ticks + " on " + Thread.currentThread().getName());
        SendBuffer buffer = Objects.requireNonNull(network.getBuffer(endpoint));
        buffer.write(StandardCharsets.UTF_8.encode("tick " + ticks));
        network.sendBuffer(endpoint, buffer, SendCompletion.DELIVERED);
    }

    @Override
    public void onData(Endpoint endpoint, ReceivedBuffer message) {
        System.out.println("guest: received " + StandardCharsets.UTF_8.decode(message.data()) + " on "
                + Thread.currentThread().getName());
        if (ticks < 3) {
            host.schedule(ticker, 10, TimeUnit.MILLISECONDS);
        } else {
            host.terminate();
        }
    }

    /** Prints what happens on which thread. */
    public static void main(String... args) {
        GuestLoop both = new GuestLoop();
        both.host.run(); // on this thread, until it is terminated
        both.guest.close();
    }
    // docs end
}
