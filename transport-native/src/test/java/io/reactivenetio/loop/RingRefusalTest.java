// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.transport.backend.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where io_uring is forbidden, as containers do, or missing: a clear error, or epoll with one line in the log. */
class RingRefusalTest {
    private static final int EPERM = 1;
    private static final int ENOMEM = 12;
    private static final int ENOSYS = 38;

    /** In a JVM of its own, whose main thread, and those that it starts, may not call io_uring_setup. */
    @SuppressWarnings("restricted")
    static final class Refused {
        private static final int PR_SET_SECCOMP = 22;
        private static final int PR_SET_NO_NEW_PRIVS = 38;
        private static final long MODE_FILTER = 2;

        private Refused() {
        }

        public static void main(String[] args) throws Throwable {
            forbid(Integer.parseInt(args[0]));
            try {
                EventLoop.create(EventLoopConfig.defaults().withMechanism(LoopMechanism.IO_URING)).close();
                System.out.println("allowed");
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
            System.out.println(LoopMechanism.IO_URING.unavailability().orElse("available"));
            for (int i = 0; i < 2; i++) {
                try (EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withMechanism(LoopMechanism.AUTO))) {
                    loop.start();
                    CompletableFuture.runAsync(() -> { }, loop).get(10, TimeUnit.SECONDS);
                }
            }
            System.out.println("ran");
        }

        /** Has the kernel answer io_uring_setup(2) with {@code errno}: a filter of four instructions. */
        private static void forbid(int errno) throws Throwable {
            Arena arena = Arena.global();
            MemorySegment filter = arena.allocate(32, 8);
            instruction(filter, 0, 0x20, 0, 0); // load the number of the system call
            instruction(filter, 1, 0x15, 1 << 8, 425); // if it is not that one, skip the next
            instruction(filter, 2, 0x06, 0, 0x50000 | errno);
            instruction(filter, 3, 0x06, 0, 0x7fff0000);
            MemorySegment program = arena.allocate(16, 8);
            program.set(ValueLayout.JAVA_SHORT, 0, (short) 4);
            program.set(ValueLayout.ADDRESS, 8, filter);
            MethodHandle prctl = Linker.nativeLinker().downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow("prctl"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1));
            if ((int) prctl.invokeExact(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0
                    || (int) prctl.invokeExact(PR_SET_SECCOMP, MODE_FILTER, program.address(), 0L, 0L) != 0) {
                System.out.println("prctl failed");
            }
        }

        private static void instruction(MemorySegment filter, int index, int code, int jumps, int operand) {
            filter.set(ValueLayout.JAVA_INT, 8L * index, code | jumps << 16);
            filter.set(ValueLayout.JAVA_INT, 8L * index + 4, operand);
        }
    }

    @ParameterizedTest
    @CsvSource({EPERM + ", seccomp profile of a container forbids it", ENOSYS + ", This kernel has none",
        ENOMEM + ", raise ulimit -l"})
    void shouldSayWhyAndGoOnWithEpoll(int errno, String why) throws IOException {
        try (ChildJvm child = new ChildJvm("true", "-Xmx64m", Refused.class, String.valueOf(errno))) {
            assertThat(child.hear()).startsWith("io_uring_setup: ").contains(why, "epoll");
            assertThat(child.hear()).contains(why);
            assertThat(child.hear()).isEqualTo("ran");
            assertThat(child.errors()).containsOnlyOnce("Event loops use epoll: io_uring_setup: ");
        }
    }

    /** Loops are the same without it, and nothing is left of what could not be opened. */
    @Test
    void shouldLeaveNoDescriptors() throws IOException {
        try (ChildJvm child = new ChildJvm("ulimit -n 60", "-Xmx64m", FewDescriptors.class)) {
            assertThat(child.hear()).isEqualTo("refused, then 10 loops");
        }
    }

    /** Takes all descriptors, and gives them back. */
    static final class FewDescriptors {
        private FewDescriptors() {
        }

        public static void main(String[] args) throws IOException {
            EventLoopConfig config = EventLoopConfig.defaults().withMechanism(LoopMechanism.AUTO);
            EventLoop.create(config).close();
            EventLoop[] loops = new EventLoop[100];
            int made = 0;
            try {
                while (true) {
                    loops[made] = EventLoop.create(config);
                    made++;
                }
            } catch (RuntimeException e) {
                for (int i = 0; i < made; i++) {
                    loops[i].close();
                }
            }
            for (int i = 0; i < 10; i++) {
                loops[i] = EventLoop.create(config);
            }
            System.out.println((made < 100 ? "refused" : "not refused") + ", then 10 loops");
        }
    }

    /** An embedded ring needs one descriptor more in its first turn. */
    @Test
    void shouldCloseALoopWhoseFirstTurnHasNoDescriptor() throws IOException {
        try (ChildJvm child = new ChildJvm("ulimit -n 100", "-Xmx64m", NoDescriptorForTheFirstTurn.class)) {
            assertThat(child.hear()).isEqualTo("UncheckedIOException, terminated true, left 0");
        }
    }

    /** Says what the first turn of an embedded loop throws, and what is left of the loop. */
    static final class NoDescriptorForTheFirstTurn {
        private static final int MOST = 1_000;

        private NoDescriptorForTheFirstTurn() {
        }

        public static void main(String[] args) {
            EventLoopConfig config = EventLoopConfig.defaults().withMechanism(LoopMechanism.IO_URING);
            try (EventLoop first = EventLoop.create(config)) {
                first.poll(); // all classes that are needed are loaded while there are descriptors
            }
            int before = openFds();
            EventLoop loop = EventLoop.create(config);
            int[] taken = new int[MOST];
            int number = 0;
            do {
                taken[number] = LibC.eventfd(0, LibC.EFD_CLOEXEC);
            } while (taken[number] >= 0 && ++number < MOST);
            String thrown = "nothing";
            try {
                loop.poll();
            } catch (RuntimeException e) {
                thrown = e.getClass().getSimpleName();
            }
            for (int i = 0; i < number; i++) {
                LibC.close(taken[i]);
            }
            loop.close();
            System.out.println(thrown + ", terminated " + loop.isTerminated() + ", left " + (openFds() - before));
        }

        private static int openFds() {
            return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
        }
    }

    @Test
    void shouldRefuseAPropertyThatNamesNone() {
        String before = System.getProperty(LoopMechanism.PROPERTY);
        try {
            System.setProperty(LoopMechanism.PROPERTY, "kqueue");
            assertThatIllegalArgumentException().isThrownBy(LoopMechanism::configured)
                    .withMessageContaining("kqueue").withMessageContaining("epoll, io_uring or auto");
            assertThatIllegalArgumentException().isThrownBy(() -> EventLoop.create("kqueue")).withMessageContaining("kqueue");
            System.setProperty(LoopMechanism.PROPERTY, "io-uring");
            assertThat(EventLoopConfig.defaults().mechanism()).isEqualTo(LoopMechanism.IO_URING);
        } finally {
            if (before == null) {
                System.clearProperty(LoopMechanism.PROPERTY);
            } else {
                System.setProperty(LoopMechanism.PROPERTY, before);
            }
        }
    }

    @Test
    void shouldRefuseNoMechanism() {
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> EventLoopConfig.defaults().withMechanism(null)).withMessage("mechanism");
    }

    @Test
    void shouldAlwaysHaveTheOthers() {
        assertThat(LoopMechanism.EPOLL.unavailability()).isEmpty();
        assertThat(LoopMechanism.AUTO.unavailability()).isEmpty();
    }
}
