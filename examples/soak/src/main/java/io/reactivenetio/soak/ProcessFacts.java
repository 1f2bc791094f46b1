// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.examples.conformance.Line;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a process holds. Sizes are in bytes, times in nanoseconds; the heap is what is left after a collection. */
record ProcessFacts(long rss, long heap, long direct, int descriptors, int threads, long cpu) {
    private static final int COLLECTIONS = 2;
    private static final long KILO = 1024;

    static ProcessFacts ofThisProcess() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
        return new ProcessFacts(readRss(), heap, direct, countDescriptors(), threads.getThreadCount(), cpu);
    }

    static ProcessFacts parse(Line line) {
        return new ProcessFacts(line.longNumber("rss"), line.longNumber("heap"), line.longNumber("direct"),
                line.number("descriptors"), line.number("threads"), line.longNumber("cpu"));
    }

    Line line() {
        return Line.of("facts", "rss", rss, "heap", heap, "direct", direct, "descriptors", descriptors, "threads", threads,
                "cpu", cpu);
    }

    private static long readRss() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) * KILO;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int countDescriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return (int) open.count() - 1; // without that of the directory
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
