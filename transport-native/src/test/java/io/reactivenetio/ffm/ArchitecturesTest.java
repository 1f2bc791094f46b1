// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiLayout;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each number of the binding against the headers of each processor that the library is for: a C compiler for it, which need not
 * run on it, says whether they are equal.
 */
class ArchitecturesTest {
    /** What is not a number of the headers by its own name. */
    private static final Map<String, String> EXPRESSIONS = Map.of("SIZEOF_MSGHDR", "sizeof(struct msghdr)",
            "MSG_IOV", "offsetof(struct msghdr, msg_iov)", "MSG_IOVLEN", "offsetof(struct msghdr, msg_iovlen)");

    @TempDir
    Path directory;

    private enum Target {
        AMD64("x86_64-linux-gnu-gcc", "gcc-x86-64-linux-gnu libc6-dev-amd64-cross"),
        AARCH64("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross");

        private final String cross;
        private final String packages;

        Target(String cross, String packages) {
            this.cross = cross;
            this.packages = packages;
        }

        /** What Java calls it. */
        String architecture() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** This machine's compiler, or Debian's for that processor; "" if there is none. */
        String compiler() {
            if (System.getProperty("os.arch").equals(architecture())) {
                return "gcc";
            }
            return Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, cross))
                    .filter(Files::isExecutable).map(Path::toString).findFirst().orElse("");
        }

        void assumeCompiler() {
            assumeTrue(!compiler().isEmpty(), "needs a C compiler for another processor: apt install " + packages);
        }
    }

    /** What the classes of libc's functions take for granted. */
    private static List<String> assertions(Target target) throws IllegalAccessException {
        List<String> all = new ArrayList<>();
        for (Class<?> type : List.of(LibC.class, Sockets.class, MessageHeader.class)) {
            Map<String, Long> numbers = Numbers.of(type);
            numbers.remove("LENGTH_AT"); // a place in a buffer of its own
            numbers.forEach((name, value) -> all.add(EXPRESSIONS.getOrDefault(name, name) + " == " + value));
        }
        Map<String, Long> events = Numbers.of(EpollEvents.class);
        events.remove("SIZE");
        events.remove("DATA");
        events.forEach((name, value) -> all.add(name + " == " + value));
        all.add("sizeof(struct epoll_event) == " + EpollEvents.size(target.architecture()));
        all.add("offsetof(struct epoll_event, events) == 0 && sizeof(((struct epoll_event *) 0)->events) == 4");
        all.add("offsetof(struct epoll_event, data) == " + EpollEvents.data(target.architecture()));
        all.add("sizeof(struct itimerspec) == 32 && offsetof(struct itimerspec, it_value) == 16");
        all.add("offsetof(struct timespec, tv_nsec) == 8 && sizeof(((struct timespec *) 0)->tv_nsec) == 8");
        all.add("offsetof(Dl_info, dli_fname) == 0 && sizeof(Dl_info) == 32");
        all.add("sizeof(struct sockaddr_storage) == " + SockAddr.LARGEST);
        all.add("offsetof(struct sockaddr_in6, sin6_port) == " + SockAddrLayout.SIN_PORT);
        all.add("offsetof(struct sockaddr, sa_family) == 0 && sizeof(sa_family_t) == 2 && sizeof(socklen_t) == 4");
        all.add("sizeof(size_t) == 8 && sizeof(ssize_t) == 8 && sizeof(void *) == 8 && sizeof(int) == 4");
        all.add("sizeof(unsigned long) == 8 && sizeof(cpu_set_t) % 8 == 0"); // ioctl's request, the mask of processors
        all.add("__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__");
        return all;
    }

    /** The same of io_uring's, whose headers name them with a prefix, or as fields of structs. */
    private static List<String> ringAssertions() throws IllegalAccessException {
        Map<String, Long> numbers = Numbers.of(IoUring.class, IoUringSetup.class, Mappings.class);
        Map<String, String> fields = new TreeMap<>();
        Map.of("SQE", "struct io_uring_sqe", "CQE", "struct io_uring_cqe", "PARAMS", "struct io_uring_params",
                        "SQ", "struct io_sqring_offsets", "CQ", "struct io_cqring_offsets", "PROBE", "struct io_uring_probe")
                .forEach((prefix, struct) -> numbers.keySet().stream().filter(name -> name.startsWith(prefix + "_"))
                        .forEach(name -> fields.put(name, "offsetof(" + struct + ", "
                                + name.substring(prefix.length() + 1).toLowerCase(Locale.ROOT) + ")")));
        fields.putAll(Map.of("SQE_OP_FLAGS", "offsetof(struct io_uring_sqe, rw_flags)",
                "SQE_REST", "offsetof(struct io_uring_sqe, buf_index)",
                "PROBE_OP_FLAGS", "offsetof(struct io_uring_probe_op, flags)",
                "SQ_CQ_OVERFLOW", "IORING_SQ_CQ_OVERFLOW", "SQ_TASKRUN", "IORING_SQ_TASKRUN",
                "SIZEOF_SQE", "sizeof(struct io_uring_sqe)", "SIZEOF_CQE", "sizeof(struct io_uring_cqe)",
                "SIZEOF_PARAMS", "sizeof(struct io_uring_params)", "SIZEOF_PROBE", "sizeof(struct io_uring_probe)",
                "SIZEOF_PROBE_OP", "sizeof(struct io_uring_probe_op)"));
        fields.putAll(Map.of("PROT_READ_WRITE", "(PROT_READ | PROT_WRITE)", "MAP_SHARED_POPULATE", "(MAP_SHARED | MAP_POPULATE)",
                "MAP_PRIVATE_ANONYMOUS", "(MAP_PRIVATE | MAP_ANONYMOUS)",
                "OFF_RINGS", "IORING_OFF_SQ_RING", "OFF_SQES", "IORING_OFF_SQES",
                "OP_SUPPORTED", "IO_URING_OP_SUPPORTED"));
        numbers.remove("FEATURES"); // several in one
        numbers.remove("PROBED"); // how many operations are asked about
        List<String> all = new ArrayList<>();
        numbers.forEach((name, value) -> {
            String header = name;
            if (fields.containsKey(name)) {
                header = fields.get(name);
            } else if (name.matches("(ENTER|SETUP|FEAT|REGISTER)_.*")) {
                header = "IORING_" + name;
            } else if (name.startsWith("SYS_")) {
                header = "__NR_" + name.substring("SYS_".length()).toLowerCase(Locale.ROOT);
            } else if (name.matches("READV?|WRITE|POLL_ADD|SENDMSG|ACCEPT|ASYNC_CANCEL|CONNECT")) {
                header = "IORING_OP_" + name;
            }
            all.add(header + " == " + value);
        });
        return all;
    }

    private void compile(Target target, String source, String... options) throws IOException, InterruptedException {
        Path includes = Files.createDirectories(directory.resolve("include")); // not all of /usr/include: that is this machine's
        if (!Files.exists(includes.resolve("rdma"))) {
            Files.createSymbolicLink(includes.resolve("rdma"), Files.exists(Path.of("/usr/include/rdma"))
                    ? Path.of("/usr/include/rdma") : Path.of("/usr/local/include/rdma"));
        }
        List<String> command = new ArrayList<>(List.of(target.compiler(), "-Wall", "-Werror", "-fsyntax-only", "-D_GNU_SOURCE",
                "-I" + includes));
        command.addAll(List.of(options));
        command.add(Files.writeString(directory.resolve("source.c"), source).toString());
        CPrograms.run(command.toArray(String[]::new));
    }

    private static String libc(List<String> assertions) {
        StringBuilder source = new StringBuilder();
        Stream.of("dlfcn.h", "errno.h", "linux/io_uring.h", "linux/sockios.h", "netinet/in.h", "netinet/tcp.h", "sched.h",
                "stddef.h", "sys/epoll.h", "sys/eventfd.h", "sys/ioctl.h", "sys/mman.h", "sys/socket.h", "sys/syscall.h",
                "sys/timerfd.h", "time.h", "unistd.h")
                .forEach(header -> source.append("#include <").append(header).append(">\n"));
        assertions.forEach(assertion -> source.append("_Static_assert(").append(assertion).append(", \"").append(assertion)
                .append("\");\n"));
        return source.toString();
    }

    @ParameterizedTest
    @EnumSource(Target.class)
    void shouldAgreeWithTheHeadersOfLibc(Target target) throws Exception {
        target.assumeCompiler();
        List<String> assertions = assertions(target);

        assertThat(assertions).hasSizeGreaterThan(45);
        compile(target, libc(assertions));
    }

    @ParameterizedTest
    @EnumSource(Target.class)
    void shouldAgreeWithTheHeadersOfTheKernel(Target target) throws Exception {
        target.assumeCompiler();
        List<String> assertions = ringAssertions();

        assertThat(assertions).hasSizeGreaterThan(50);
        compile(target, libc(assertions));
    }

    @ParameterizedTest
    @EnumSource(Target.class)
    void shouldAgreeWithTheHeadersOfLibfabric(Target target) throws Exception {
        target.assumeCompiler();
        StringBuilder ours = new StringBuilder();
        Numbers.of(FiLayout.class, Fi.class, SockAddrLayout.class).forEach((name, value) ->
                ours.append("#define OURS_").append(name).append(" (long long) ").append(value).append("ULL\n"));
        Path header = Files.writeString(directory.resolve("ours.h"), ours);
        String source;
        try (InputStream in = ArchitecturesTest.class.getResourceAsStream("fabric/fabric_layout.c")) {
            source = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }

        compile(target, source, "-DOURS=\"" + header + "\"");
    }

    /** A test of the test. */
    @Test
    void shouldFailWhereANumberIsAnother() throws Exception {
        Target here = System.getProperty("os.arch").equals("aarch64") ? Target.AARCH64 : Target.AMD64;

        assertThatThrownBy(() -> compile(here, libc(List.of("EAGAIN == 12")))).hasMessageContaining("EAGAIN == 12");
    }
}
