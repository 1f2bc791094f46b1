// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a backend closes, with listeners that only count. */
@Timeout(60)
class BackendCloseTest {
    private static final SocketAddress ANYWHERE = new InetSocketAddress("127.0.0.1", 0);
    private static final ConnectionParameters SMALL = new ConnectionParameters(16, 1, 16, 1);

    private final List<Throwable> reported = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();
    private EventLoop loop;

    @BeforeEach
    void start() {
        loop = EventLoop.create("close");
        loop.onError(reported::add);
        loop.start();
    }

    @AfterEach
    void stop() {
        loop.close();
    }

    /** The first of two listeners throws when it is closed. */
    private final class StubBackend extends BackendBase<AutoCloseable, EndpointBase> {
        private int opened;

        StubBackend() {
            super(BackendConfig.defaults(), loop, (BackendCallbacks) Proxy.newProxyInstance(
                    BackendCallbacks.class.getClassLoader(), new Class<?>[] {BackendCallbacks.class},
                    (proxy, method, arguments) -> {
                        throw new AssertionError(method);
                    }), 0, false);
            closeWithLoop();
        }

        @Override
        protected AutoCloseable resolveLocal(SocketAddress address) {
            return () -> { };
        }

        @Override
        protected AutoCloseable resolveRemote(SocketAddress address) {
            throw new AssertionError();
        }

        @Override
        protected Listener listen(AutoCloseable where, SocketAddress address, ConnectionParameters parameters,
                @Nullable Object attachment, BackendChooser chooser) {
            int number = ++opened;
            return new Listener() {
                @Override
                public ListenEndpoint handle() {
                    return new ListenEndpoint(address, this, attachment);
                }

                @Override
                public BackendContext context() {
                    return StubBackend.this.context();
                }

                @Override
                public void close(boolean withConnections) {
                    closed.add("listener " + number);
                    if (number == 1) {
                        throw new IllegalStateException("a listener that cannot be closed");
                    }
                }
            };
        }

        @Override
        protected EndpointBase endpoint(SocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters p) {
            throw new AssertionError();
        }

        @Override
        protected void connect(EndpointBase endpoint, AutoCloseable where) {
            throw new AssertionError();
        }

        @Override
        protected void closeResources() {
            closed.add("rest");
        }
    }

    private <T> T on(Supplier<T> code) {
        return CompletableFuture.supplyAsync(code, loop).orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void shouldCloseTheRestWhenAListenerThrows() {
        StubBackend backend = new StubBackend();
        backend.openListenEndpoint(ANYWHERE, SMALL, null);
        backend.openListenEndpoint(ANYWHERE, SMALL, null);
        loop.execute(backend::close);
        loop.close();
        assertThat(closed).containsExactly("listener 1", "listener 2", "rest");
        assertThat(reported).singleElement().satisfies(e -> assertThat(e).hasMessageContaining("cannot be closed"));
    }

    @Test
    void shouldNotBeHeldByItsLoopOnceClosed() throws InterruptedException {
        WeakReference<Object> reference = on(() -> {
            StubBackend backend = new StubBackend();
            backend.close();
            return new WeakReference<>(backend);
        });
        Eventually.await("the backend is collected", () -> {
            on(() -> true); // the inbox and the end of the turn let go as well
            System.gc();
            return reference.refersTo(null);
        });
        Reference.reachabilityFence(loop);
    }
}
