// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.awaitUntil;
import static io.reactivenetio.loop.LoopTesting.eventfd;
import static io.reactivenetio.loop.LoopTesting.onLoop;
import static io.reactivenetio.loop.LoopTesting.openFds;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static io.reactivenetio.loop.LoopTesting.writeOne;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.ffm.IoVector;
import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import io.reactivenetio.testing.Eventually;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What {@link LoopIo} says, on real sockets whose other end is Java's own. An implementation is run against it by a subclass that
 * says which it is. Nothing may be left behind: descriptors are counted.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class LoopIoContract {
    private static final int MANY = 1_000;

    private final EventLoop loop;
    private LoopIo io;
    private int fdsBefore;
    private final List<Long> results = new CopyOnWriteArrayList<>();
    private final List<Throwable> reported = new CopyOnWriteArrayList<>();
    private ServerSocket listening;
    private Socket peer;
    private int fd;
    private LoopIo.Handle handle;

    /** {@code loop} has not been run. */
    LoopIoContract(EventLoop loop) {
        this.loop = loop;
    }

    /** The implementation, which serves descriptors on the thread of {@code host}. Called there. */
    abstract LoopIo implementation(EventLoop host);

    /** The JDK keeps a descriptor from the first socket on that it closes. */
    @BeforeAll
    static void closeASocket() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            assertThat(client.isConnected()).isTrue();
        }
    }

    @BeforeEach
    void connect() throws IOException {
        loop.onError(reported::add);
        loop.start();
        io = onLoop(loop, () -> implementation(loop));
        fdsBefore = openFds();
        listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        fd = Sockets.socket(address());
        handle = onLoop(loop, () -> io.open(fd, 4));
        runOnLoop(loop, () -> handle.connect(encoded(address()), results::add));
        peer = listening.accept();
        awaitUntil(() -> results.size() == 1);
        assertThat(results).containsExactly(0L);
        results.clear();
    }

    @AfterEach
    void close() throws IOException {
        runOnLoop(loop, () -> handle.close());
        LibC.close(fd);
        peer.close();
        listening.close();
        awaitUntil(() -> openFds() <= fdsBefore); // fewer if something else was still ending then
        loop.close();
        assertThat(reported).isEmpty();
    }

    private InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    private static MemorySegment encoded(InetSocketAddress address) {
        return Sockets.encode(Arena.ofAuto(), address);
    }

    private static MemorySegment text(String text) {
        return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(MemorySegment segment, long bytes) {
        return new String(segment.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    private void send(String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void shouldReadWhatThereIsAndTheRestLater() throws IOException {
        MemorySegment buffer = Arena.ofAuto().allocate(8);
        runOnLoop(loop, () -> handle.read(buffer, results::add));
        send("abc");
        awaitUntil(() -> results.size() == 1);
        assertThat(text(buffer, 3)).isEqualTo("abc");
        send("0123456789");
        runOnLoop(loop, () -> handle.read(buffer, results::add));
        awaitUntil(() -> results.size() == 2);
        runOnLoop(loop, () -> handle.read(buffer, results::add));
        awaitUntil(() -> results.size() == 3);
        assertThat(results).containsExactly(3L, 8L, 2L);
        assertThat(text(buffer, 2)).isEqualTo("89");
    }

    @Test
    void shouldReadIntoAVector() throws IOException {
        MemorySegment memory = Arena.ofAuto().allocate(16);
        IoVector vector = new IoVector(2);
        vector.set(0, memory.address() + 8, 3);
        vector.set(1, memory.address(), 5);
        send("abcdefgh");
        runOnLoop(loop, () -> handle.read(vector.segment(), 2, 8, results::add));
        awaitUntil(() -> results.size() == 1);
        assertThat(results).containsExactly(8L);
        assertThat(text(memory.asSlice(8), 3)).isEqualTo("abc");
        assertThat(text(memory, 5)).isEqualTo("defgh");
    }

    @Test
    void shouldWriteAndGatherInOrder() throws IOException {
        MemorySegment words = text("worldhello ");
        IoVector vector = new IoVector(2);
        vector.set(0, words.address() + 5, 6);
        vector.set(1, words.address(), 5);
        runOnLoop(loop, () -> {
            handle.write(text("> "), result -> {
                results.add(result);
                handle.write(vector.segment(), 2, 11, results::add);
            });
        });
        assertThat(new String(peer.getInputStream().readNBytes(13), StandardCharsets.US_ASCII)).isEqualTo("> hello world");
        awaitUntil(() -> results.size() == 2);
        assertThat(results).containsExactly(2L, 11L);
    }

    @Test
    void shouldWriteInPartsWhenTheKernelIsFull() throws IOException {
        MemorySegment large = Arena.ofAuto().allocate(16 << 20);
        large.set(ValueLayout.JAVA_BYTE, large.byteSize() - 1, (byte) 7);
        runOnLoop(loop, () -> write(large));
        awaitUntil(() -> !results.isEmpty());
        assertThat(results.getFirst()).isLessThan(large.byteSize());
        byte[] all = peer.getInputStream().readNBytes((int) large.byteSize());
        assertThat(all).hasSize((int) large.byteSize());
        assertThat(all[all.length - 1]).isEqualTo((byte) 7);
        awaitUntil(() -> results.stream().mapToLong(Long::longValue).sum() == large.byteSize());
    }

    private void write(MemorySegment rest) {
        handle.write(rest, written -> {
            results.add(written);
            if (written > 0 && written < rest.byteSize()) {
                write(rest.asSlice(written));
            }
        });
    }

    @Test
    void shouldTellTheEnd() throws IOException {
        runOnLoop(loop, () -> handle.read(Arena.ofAuto().allocate(8), results::add));
        peer.shutdownOutput();
        awaitUntil(() -> results.size() == 1);
        assertThat(results).containsExactly(0L);
    }

    @Test
    void shouldTellAResetToTheReaderAndTheWriter() throws IOException {
        runOnLoop(loop, () -> handle.read(Arena.ofAuto().allocate(8), results::add));
        peer.setSoLinger(true, 0);
        peer.close();
        awaitUntil(() -> results.size() == 1);
        assertThat(results).containsExactly((long) -Sockets.ECONNRESET);
        IoVector vector = new IoVector(1);
        vector.set(0, text("x").address(), 1);
        runOnLoop(loop, () -> handle.write(vector.segment(), 1, 1, results::add));
        awaitUntil(() -> results.size() == 2);
        assertThat(results.getLast()).isEqualTo(-Sockets.EPIPE);
    }

    @Test
    void shouldAcceptWithinATurnAsManyAsAllowed() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        int listener = Sockets.socket(any);
        assertThat(Sockets.bind(listener, any)).isZero();
        assertThat(Sockets.listen(listener, 10)).isZero();
        InetSocketAddress bound = (InetSocketAddress) Sockets.localAddress(listener);
        assertThat(bound).isNotNull();
        LoopIo.Handle accepting = onLoop(loop, () -> io.open(listener, 2));
        LoopIo.Completion again = new LoopIo.Completion() {
            @Override
            public void completed(long result) {
                results.add(result);
                accepting.accept(this);
            }
        };
        runOnLoop(loop, () -> accepting.accept(again));
        for (int i = 0; i < 5; i++) {
            try (Socket client = new Socket(bound.getAddress(), bound.getPort())) {
                assertThat(client.isConnected()).isTrue();
            }
        }
        awaitUntil(() -> results.size() == 5);
        assertThat(results).doesNotHaveDuplicates().allMatch(result -> result > 0);
        runOnLoop(loop, accepting::close);
        results.forEach(accepted -> LibC.close(accepted.intValue()));
        LibC.close(listener);
    }

    @Test
    void shouldTellARefusedConnect() throws IOException {
        try (Socket deaf = new Socket()) {
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)); // nobody else gets the port meanwhile
            InetSocketAddress nobody = (InetSocketAddress) deaf.getLocalSocketAddress();
            int refused = Sockets.socket(nobody);
            LoopIo.Handle connecting = onLoop(loop, () -> io.open(refused, 1));
            runOnLoop(loop, () -> connecting.connect(encoded(nobody), results::add));
            awaitUntil(() -> results.size() == 1);
            assertThat(results).containsExactly((long) -Sockets.ECONNREFUSED);
            runOnLoop(loop, connecting::close);
            LibC.close(refused);
        }
    }

    @Test
    void shouldReadWhatAnEventDescriptorHasCounted() {
        int event = eventfd(0);
        LoopIo.Handle counting = onLoop(loop, () -> io.open(event, 1));
        MemorySegment count = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
        runOnLoop(loop, () -> counting.read(count, results::add));
        assertThat(results).isEmpty();
        writeOne(event);
        awaitUntil(() -> results.size() == 1);
        assertThat(results).containsExactly((long) Long.BYTES);
        assertThat(count.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
        runOnLoop(loop, counting::close);
        LibC.close(event);
    }

    @Test
    void shouldNeverCompleteAReadWithinTheCall() throws IOException {
        send("abc");
        runOnLoop(loop, () -> {
            handle.read(Arena.ofAuto().allocate(8), results::add);
            assertThat(results).isEmpty();
        });
        awaitUntil(() -> results.size() == 1);
    }

    @Test
    void shouldGoOnAfterACompletionThatThrows() throws IOException {
        runOnLoop(loop, () -> handle.read(Arena.ofAuto().allocate(1), result -> {
            throw new IllegalStateException("on purpose");
        }));
        send("ab");
        awaitUntil(() -> reported.size() == 1);
        reported.clear();
        runOnLoop(loop, () -> handle.read(Arena.ofAuto().allocate(1), results::add));
        awaitUntil(() -> results.size() == 1);
        assertThat(results).containsExactly(1L);
    }

    /** Both a read that waits for data and a write that waits for room: their memory is freed, and nobody may touch it then. */
    @Test
    void shouldGiveMemoryBackWhenClosedWithRequestsUnderWay() throws IOException {
        Arena arena = Arena.ofShared();
        MemorySegment target = arena.allocate(1 << 16);
        MemorySegment large = arena.allocate(32 << 20);
        runOnLoop(loop, () -> {
            handle.read(target, results::add);
            write(large);
        });
        awaitUntil(() -> !results.isEmpty());
        runOnLoop(loop, () -> {
            handle.close();
            results.clear();
            arena.close();
        });
        send("late");
        peer.setSoTimeout(100);
        try {
            while (peer.getInputStream().read(new byte[1 << 16]) >= 0) {
                assertThat(results).isEmpty();
            }
        } catch (SocketTimeoutException e) {
            assertThat(results).isEmpty();
        }
    }

    @Test
    void shouldServeAThousandDescriptors() {
        int[] events = new int[MANY];
        LoopIo.Handle[] counting = new LoopIo.Handle[MANY];
        MemorySegment counts = Arena.ofAuto().allocate((long) Long.BYTES * MANY, Long.BYTES);
        for (int i = 0; i < MANY; i++) {
            events[i] = eventfd(0);
        }
        runOnLoop(loop, () -> {
            for (int i = 0; i < MANY; i++) {
                long number = i;
                counting[i] = io.open(events[i], 1);
                counting[i].read(counts.asSlice(number * Long.BYTES, Long.BYTES), result -> results.add(number));
            }
        });
        for (int i = 0; i < MANY; i++) {
            writeOne(events[i]);
        }
        awaitUntil(() -> results.size() == MANY);
        assertThat(results).doesNotHaveDuplicates();
        runOnLoop(loop, () -> {
            for (LoopIo.Handle each : counting) {
                each.read(counts.asSlice(0, Long.BYTES), results::add);
                each.close();
            }
        });
        for (int event : events) {
            LibC.close(event);
        }
        assertThat(results).hasSize(MANY);
    }

    /** What is ready at once must be served although nothing comes after it, however many requests are made with it. */
    @Test
    void shouldServeTheOneThatIsReadyAmongAThousand() {
        int[] events = new int[MANY];
        LoopIo.Handle[] counting = new LoopIo.Handle[MANY];
        MemorySegment counts = Arena.ofAuto().allocate((long) Long.BYTES * MANY, Long.BYTES);
        for (int i = 0; i < MANY; i++) {
            events[i] = eventfd(i == 0 ? 1 : 0);
        }
        loop.execute(() -> {
            for (int i = 0; i < MANY; i++) {
                counting[i] = io.open(events[i], 1);
                counting[i].read(counts.asSlice((long) i * Long.BYTES, Long.BYTES), results::add);
            }
        });
        awaitUntil(() -> results.size() == 1);
        runOnLoop(loop, () -> {
            for (LoopIo.Handle each : counting) {
                each.close();
            }
        });
        for (int event : events) {
            LibC.close(event);
        }
        assertThat(results).containsExactly((long) Long.BYTES);
    }

    @Test
    void shouldForgetWhatIsOutstandingWhenClosed() throws IOException {
        runOnLoop(loop, () -> handle.read(Arena.ofAuto().allocate(8), results::add));
        runOnLoop(loop, () -> {
            handle.close();
            handle.close();
        });
        send("late");
        runOnLoop(loop, () -> { });
        LoopIo.Handle other = onLoop(loop, () -> io.open(fd, 1));
        MemorySegment buffer = Arena.ofAuto().allocate(8);
        List<Long> second = new CopyOnWriteArrayList<>();
        runOnLoop(loop, () -> other.read(buffer, second::add));
        awaitUntil(() -> second.size() == 1);
        assertThat(second).containsExactly(4L);
        assertThat(results).isEmpty();
        runOnLoop(loop, other::close);
    }

    @Test
    void shouldAllowToCloseInACompletion() throws IOException {
        runOnLoop(loop, () -> handle.read(Arena.ofAuto().allocate(1), result -> {
            results.add(result);
            handle.close();
        }));
        send("ab");
        awaitUntil(() -> results.size() == 1);
        runOnLoop(loop, () -> { });
        assertThat(results).containsExactly(1L);
    }

    @Test
    void shouldRefuseASecondRequestOfTheSameDirection() {
        runOnLoop(loop, () -> {
            MemorySegment buffer = Arena.ofAuto().allocate(8);
            handle.read(buffer, results::add);
            assertThatIllegalStateException().isThrownBy(() -> handle.read(buffer, results::add));
            handle.write(text("x"), results::add);
        });
        awaitUntil(() -> results.size() == 1);
        assertThat(results).containsExactly(1L);
    }

    @Test
    void shouldNotSpinOnDataNobodyAskedFor() throws IOException, InterruptedException {
        runOnLoop(loop, () -> handle.read(Arena.ofAuto().allocate(1), results::add));
        send("more than was asked for");
        awaitUntil(() -> results.size() == 1);
        long before = loop.statistics().turns();
        assertThat(Eventually.within(Duration.ofMillis(100), () -> loop.statistics().turns() - before >= 50)).isFalse();
    }
}
