// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.ffm.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A downcall into libc that captures errno, and the system call it makes. */
@State(Scope.Thread)
public class DowncallBenchmark {
    private final int fd = LibC.eventfd(0, LibC.EFD_NONBLOCK | LibC.EFD_CLOEXEC);
    private final MemorySegment one = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, 1L);

    @TearDown
    public void close() {
        LibC.close(fd);
    }

    /** close(2) of no descriptor, for which the kernel does next to nothing; errno is read. */
    @Benchmark
    public int closeNothing() {
        return LibC.close(-1);
    }

    /** write(2) to an eventfd, as it wakes a loop. */
    @Benchmark
    public long writeEventfd() {
        return LibC.write(fd, one, Long.BYTES);
    }
}
