// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.loop.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Plain TCP on 127.0.0.1, each end with a loop and a thread of its own; with a relay in between if something is to break. */
final class LoopbackGround implements Ground {
    private static final AtomicLong PAIRS = new AtomicLong();
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final NetioLoops server;
    private final NetioLoops client;
    private final @Nullable Relay relay;

    LoopbackGround(boolean faults, Consumer<Throwable> errors) {
        String name = "pair-" + PAIRS.incrementAndGet();
        relay = faults ? new Relay() : null;
        server = loops(name + "-server", errors);
        client = loops(name + "-client", errors);
    }

    private static NetioLoops loops(String name, Consumer<Throwable> errors) {
        EventLoop loop = EventLoop.create(name);
        loop.onError(errors);
        NetioLoops loops = NetioLoops.of(loop);
        loop.start();
        return loops;
    }

    @Override
    public NetioLoops loops(PairSide side) {
        return side == PairSide.SERVER ? server : client;
    }

    @Override
    public int portOf(DisposableServer bound) {
        return relay == null ? bound.port() : relay.leadTo((InetSocketAddress) bound.address());
    }

    @Override
    public void advance(Duration by) {
        throw new UnsupportedOperationException("over loopback time passes by itself: use inMemory() to move it");
    }

    @Override
    public void delay(PairSide from, Duration by) {
        throw new UnsupportedOperationException("delays are virtual time: use inMemory()");
    }

    @Override
    public void disconnect(@Nullable PairSide told) {
        relay().disconnect(told);
    }

    @Override
    public void hold(PairSide from) {
        relay().hold(from);
    }

    @Override
    public void resume() {
        relay().resume();
    }

    @Override
    public void calm() {
        if (relay != null) {
            relay.resume();
        }
    }

    private Relay relay() {
        if (relay == null) {
            throw new UnsupportedOperationException("this pair is connected directly: use builder().loopback().faults(), which"
                    + " puts a relay in between, or inMemory()");
        }
        return relay;
    }

    @Override
    public boolean await(BooleanSupplier condition, Duration limit) {
        long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(limit);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    /** On a thread of its own: it waits for loops, whose callbacks may never return. */
    @Override
    public boolean close(Duration limit) {
        Thread closing = Thread.ofVirtual().start(() -> {
            client.dispose();
            server.dispose();
        });
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(limit);
        while (closing.isAlive() && System.nanoTime() - end < 0) {
            try {
                closing.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (relay != null) {
            relay.close();
        }
        return !closing.isAlive();
    }
}
