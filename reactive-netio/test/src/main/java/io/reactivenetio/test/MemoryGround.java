// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.simulated.SimulatedBackend;
import io.reactivenetio.simulated.SimulatedEndpoint;
import io.reactivenetio.simulated.SimulatedNetwork;
import io.reactivenetio.simulated.Surroundings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/** No sockets and no threads: the network is a simulated one, and whoever uses the pair drives its loops. */
final class MemoryGround implements Ground, Surroundings {
    /** What kernels and cards take of a connection before it has arrived. */
    private static final int UNDER_WAY = 16;
    private static final int STEPS = 50;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final VirtualTime time;
    private final SimulatedNetwork network = new SimulatedNetwork(this);
    private final EventLoop serverLoop;
    private final EventLoop clientLoop;
    private final NetioLoops server;
    private final NetioLoops client;
    private volatile long toServerNanos;
    private volatile long toClientNanos;

    MemoryGround(Consumer<Throwable> errors) {
        time = new VirtualTime(errors);
        serverLoop = time.newLoop("pair-server");
        clientLoop = time.newLoop("pair-client");
        server = loops(serverLoop);
        client = loops(clientLoop);
    }

    private NetioLoops loops(EventLoop loop) {
        LoopContext.on(loop, (type, config, on, callbacks) -> time.attach(on,
                () -> new SimulatedBackend(network, type, config, on, callbacks)), Schedulers::immediate);
        return NetioLoops.of(loop).reassemblyBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    // ---- surroundings

    @Override
    public long now() {
        return time.now();
    }

    @Override
    public void after(long nanos, Runnable event) {
        time.after(nanos, event);
    }

    @Override
    public long latencyNanos(boolean toServer) {
        return toServer ? toServerNanos : toClientNanos;
    }

    @Override
    public long answerNanos() {
        return toClientNanos;
    }

    @Override
    public int kernelMessages() {
        return UNDER_WAY;
    }

    // ---- ground

    @Override
    public NetioLoops loops(PairSide side) {
        return side == PairSide.SERVER ? server : client;
    }

    @Override
    public int portOf(DisposableServer bound) {
        return bound.port();
    }

    @Override
    public void advance(Duration by) {
        time.advance(by);
    }

    @Override
    public void disconnect(@Nullable PairSide told) {
        time.perform(() -> {
            for (SimulatedEndpoint end : network.open()) {
                if (told == null || end.isOfClient() == (told == PairSide.CLIENT)) {
                    end.cut();
                } else {
                    end.fallSilent();
                }
            }
        });
    }

    @Override
    public void hold(PairSide from) {
        time.perform(() -> network.hold(from == PairSide.CLIENT));
    }

    @Override
    public void resume() {
        time.perform(() -> {
            network.resume(true);
            network.resume(false);
        });
    }

    @Override
    public void calm() {
        toServerNanos = 0;
        toClientNanos = 0;
        resume();
    }

    @Override
    public void delay(PairSide from, Duration by) {
        long nanos = TimeUnit.NANOSECONDS.convert(by);
        if (from == PairSide.CLIENT) {
            toServerNanos = nanos;
        } else {
            toClientNanos = nanos;
        }
    }

    /** First moves the time, and then waits for other threads. */
    @Override
    public boolean await(BooleanSupplier condition, Duration limit) {
        for (int i = 0; i < STEPS; i++) {
            if (condition.getAsBoolean()) {
                return true;
            }
            time.advance(limit.dividedBy(STEPS));
        }
        long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(limit);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
            time.drive();
        }
        return true;
    }

    @Override
    public boolean close(Duration limit) {
        client.dispose();
        server.dispose();
        return await(() -> clientLoop.isTerminated() && serverLoop.isTerminated(), limit);
    }
}
