// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.Framing;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One end of the connections of a benchmark: obeys the commands that the C program describes, and some of its own for the
 * same work with Reactive Streams.
 */
public final class BenchWorker {
    private static final long PATIENCE_MILLIS = 20_000;
    private static final long SPIN_NANOS = TimeUnit.HOURS.toNanos(1);

    private BenchWorker() {
    }

    /** Ends with stdin. */
    @SuppressWarnings("SystemOut") // the answers
    public static void main(String[] args) throws Exception {
        System.out.println("ready " + NetworkBackend.provider(BackendType.LIBFABRIC).library().version());
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = commands.readLine()) != null) {
            String[] words = line.split(" ", -1);
            Work work = Work.parse(words, 1);
            Outcome outcome = switch (words[0]) {
                case "listen" -> listen(work);
                case "connect" -> connect(work, loopback(port(words)));
                case "listen" + Pair.FLOW -> FlowRound.receive(work, FlowRound.RAW, BenchWorker::sayPort);
                case "connect" + Pair.FLOW -> FlowRound.send(work, FlowRound.RAW, port(words));
                case "listen" + Pair.STREAM -> FlowRound.receive(work, Framing.stream(), BenchWorker::sayPort);
                case "connect" + Pair.STREAM -> FlowRound.send(work, Framing.stream(), port(words));
                default -> throw new IllegalArgumentException("not a command: " + line);
            };
            System.out.println(outcome.line());
        }
    }

    private static int port(String[] words) {
        return Integer.parseInt(words[words.length - 1]);
    }

    private static Outcome listen(Work work) throws Exception {
        Role role = work.mode() == Work.Mode.STREAM ? new StreamReceiver(work) : new Echo(work);
        try (EventLoop loop = loop(work)) {
            NetworkBackend backend = backend(work, loop, role);
            ConnectionParameters buffers = new ConnectionParameters(work.size(), work.inFlight(), work.size(), back(work));
            sayPort(Addresses.port(backend.openListenEndpoint(loopback(0), buffers, null).localAddress()));
            return await(work, role);
        }
    }

    private static Outcome connect(Work work, InetSocketAddress address) throws Exception {
        Role role = work.mode() == Work.Mode.STREAM ? new StreamSender(work) : new RoundTrips(work);
        try (EventLoop loop = loop(work)) {
            NetworkBackend backend = backend(work, loop, role);
            ConnectionParameters buffers = new ConnectionParameters(work.size(), back(work), work.size(), work.inFlight());
            loop.execute(() -> backend.openActiveEndpoint(address, buffers));
            return await(work, role);
        }
    }

    /** Buffers for the direction back. */
    private static int back(Work work) {
        return work.mode() == Work.Mode.STREAM ? 1 : work.inFlight();
    }

    private static EventLoop loop(Work work) {
        EventLoopConfig config = EventLoopConfig.defaults().withSpinNanos(work.waiting() == Work.Waiting.SPIN ? SPIN_NANOS : 0);
        EventLoop loop = EventLoop.create(config);
        loop.start();
        return loop;
    }

    private static NetworkBackend backend(Work work, EventLoop loop, Role role) {
        NetworkBackend backend = NetworkBackend.create(BackendType.LIBFABRIC, config(work), loop, role);
        role.use(backend);
        return backend;
    }

    private static BackendConfig config(Work work) {
        return BackendConfig.defaults().withProvider(work.provider());
    }

    private static InetSocketAddress loopback(int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }

    @SuppressWarnings("SystemOut")
    private static void sayPort(int port) {
        System.out.println("port " + port);
    }

    private static Outcome await(Work work, Role role) throws InterruptedException, ExecutionException, TimeoutException {
        return role.done().get(work.warmupMillis() + work.millis() + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
