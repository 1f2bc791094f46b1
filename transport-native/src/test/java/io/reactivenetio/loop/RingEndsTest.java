// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.awaitUntil;
import static io.reactivenetio.loop.LoopTesting.eventfd;
import static io.reactivenetio.loop.LoopTesting.onLoop;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is under way in a ring when its loop, or one of its handles, is closed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RingEndsTest {
    private final EventLoop loop = EventLoop.create(LoopTesting.onIoUring("ends"));
    private final List<Long> results = new CopyOnWriteArrayList<>();
    private final int listener = Sockets.socket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private InetSocketAddress bound;

    @BeforeEach
    void listen() {
        assertThat(Sockets.bind(listener, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))).isZero();
        assertThat(Sockets.listen(listener, 10)).isZero();
        bound = (InetSocketAddress) Sockets.localAddress(listener);
        assertThat(bound).isNotNull();
    }

    @AfterEach
    void close() {
        loop.close();
        LibC.close(listener);
    }

    private Socket connected() {
        try {
            return new Socket(bound.getAddress(), bound.getPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The kernel accepts it while another request is cancelled, and the loop takes no turn any more that would tell of it. */
    @Test
    void shouldCloseAConnectionThatIsAcceptedWhileTheLoopCloses() throws IOException {
        int event = eventfd(0);
        List<Socket> clients = new ArrayList<>();
        loop.start();
        runOnLoop(loop, () -> {
            LoopIo.Handle accepting = loop.io().open(listener, 1);
            accepting.accept(results::add);
            LoopIo.Handle reading = loop.io().open(event, 1);
            reading.read(Arena.ofAuto().allocate(Long.BYTES), results::add);
            loop.onClose(() -> {
                clients.add(connected());
                reading.close();
                accepting.close();
            });
        });
        awaitTurns(10);
        loop.close();
        assertThat(results).isEmpty();
        LibC.close(listener); // what it has not accepted is reset
        try (Socket client = clients.getFirst()) {
            client.setSoTimeout(10_000);
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
        LibC.close(event);
    }

    private void awaitTurns(int number) {
        for (int i = 0; i < number; i++) {
            runOnLoop(loop, () -> { });
        }
    }

    /** A kernel may say so where a descriptor is O_NONBLOCK, and older ones do. What the poll brings is no descriptor. */
    @Test
    void shouldNotTakeThePollBeforeAnAcceptForAConnection() throws IOException {
        loop.start();
        RingIo io = (RingIo) loop.io();
        RingRequest accepting = onLoop(loop, () -> io.request(listener));
        runOnLoop(loop, () -> {
            accepting.submit(IoRequest.Kind.ACCEPT, MemorySegment.NULL, 0, 0, results::add);
            assertThat(accepting.data() & RingRequest.ACCEPTS).isNotZero();
            accepting.completed(-LibC.EAGAIN);
            assertThat(accepting.data() & RingRequest.ACCEPTS).isZero();
            assertThat(accepting.is(accepting.data())).isTrue();
        });
        try (Socket client = connected()) {
            awaitUntil(() -> results.size() == 1);
            assertThat(Sockets.peerAddress(results.getFirst().intValue())).isEqualTo(client.getLocalSocketAddress());
        }
        LibC.close(results.getFirst().intValue());
        runOnLoop(loop, () -> io.remove(accepting));
    }

    /** Memory may be freed as soon as the loop has closed, whoever forgot to close the handle. */
    @Test
    void shouldCancelWhatIsUnderWayOnHandlesThatAreOpen() {
        loop.start();
        int event = eventfd(0);
        RingIo io = (RingIo) loop.io();
        RingRequest reading = onLoop(loop, () -> io.request(event));
        runOnLoop(loop, () ->
                reading.submit(IoRequest.Kind.READ, Arena.ofAuto().allocate(Long.BYTES), 0, Long.BYTES, results::add));
        awaitUntil(() -> onLoop(loop, reading::isAsked));
        loop.close();
        assertThat(reading.isAsked()).isFalse();
        assertThat(results).isEmpty();
        LibC.close(event);
    }

    @Test
    void shouldLeaveNothingOfALoopWhoseIoCannotBeMade() {
        for (LoopMechanism mechanism : List.of(LoopMechanism.EPOLL, LoopMechanism.IO_URING)) {
            EventLoopConfig config = EventLoopConfig.defaults().withMechanism(mechanism);
            int before = LoopTesting.openFds();
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> EventLoop.create(config, io -> {
                throw new UnsupportedOperationException("on purpose");
            }));
            assertThat(LoopTesting.openFds()).as("descriptors with %s", mechanism)
                    .isLessThanOrEqualTo(before); // of other tests a collector may close some meanwhile
        }
    }
}
