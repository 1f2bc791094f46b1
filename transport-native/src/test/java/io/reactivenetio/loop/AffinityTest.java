// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.join;
import static io.reactivenetio.loop.LoopTesting.onLoop;
import static io.reactivenetio.loop.LoopTesting.openFds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivenetio.ffm.Affinity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops whose threads run on one CPU. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AffinityTest {
    private static final EventLoopConfig CONFIG = EventLoopConfig.defaults().withName("bound");

    /** "0-3,8", of the thread that asks. */
    private static String allowed() {
        try {
            return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).findAny().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Integer> cpus() {
        List<Integer> cpus = new ArrayList<>();
        for (String range : allowed().split(",")) {
            String[] ends = range.split("-");
            for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    @Test
    void shouldRunOnTheCpuThatItWasGiven() {
        String before = allowed();
        for (int cpu : cpus()) {
            try (EventLoop loop = EventLoop.create(CONFIG.withCpu(cpu))) {
                loop.start();
                assertThat(onLoop(loop, AffinityTest::allowed)).isEqualTo(Integer.toString(cpu));
            }
        }
        assertThat(allowed()).as("CPUs of the thread that has started them").isEqualTo(before);
    }

    @Test
    void shouldStartThreadsElsewhereWhereItIsToldTo() {
        int first = cpus().getFirst();
        String all = allowed();
        try (EventLoop loop = EventLoop.create(CONFIG.withCpu(first))) {
            loop.start();
            List<String> seen = onLoop(loop, () -> {
                List<String> lists = new CopyOnWriteArrayList<>();
                Affinity.unbound(() -> join(Thread.ofPlatform().start(() -> lists.add(allowed()))));
                join(Thread.ofPlatform().start(() -> lists.add(allowed())));
                lists.add(allowed());
                return lists;
            });
            assertThat(seen).containsExactly(all, Integer.toString(first), Integer.toString(first));
        }
        Affinity.unbound(() -> assertThat(allowed()).isEqualTo(all));
    }

    @Test
    void shouldRunAnywhereUnlessToldOtherwise() {
        try (EventLoop loop = EventLoop.create(CONFIG)) {
            loop.start();
            assertThat(onLoop(loop, AffinityTest::allowed)).isEqualTo(allowed());
        }
    }

    /** Beyond the mask that the kernel has, where it has so few, and beyond the 1,024 of a cpu_set_t. */
    @ParameterizedTest
    @ValueSource(ints = {1023, 1024, 4095, Affinity.LAST_CPU})
    void shouldSayWhichCpusThereAreWhereItMayNotRunOnOne(int cpu) {
        assertThatIllegalArgumentException().isThrownBy(EventLoop.create(CONFIG.withCpu(cpu))::start)
                .withMessageContaining("bound may not run on CPU " + cpu).withMessageContaining("Invalid argument")
                .withMessageContaining("has the CPUs " + allowed()).withMessageContaining("cpuset");
    }

    @Test
    void shouldLeaveNothingBehindWhereItMayNotRun() {
        refused();
        int before = openFds();
        for (int i = 0; i < 100; i++) {
            EventLoop loop = refused();
            assertThat(loop.isTerminated()).isTrue();
            loop.close();
        }
        assertThat(openFds()).isLessThanOrEqualTo(before);
        LoopTesting.awaitUntil(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(t -> t.getName().equals("bound")));
    }

    private static EventLoop refused() {
        EventLoop loop = EventLoop.create(CONFIG.withCpu(Affinity.LAST_CPU));
        List<String> closed = new ArrayList<>();
        loop.onClose(() -> closed.add("hook"));
        assertThatIllegalArgumentException().isThrownBy(loop::start);
        assertThat(closed).containsExactly("hook");
        return loop;
    }

    @Test
    void shouldRefuseWhatIsNoCpu() {
        assertThatIllegalArgumentException().isThrownBy(() -> CONFIG.withCpu(-2)).withMessageContaining("CPU -2");
        assertThatIllegalArgumentException().isThrownBy(() -> CONFIG.withCpu(Affinity.LAST_CPU + 1))
                .withMessageContaining("CPU 8192").withMessageContaining("from 0 to 8191");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepTheJvmAliveOnlyIfItIsNoDaemon(boolean daemon) {
        try (EventLoop loop = EventLoop.create(CONFIG.withDaemon(daemon))) {
            assertThat(loop.start().isDaemon()).isEqualTo(daemon);
        }
    }
}
