// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.loop.LoopStatistics;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What loops can be made like. */
@Timeout(180)
class NetioLoopsTest {
    private static final Duration PATIENCE = TestSettings.patient(Duration.ofSeconds(30));
    private static final int NO_CPU = 8191;
    private static final int TRIPS = 1_000;

    private static <T> T on(NetioLoops loops, Callable<T> code) {
        T result = Mono.fromCallable(code).subscribeOn(loops.scheduler()).block(PATIENCE);
        assertThat(result).isNotNull();
        return result;
    }

    private static void with(NetioLoops.Builder builder, Consumer<NetioLoops> use) {
        NetioLoops loops = builder.build();
        try {
            use.accept(loops);
        } finally {
            loops.dispose();
        }
    }

    private static List<Integer> cpus() {
        String list = allowed("/proc/self/status");
        return List.of(list.split(",")).stream().map(range -> range.split("-"))
                .flatMap(ends -> IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                        .boxed()).toList();
    }

    private static String allowed(String status) {
        try {
            return Files.readAllLines(Path.of(status)).stream().filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).findAny().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).filter(name -> name.startsWith(prefix))
                .sorted().toList();
    }

    @Test
    void shouldMakeOneLoopUnlessToldOtherwise() {
        with(NetioLoops.builder(), loops -> assertThat(on(loops, () -> Thread.currentThread().getName() + " "
                + Thread.currentThread().isDaemon() + " " + loops.statistics().size())).isEqualTo("netio-1 true 1"));
    }

    @Test
    void shouldNameItsThreadsAndSayWhetherTheyKeepTheJvmAlive() {
        NetioLoops loops = NetioLoops.builder().name("read").number(3).daemon(false).reassemblyBudget(1 << 20).build();
        assertThat(threads("read-")).containsExactly("read-1", "read-2", "read-3");
        assertThat(IntStream.range(0, 3).mapToObj(i -> on(loops, () -> Thread.currentThread().isDaemon())))
                .containsOnly(false);
        loops.dispose();
        Link.await(() -> threads("read-").isEmpty(), () -> threads("read-").toString());
    }

    @Test
    void shouldChangeCopies() {
        NetioLoops.Builder builder = NetioLoops.builder();
        builder.name("other").number(7).affinity(NO_CPU);
        with(builder, loops -> assertThat(on(loops, () -> Thread.currentThread().getName())).isEqualTo("netio-1"));
    }

    @Test
    void shouldRunEachLoopOnItsCpu() {
        List<Integer> cpus = cpus();
        int[] reversed = IntStream.range(0, cpus.size()).map(i -> cpus.get(cpus.size() - 1 - i)).toArray();
        with(NetioLoops.builder().number(reversed.length).affinity(reversed), loops -> {
            for (int cpu : reversed) {
                assertThat(on(loops, () -> allowed("/proc/thread-self/status"))).isEqualTo(Integer.toString(cpu));
            }
        });
    }

    @Test
    void shouldRefuseACpuThatItMayNotUseAndLeaveNoLoopBehind() {
        int first = cpus().getFirst();
        NetioLoops.Builder builder = NetioLoops.builder().name("refused").number(3).affinity(first, NO_CPU, first);
        assertThatIllegalArgumentException().isThrownBy(builder::build)
                .withMessageContaining("refused-2 may not run on CPU " + NO_CPU).withMessageContaining("sched_setaffinity")
                .withMessageContaining("has the CPUs " + allowed("/proc/self/status"));
        Link.await(() -> threads("refused-").isEmpty(), () -> threads("refused-").toString());
    }

    @Test
    void shouldRefuseMoreOrFewerCpusThanLoops() {
        assertThatIllegalArgumentException().isThrownBy(NetioLoops.builder().number(3).affinity(4, 5)::build)
                .withMessageContaining("affinity([4, 5]) has 2 CPUs").withMessageContaining("there are 3 loops")
                .withMessageContaining("number(2)");
        assertThatIllegalArgumentException().isThrownBy(NetioLoops.builder().affinity(4, 5)::build);
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        NetioLoops.Builder builder = NetioLoops.builder();
        assertThatIllegalArgumentException().isThrownBy(() -> builder.number(0))
                .withMessageContaining("the number of loops must be at least 1: 0");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.spin(Duration.ofNanos(-1)))
                .withMessageContaining("spin: a time must not be negative");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.adaptiveSpin(Duration.ofNanos(-1)))
                .withMessageContaining("adaptiveSpin: a time");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.affinity(-1)).withMessageContaining("not -1");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.affinity(NO_CPU + 1)).withMessageContaining("CPU 8192");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.reassemblyBudget(0)).withMessageContaining("1 byte: 0");
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldSpinForEverAndStillEnd(BackendType backend) {
        roundTrips(backend, builder -> builder.spin(Duration.ofDays(365_000)), statistics -> {
            long begun = System.nanoTime(); // it may not have run out of work before
            while (statistics.spunNanos() == 0 && System.nanoTime() - begun < PATIENCE.toNanos()) {
                Thread.onSpinWait();
            }
            assertThat(statistics.spunNanos()).isPositive();
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldSpinForMessagesThatComeCloseTogether(BackendType backend) {
        roundTrips(backend, builder -> builder.adaptiveSpin(Duration.ofMillis(1)),
                statistics -> assertThat(statistics.turns()).isPositive());
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldRunOnIoUring(BackendType backend) {
        Optional<String> missing = LoopMechanism.IO_URING.unavailability();
        assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
        for (boolean spins : new boolean[] {false, true}) {
            roundTrips(backend, builder -> builder.mechanism(LoopMechanism.IO_URING)
                            .spin(spins ? Duration.ofDays(1) : Duration.ZERO),
                    statistics -> assertThat(statistics.userExceptions()).isZero());
        }
    }

    /**
     * Both ends on one loop: what it does itself is all that it ever waits for. {@code atRest} is shown the idle loop's counters.
     */
    private static void roundTrips(BackendType backend, UnaryOperator<NetioLoops.Builder> settings,
            Consumer<LoopStatistics> atRest) {
        NetioLoops loops = settings.apply(NetioLoops.builder().name("spin")).build();
        DisposableServer server = NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).handle((in, out) -> out.send(in.receive())).bindNow();
        NetioConnection connection = NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).port(server.port()).connectNow();
        Flux<ByteBuffer> asked = Flux.range(0, TRIPS).map(Link::message);
        List<Integer> answered = connection.send(asked).then(connection.completeOutbound()).cast(ByteBuffer.class)
                .mergeWith(connection.receive()).map(answer -> answer.getInt(0)).collect(Collectors.toList()).block(PATIENCE);
        assertThat(answered).containsExactlyElementsOf(IntStream.range(0, TRIPS).boxed().toList());
        atRest.accept(loops.statistics().getFirst());
        long begun = System.nanoTime();
        loops.dispose();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(PATIENCE);
    }
}
