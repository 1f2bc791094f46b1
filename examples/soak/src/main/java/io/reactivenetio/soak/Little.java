// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.recorder.NetioRecorder;
import io.reactivenetio.recorder.RecorderOptions;
import io.reactivenetio.recorder.WhenFull;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Servers that have little of something: they say so, serve as many as they can, and recover when there is room. */
final class Little implements Campaign {
    private static final int CLIENTS = 100;
    private static final int FEW = 10;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration SERVED = Duration.ofSeconds(8);
    private static final Duration RELIEF = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(10);
    private static final int DISK_MEGABYTES = 8;

    @Override
    public String name() {
        return "little";
    }

    @Override
    public String about() {
        return "servers with few descriptors, threads, little memory, a full disk, and user code that runs out of memory";
    }

    @Override
    public double share() {
        return 2;
    }

    @Override
    public Map<String, Role> roles() {
        return Map.of("little-server", LittleRoles::serve);
    }

    @Override
    public void run(Ground ground) throws Exception {
        for (LittleLimit limit : LittleLimit.values()) {
            run(ground, limit);
        }
        greedy(ground);
        disk(ground);
    }

    static void run(Ground ground, LittleLimit limit) throws InterruptedException {
        String problem = limit.prepare();
        if (problem != null) {
            ground.check(limit.toString(), "where the machine allows it", "not tried: " + problem, true);
            return;
        }
        try {
            Worker server = ground.start(limit.prefix(), limit.options(), "little-server", limit.backend());
            int port = server.await("ready", LIMIT).number("port");
            NetioLoops loops = NetioLoops.create("soak-little", 1);
            NetioClient client = NetioClient.create().host("127.0.0.1").port(port).backend(limit.backend()).runOn(loops)
                    .receiveBuffers(4_096, 4).sendBuffers(4_096, 4);
            AtomicInteger served = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            List<Disposable> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                all.add(NetioSubscriber.create(client).subscribe(LittleRoles.NUMBERS).take(FEW).doOnComplete(
                        served::incrementAndGet).concatWith(Mono.never())
                        .subscribe(message -> { }, failure -> refused.incrementAndGet()));
                ground.progress(limit + ": " + i + " clients");
            }
            Waiting.within(SERVED, () -> served.get() + refused.get() == CLIENTS);
            int inTime = served.get();
            all.forEach(Disposable::dispose);
            long relieved = System.nanoTime();
            boolean again = again(client);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - relieved);
            loops.dispose();
            ground.check("a server with " + limit + ", and " + CLIENTS + " clients",
                    "it goes on, serves some at least, and a new one within 1 s of relief",
                    inTime + " served, " + refused.get() + " refused; " + (again ? "a new one after " + millis + " ms"
                            : "no new one") + (server.isAlive() ? "" : "; it has ended"),
                    inTime > 0 && again && server.isAlive());
            server.close();
        } finally {
            limit.cleanUp();
        }
    }

    /** Whether somebody new is served within a second, who may have to try again. */
    private static boolean again(NetioClient client) {
        return Boolean.TRUE.equals(NetioSubscriber.create(client).reconnect(Retry.fixedDelay(100, STEP))
                .subscribe(LittleRoles.NUMBERS).take(FEW).count().map(count -> count == FEW)
                .timeout(RELIEF).onErrorReturn(false).block());
    }

    /** Code of the user's that the loop calls, and that asks for more memory than there is. */
    static void greedy(Ground ground) throws InterruptedException {
        for (BackendType backend : List.of(BackendType.TCP, BackendType.LIBFABRIC)) {
            Worker server = ground.start("little-server", backend);
            int port = server.await("ready", LIMIT).number("port");
            NetioLoops loops = NetioLoops.create("soak-little", 1);
            NetioClient client = NetioClient.create().host("127.0.0.1").port(port).backend(backend).runOn(loops);
            AtomicInteger messages = new AtomicInteger();
            Disposable other = NetioSubscriber.create(client).subscribe(LittleRoles.NUMBERS)
                    .subscribe(message -> messages.incrementAndGet(), failure -> messages.set(Integer.MIN_VALUE));
            int failed = 0;
            for (int i = 0; i < FEW; i++) {
                failed += Boolean.TRUE.equals(NetioSubscriber.create(client).subscribe(LittleRoles.GREEDY).then()
                        .thenReturn(false).onErrorReturn(true).block(LIMIT)) ? 1 : 0;
            }
            int before = messages.get();
            boolean goesOn = Waiting.within(RELIEF, () -> messages.get() > before + FEW);
            other.dispose();
            loops.dispose();
            ground.check(FEW + " encoders that run out of memory on the loop (OutOfMemoryError), " + backend,
                    "each ends its own subscription, and all others go on",
                    failed + " subscriptions failed; another one " + (goesOn ? "goes on" : "has stopped"),
                    failed == FEW && goesOn && server.isAlive());
            server.close();
        }
    }

    /** A recorder whose disk is full. */
    static void disk(Ground ground) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("netio-soak-disk");
        if (!command("mount", "-t", "tmpfs", "-o", "size=" + DISK_MEGABYTES + "m", "tmpfs", directory.toString())) {
            Files.delete(directory);
            ground.check("a recorder on a full disk", "where the machine allows it", "not tried: mount(8) needs root", true);
            return;
        }
        try {
            record(ground, directory);
        } finally {
            command("umount", directory.toString());
            Files.delete(directory);
        }
    }

    private static void record(Ground ground, Path directory) throws IOException, InterruptedException {
        NetioLoops loops = NetioLoops.create("soak-little", 1);
        DisposableServer server = DyingRoles.publisher().serve(DyingRoles.server(BackendType.TCP, 0).runOn(loops)).bindNow();
        NetioClient client = NetioClient.create().host("127.0.0.1").port(server.port()).backend(BackendType.TCP).runOn(loops);
        Path ballast = directory.resolve("ballast");
        Files.write(ballast, new byte[(DISK_MEGABYTES << 20) - (1 << 20)]);
        String how = attempt(client, directory.resolve("first"), LIMIT);
        Files.delete(ballast);
        String after = attempt(client, directory.resolve("second"), RELIEF);
        server.disposeNow();
        loops.dispose();
        ground.check("a recorder on a full disk", "it fails and says why; with room again, another one records",
                how + "; then " + after, how.contains("failed") && how.contains("No space left") && after.endsWith("recorded"));
    }

    private static String attempt(NetioClient client, Path directory, Duration limit) throws InterruptedException {
        AtomicReference<String> end = new AtomicReference<>("");
        try {
            NetioRecorder recorder = NetioRecorder.open(directory, RecorderOptions.defaults().whenFull(WhenFull.FAIL));
            Disposable recording = recorder.record(NetioSubscriber.create(client), DyingRoles.SHARED)
                    .subscribe(recorded -> { }, failure -> end.set("failed: " + failure + ", "
                            + failure.getCause()));
            Waiting.within(limit, () -> !end.get().isEmpty());
            recording.dispose();
            recorder.dispose();
            recorder.onDispose().onErrorComplete().block(LIMIT);
        } catch (RuntimeException e) {
            end.set("failed: " + e + ", " + e.getCause());
        }
        return end.get().isEmpty() ? "recorded" : end.get();
    }

    private static boolean command(String... words) throws IOException, InterruptedException {
        return new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                .waitFor() == 0;
    }
}
