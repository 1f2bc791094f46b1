// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Servers and clients on a loop that another one hosts: {@link NetioLoops#of}. */
@Timeout(120)
class HostedLoopsTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int MESSAGES = 5_000;

    private final EventLoop host = EventLoop.create("host");

    /** {@code shares}: whether the host reads and writes for its guest. */
    private EventLoop guest(boolean shares) {
        EventLoop guest = EventLoop.create(EventLoopConfig.defaults().withName("guest"), own -> shares ? host.io() : own);
        host.onInit(() -> {
            FdRegistration watched = host.register(guest.epollFd(), FdRegistration.READABLE, events -> turn(guest));
            guest.onClose(watched::close);
            turn(guest);
        });
        return guest;
    }

    private void turn(EventLoop guest) {
        if (!guest.poll() && !guest.isTerminated()) {
            host.execute(() -> turn(guest));
        }
    }

    private void shouldAnswerOnTheHostsThread(BackendType backend, boolean shares) {
        NetioLoops hosted = NetioLoops.of(guest(shares));
        host.start();
        Set<String> threads = ConcurrentHashMap.newKeySet();
        DisposableServer server = NetioServer.create().runOn(hosted).backend(backend).port(0)
                .handle((in, out) -> out.send(in.receive(NetioCodec.longs())
                        .doOnNext(number -> threads.add(Thread.currentThread().getName())), NetioCodec.longs()))
                .bindNow();
        NetioConnection connection = NetioClient.create().runOn(hosted).backend(backend).port(server.port()).connectNow();
        connection.send(Flux.range(0, MESSAGES).map(Integer::longValue), NetioCodec.longs()).subscribe();
        List<Long> answers = connection.receive(NetioCodec.longs()).take(MESSAGES).collectList().block(BOUND);
        assertThat(answers).hasSize(MESSAGES).endsWith(MESSAGES - 1L);
        assertThat(threads).containsExactly("host");
        hosted.dispose();
        assertThat(server.isDisposed()).isTrue();
        connection.onDispose().onErrorComplete().block(BOUND);
        host.close();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPollTheGuestsDescriptor(BackendType backend) {
        shouldAnswerOnTheHostsThread(backend, false);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldReadAndWriteForTheGuest(BackendType backend) {
        shouldAnswerOnTheHostsThread(backend, true);
    }

    /** The host's thread goes away and leaves its guest behind: whoever disposes of the guest's loops ends it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndWhenTheHostIsGone(boolean shares) {
        NetioLoops hosted = NetioLoops.of(guest(shares));
        Thread thread = host.start();
        DisposableServer server = NetioServer.create().runOn(hosted).backend(BackendType.TCP).port(0)
                .handle((in, out) -> in.receive().then()).bindNow();
        NetioLoops own = NetioLoops.create("client", 1);
        NetioConnection connection =
                NetioClient.create().runOn(own).backend(BackendType.TCP).port(server.port()).connectNow();
        host.close();
        assertThat(joined(thread)).isTrue();
        hosted.dispose();
        connection.onDispose().onErrorComplete().block(BOUND);
        assertThat(server.isDisposed()).isTrue();
        own.dispose();
    }

    private static boolean joined(Thread thread) {
        try {
            return thread.join(BOUND);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldNotBeMadeOfNone() {
        assertThatIllegalArgumentException().isThrownBy(NetioLoops::of).withMessage("the number of loops must be at least 1: 0");
    }
}
