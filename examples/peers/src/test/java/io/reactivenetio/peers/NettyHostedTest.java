// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** This library on the thread of a Netty event loop. */
@Timeout(300)
class NettyHostedTest {
    private static final int MESSAGES = 2_000;
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final IoEventLoop host = (IoEventLoop) group.next();

    private static int openFds() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    private String hostThread() throws Exception {
        return host.submit(() -> Thread.currentThread().getName()).get();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAnswerOnTheThreadOfNetty(BackendType backend) throws Exception {
        String thread = hostThread();
        Set<String> threads = ConcurrentHashMap.newKeySet();
        NetioLoops hosted = NettyHosted.on(host);
        DisposableServer server = NetioServer.create().runOn(hosted).backend(backend).port(0)
                .handle((in, out) -> out.send(in.receive(NetioCodec.longs()).doOnNext(number -> {
                    threads.add(Thread.currentThread().getName());
                    host.execute(() -> threads.add(Thread.currentThread().getName()));
                }), NetioCodec.longs()))
                .bindNow();
        NetioLoops own = NetioLoops.create("client", 1);
        NetioConnection connection = NetioClient.create().runOn(own).backend(backend).port(server.port()).connectNow();
        connection.send(Flux.range(0, MESSAGES).map(Integer::longValue), NetioCodec.longs()).subscribe();
        List<Long> answers = connection.receive(NetioCodec.longs()).take(MESSAGES).collectList().block(BOUND);
        assertThat(answers).hasSize(MESSAGES).endsWith(MESSAGES - 1L);
        assertThat(threads).containsExactly(thread);
        connection.dispose();
        hosted.dispose();
        own.dispose();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    @Test
    void shouldEndWithNettysLoopAndLeaveNoDescriptor() throws Exception {
        hostThread();
        Set<String> before = descriptors();
        NetioLoops hosted = NettyHosted.on(host);
        DisposableServer server = NetioServer.create().runOn(hosted).backend(BackendType.TCP).port(0)
                .handle((in, out) -> in.receive().then()).bindNow();
        NetioLoops own = NetioLoops.create("client", 1);
        NetioConnection connection =
                NetioClient.create().runOn(own).backend(BackendType.TCP).port(server.port()).connectNow();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        connection.onDispose().onErrorComplete().block(BOUND);
        own.dispose();
        assertThat(hosted.isDisposed()).isTrue();
        assertThat(server.isDisposed()).isTrue();
        assertThatThrownBy(() -> NettyHosted.on(host)).isInstanceOf(RejectedExecutionException.class);
        Flux.interval(Duration.ofMillis(20)).takeUntil(n -> descriptors().size() <= before.size()).take(BOUND).blockLast();
        assertThat(descriptors().size()).as("%s and before %s", descriptors(), before).isLessThanOrEqualTo(before.size());
    }

    /** Over a hundred guests, one after the other: nothing of one is left when the next comes. */
    @Test
    void shouldTakeOneGuestAfterTheOther() throws Exception {
        hostThread();
        NettyHosted.on(host).dispose();
        int before = openFds();
        for (int i = 0; i < 100; i++) {
            NettyHosted.on(host).dispose();
        }
        Flux.interval(Duration.ofMillis(20)).takeUntil(n -> openFds() <= before).take(BOUND).blockLast();
        assertThat(openFds()).isLessThanOrEqualTo(before);
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    private static Set<String> descriptors() {
        Set<String> all = ConcurrentHashMap.newKeySet();
        for (String name : Objects.requireNonNull(new File("/proc/self/fd").list())) {
            try {
                all.add(name + " " + Files.readSymbolicLink(Path.of("/proc/self/fd", name)));
            } catch (IOException e) {
                // closed meanwhile, or that of the list itself
            }
        }
        return all;
    }
}
