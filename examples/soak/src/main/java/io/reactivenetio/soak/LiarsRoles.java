// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Tls;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** The server, the good peers and the bad ones of {@link Liars}. */
final class LiarsRoles {
    private static final Tags NUMBERS = Tags.of(7);
    private static final int PER_TICK = 2;
    private static final int AT_A_TIME = 1_000;
    private static final int SLICES = 50;

    private LiarsRoles() {
    }

    /** Plays the server. */
    static void serve(WorkerLines lines, List<String> arguments) throws InterruptedException {
        NetioPublisher publisher = NetioPublisher.create().publishEach(NUMBERS, tag -> Flux.interval(Duration.ofMillis(1))
                .onBackpressureDrop().concatMap(tick -> Flux.range(0, PER_TICK)).index()
                .map(numbered -> ByteBuffer.allocate(Long.BYTES).putLong(numbered.getT1()).flip()));
        NetioServer settings = NetioServer.create().host("127.0.0.1").backend(BackendType.TCP);
        TestCertificates own = TestCertificates.local();
        DisposableServer server = publisher.serve(settings).bindNow();
        DisposableServer secured = publisher.serve(settings.secure(Tls.create().certificate(own.certificate(), own.key())))
                .bindNow();
        lines.say("ready", "port", server.port(), "secured", secured.port(), "certificate", own.certificate());
        while (lines.next() != null) {
            lines.say("count", "connections", server.connections() + secured.connections());
        }
    }

    /** Plays the good peers: {@code PORT SECURED CERTIFICATE NUMBER}. Each has a connection and a source of its own, half TLS. */
    static void behave(WorkerLines lines, List<String> arguments) throws InterruptedException {
        NetioLoops loops = NetioLoops.create("soak-good", 1);
        AtomicLong messages = new AtomicLong();
        Faults faults = new Faults();
        List<Disposable> all = new ArrayList<>();
        NetioClient settings = NetioClient.create().host("127.0.0.1").backend(BackendType.TCP).runOn(loops);
        NetioClient plain = settings.port(Integer.parseInt(arguments.get(0)));
        NetioClient secured = settings.port(Integer.parseInt(arguments.get(1)))
                .secure(Tls.create().trust(Path.of(arguments.get(2))));
        for (int i = 0; i < Integer.parseInt(arguments.get(3)); i++) {
            AtomicLong next = new AtomicLong();
            all.add(NetioSubscriber.create(i % 2 == 0 ? plain : secured).subscribe(ByteBuffer::getLong, NUMBERS)
                    .subscribe(number -> {
                        messages.incrementAndGet();
                        if (number != next.getAndIncrement()) {
                            faults.add(number + " came out of order");
                        }
                    }, failure -> faults.add(failure.toString()), () -> faults.add("a source has ended")));
        }
        lines.say("ready");
        while (lines.next() != null) {
            lines.say("count", "messages", messages, "faults", faults.count(), "text", faults);
        }
        all.forEach(Disposable::dispose);
    }

    /** Plays the bad ones: {@code PORT LIE MILLISECONDS SEED}. It says how many there were. */
    static void lie(WorkerLines lines, List<String> arguments) throws InterruptedException {
        int port = Integer.parseInt(arguments.get(0));
        Lie lie = Lie.valueOf(arguments.get(1));
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments.get(2)));
        Random random = new Random(Long.parseLong(arguments.get(3)));
        Semaphore places = new Semaphore(AT_A_TIME);
        AtomicLong told = new AtomicLong();
        long next = System.nanoTime();
        while (System.nanoTime() < end) {
            for (int i = 0; i < Math.max(1, lie.perSecond() / SLICES); i++) {
                places.acquire();
                long seed = random.nextLong();
                Thread.ofVirtual().start(() -> {
                    tell(lie, port, new Random(seed));
                    told.incrementAndGet();
                    places.release();
                });
            }
            next += TimeUnit.SECONDS.toNanos(1) / Math.min(SLICES, lie.perSecond());
            TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
        }
        places.acquire(AT_A_TIME);
        lines.say("told", "number", told);
        lines.await("end");
    }

    private static void tell(Lie lie, int port, Random random) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) TimeUnit.SECONDS.toMillis(1));
            socket.setSoTimeout(lie.staysMillis());
            lie.tell(socket.getOutputStream(), random);
            while (socket.getInputStream().read(new byte[4_096]) > 0) {
                // until the server ends it, or has said nothing for long
            }
        } catch (IOException e) {
            return; // which is what the server should do to it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
