// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.openucx.jucx.ucs.UcsConstants;

/** An end of a connection through UCX, of one thread; a socket beside it brings the workers' addresses, and the end. */
final class JucxEnd implements AutoCloseable {
    private static final int LONGEST_ADDRESS = 1 << 16;

    private final SocketChannel beside;
    private final boolean sleeps;
    private final long until;
    private final UcpContext context;
    private final UcpWorker worker;
    private final UcpEndpoint endpoint;
    private final ScheduledExecutorService alarm;
    private final List<JucxSlots> slots = new ArrayList<>();
    private @Nullable String failure;

    /** Takes over the socket. */
    private JucxEnd(Work work, SocketChannel beside) throws IOException {
        this.beside = beside;
        sleeps = work.waiting() == Waiting.SLEEP;
        until = System.nanoTime() + Loopback.patience(work).toNanos();
        UcpParams params = new UcpParams().requestTagFeature();
        context = new UcpContext(sleeps ? params.requestWakeupFeature() : params);
        worker = context.newWorker(new UcpWorkerParams());
        endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(exchange(worker.getAddress()))
                .setErrorHandler((ep, status, message) -> failure = message));
        alarm = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
        if (sleeps) { // it would not wake to see how late it is
            var _ = alarm.scheduleAtFixedRate(worker::signal, Loopback.patience(work).toMillis(), 1000, TimeUnit.MILLISECONDS);
        }
    }

    /** Waits for the other end. {@code port} is told where. */
    static JucxEnd listen(Work work, IntConsumer port) throws IOException {
        requireUcx();
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(Loopback.address(0))) {
            port.accept(((InetSocketAddress) server.getLocalAddress()).getPort());
            return open(work, server.accept());
        }
    }

    static JucxEnd connect(Work work, int port) throws IOException {
        requireUcx();
        return open(work, SocketChannel.open(Loopback.address(port)));
    }

    private static void requireUcx() {
        String missing = Jucx.missing();
        if (missing != null) {
            throw new IllegalStateException(missing);
        }
    }

    private static JucxEnd open(Work work, SocketChannel beside) throws IOException {
        try {
            return new JucxEnd(work, beside);
        } catch (IOException | RuntimeException e) {
            beside.close();
            throw e;
        }
    }

    /** Gives the other end this address for its own. */
    private ByteBuffer exchange(ByteBuffer address) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).putInt(address.remaining()).flip();
        write(length);
        write(address);
        read(length.clear());
        int size = length.getInt(0);
        if (size <= 0 || size > LONGEST_ADDRESS) {
            throw new IOException("an address of " + size + " bytes");
        }
        ByteBuffer other = ByteBuffer.allocateDirect(size);
        read(other);
        return other.clear();
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            beside.write(bytes);
        }
    }

    /** Reads until {@code bytes} is full; the thread does not sleep where the socket does not block. */
    private void read(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (beside.read(bytes) < 0) {
                throw new EOFException("the other end has ended within a round");
            }
            if (!beside.isBlocking()) {
                step();
                check();
                Thread.onSpinWait();
            }
        }
    }

    /** Allocates {@code count} messages of this size, in memory that stays until this is closed. */
    JucxSlots slots(int count, int size) {
        JucxSlots more = new JucxSlots(this, count, size);
        slots.add(more);
        return more;
    }

    UcpRequest send(long address, int size) {
        return endpoint.sendTaggedNonBlocking(address, size, 0, null);
    }

    UcpRequest receive(long address, int size) {
        return worker.recvTaggedNonBlocking(address, size, 0, 0, null);
    }

    /** Nobody waits for it any more. */
    void cancel(UcpRequest request) {
        if (!request.isCompleted()) {
            worker.cancelRequest(request);
        }
    }

    /** Works until this is done, asleep while there is nothing to do where the round says so. */
    void await(UcpRequest request) {
        while (!request.isCompleted()) {
            if (step() == 0) {
                check();
                if (sleeps) {
                    worker.waitForEvents();
                } else {
                    Thread.onSpinWait();
                }
            }
        }
        if (request.getStatus() != UcsConstants.STATUS.UCS_OK) {
            throw new IllegalStateException("UCX's status " + request.getStatus() + ", " + failure);
        }
    }

    private int step() {
        try {
            return worker.progress();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void check() {
        if (failure != null) {
            throw new IllegalStateException("UCX: " + failure);
        }
        if (System.nanoTime() - until > 0) {
            throw new IllegalStateException("nothing more arrives");
        }
    }

    /** When this end has sent and received all: waits for the other, then parts from it. */
    void finish() throws IOException {
        slots.forEach(JucxSlots::cancel);
        beside.configureBlocking(false);
        meet();
        await(endpoint.closeNonBlockingFlush());
        meet();
    }

    /** Works on until the other end is here, too. */
    private void meet() throws IOException {
        write(ByteBuffer.allocate(1));
        read(ByteBuffer.allocate(1));
    }

    /** Closes all of it; after a failure the worker takes the endpoint with it. */
    @Override
    public void close() throws IOException {
        alarm.shutdownNow();
        alarm.close();
        worker.close();
        context.close();
        slots.clear();
        beside.close();
    }
}
