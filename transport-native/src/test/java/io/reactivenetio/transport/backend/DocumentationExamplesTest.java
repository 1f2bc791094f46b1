// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.Signal;
import io.reactivenetio.loop.Timer;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The examples of netio3's documentation of its event loop and its backend, as one would write them here. */
@Timeout(120)
class DocumentationExamplesTest {

    @Test
    void helloWorld() {
        List<String> said = new ArrayList<>();
        EventLoop loop = EventLoop.create("hello");
        loop.onInit(() -> {
            said.add("hello world");
            loop.terminate();
        });
        loop.run();
        assertThat(said).containsExactly("hello world");
        assertThat(loop.isTerminated()).isTrue();
    }

    @Test
    void signal() throws InterruptedException {
        List<String> received = new ArrayList<>();
        EventLoop loop = EventLoop.create("signal");
        AtomicReference<@Nullable Signal> opened = new AtomicReference<>();
        loop.onInit(() -> opened.set(loop.openSignal("user data", data -> {
            received.add(data + " on " + Thread.currentThread().getName());
            loop.terminate();
        })));
        Thread other = Thread.ofPlatform().start(() -> {
            Signal signal;
            while ((signal = opened.get()) == null) {
                Thread.onSpinWait();
            }
            signal.fire();
        });
        loop.run();
        other.join();
        assertThat(received).containsExactly("user data on " + Thread.currentThread().getName());
    }

    @Test
    void countdownTimer() {
        List<Integer> counted = new ArrayList<>();
        EventLoop loop = EventLoop.create("countdown");
        int[] left = {3};
        loop.onInit(() -> {
            AtomicReference<@Nullable Timer> itself = new AtomicReference<>();
            Timer timer = loop.openTimer(left, count -> {
                counted.add(count[0]--);
                Timer running = itself.get();
                if (count[0] == 0 && running != null) {
                    running.close();
                    loop.terminate();
                }
            });
            itself.set(timer);
            timer.start(10, TimeUnit.MILLISECONDS);
        });
        long begin = System.nanoTime();
        loop.run();
        assertThat(counted).containsExactly(3, 2, 1);
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void senderAndReceiver(BackendType type) {
        List<String> received = new ArrayList<>();
        List<String> told = new ArrayList<>();
        EventLoop loop = EventLoop.create("both");
        ConnectionParameters receiving = new ConnectionParameters(1024, 16, 0, 0);
        ConnectionParameters sending = new ConnectionParameters(0, 0, 1024, 16);
        AtomicReference<@Nullable NetworkBackend> sender = new AtomicReference<>();
        BackendCallbacks receiverCallbacks = new BackendCallbacks() {
            @Override
            public void onData(Endpoint endpoint, ReceivedBuffer buffer) {
                received.add(StandardCharsets.UTF_8.decode(buffer.data()).toString());
            }

            @Override
            public void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
                loop.terminate();
            }
        };
        BackendCallbacks senderCallbacks = new BackendCallbacks() {
            @Override
            public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
                assertThat(capabilities.sendBuffered()).isTrue();
                assertThat(capabilities.receive()).isFalse();
                NetworkBackend backend = sender.get();
                SendBuffer buffer = backend.getBuffer(endpoint);
                buffer.write(StandardCharsets.UTF_8.encode("hello"));
                told.add(backend.sendBuffer(endpoint, buffer, SendCompletion.DELIVERED) + " " + buffer.key());
            }

            @Override
            public void onSendCompleted(Endpoint endpoint, SendKind kind, long key) {
                told.add(kind + " " + key);
                sender.get().closeActiveEndpoint(endpoint);
            }
        };
        loop.onInit(() -> {
            NetworkBackend receiver = NetworkBackend.create(type, BackendConfig.defaults(), loop, receiverCallbacks);
            ListenEndpoint listener = receiver.openListenEndpoint(new InetSocketAddress("127.0.0.1", 0), receiving, null);
            NetworkBackend made = NetworkBackend.create(type, BackendConfig.defaults(), loop, senderCallbacks);
            sender.set(made);
            made.openActiveEndpoint(listener.localAddress(), sending);
        });
        loop.run();
        assertThat(received).containsExactly("hello");
        assertThat(told).hasSize(2);
        assertThat(told.get(0)).startsWith("OK ");
        assertThat(told.get(1)).isEqualTo(told.get(0).replace("OK", "BUFFERED"));
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void refusedConnection(BackendType type) {
        List<String> told = new ArrayList<>();
        EventLoop loop = EventLoop.create("refused");
        loop.onInit(() -> {
            NetworkBackend backend = NetworkBackend.create(type, BackendConfig.defaults(), loop, new BackendCallbacks() {
                @Override
                public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
                    told.add(reason.getMessage());
                    loop.terminate();
                }
            });
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", 0);
            ListenEndpoint shortLived = backend.openListenEndpoint(address, ConnectionParameters.defaults(), null);
            backend.closeListenEndpoint(shortLived);
            backend.openActiveEndpoint(shortLived.localAddress(), ConnectionParameters.defaults());
        });
        loop.run();
        assertThat(told).hasSize(1);
        assertThat(told.get(0)).startsWith("nobody listens on 127.0.0.1:");
    }
}
