// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Buffers that there is memory for, but no heap to hold their views. */
@Timeout(120)
class HeapExhaustedTest {
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveTheMemoryBack(BackendType type) throws IOException {
        try (ChildJvm child = new ChildJvm("true", "-Xmx32m -XX:+UseSerialGC -XX:NativeMemoryTracking=summary", Hungry.class,
                type.name())) {
            assertThat(child.hear()).isEqualTo("12 of 12 refused, given back");
        }
    }

    /** A child. */
    static final class Hungry {
        /** 64 MiB each, and more than the heap has. */
        private static final int MANY = 1 << 20;
        private static final int TIMES = 4;

        private final BackendType type;
        private final EventLoop loop = EventLoop.create("hungry");
        private int refused;

        private Hungry(BackendType type) {
            this.type = type;
        }

        public static void main(String[] arguments) {
            System.out.println(new Hungry(BackendType.valueOf(arguments[0])).run());
            System.exit(0);
        }

        private String run() {
            BackendConfig config = BackendConfig.defaults().withThreadSafety(ThreadSafetyModel.SAFE).withExclusive(false);
            NetworkBackend backend = NetworkBackend.create(type, config, loop, BackendCallbacks.NONE);
            loop.start();
            long before = NativeMemory.arenas();
            for (int i = 0; i < TIMES; i++) {
                expectRefusal(() -> open(backend, new ConnectionParameters(1, MANY, 1, 1)));
                expectRefusal(() -> open(backend, new ConnectionParameters(1, 1, 1, MANY)));
                expectRefusal(() -> NetworkBackend.create(type, config.withSharedSendBuffers(new SharedBuffers(1, MANY)), loop,
                        BackendCallbacks.NONE));
            }
            long left = NativeMemory.arenas() - before;
            return refused + " of " + 3 * TIMES + " refused, " + (left < 1 << 20 ? "given back" : left + " bytes left");
        }

        private static void open(NetworkBackend backend, ConnectionParameters parameters) {
            backend.openActiveEndpoint(new InetSocketAddress("127.0.0.1", 1), parameters);
        }

        private void expectRefusal(Runnable attempt) {
            try {
                attempt.run();
            } catch (NetioException e) {
                refused += String.valueOf(e.getMessage()).contains("no memory") ? 1 : 0;
            }
        }
    }
}
