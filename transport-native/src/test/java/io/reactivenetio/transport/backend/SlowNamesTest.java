// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Host names that no server answers for, in a JVM of its own with a resolver of its own. */
@Timeout(120)
class SlowNamesTest {
    private static final int NAMES = 20;

    /** Names that end in ".slow" take for ever, those in ".quick" no time. */
    public static final class Names extends InetAddressResolverProvider {
        private static final Semaphore ASKED = new Semaphore(0);
        private static final Semaphore NEVER = new Semaphore(0);

        @Override
        public String name() {
            return "slow and quick";
        }

        @Override
        public InetAddressResolver get(Configuration configuration) {
            InetAddressResolver builtin = configuration.builtinResolver();
            return new InetAddressResolver() {
                @Override
                public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                    if (host.endsWith(".slow")) {
                        ASKED.release();
                        NEVER.acquireUninterruptibly();
                    }
                    return host.endsWith(".quick") ? Stream.of(InetAddress.ofLiteral("127.0.0.1"))
                            : builtin.lookupByName(host, policy);
                }

                @Override
                public String lookupByAddress(byte[] address) throws UnknownHostException {
                    return builtin.lookupByAddress(address);
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHoldUpOnlyWhoAsksForThem(BackendType backend, @TempDir Path directory) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(InetAddressResolverProvider.class.getName()), Names.class.getName());
        try (ChildJvm child = new ChildJvm("true", "-Xmx64m -Xbootclasspath/a:" + directory, Connecting.class, backend.name())) {
            assertThat(child.hear()).isEqualTo("127.0.0.1: onConnectionEstablished");
            assertThat(child.hear()).isEqualTo("some.quick: onConnectionEstablished");
            assertThat(child.hear()).isEqualTo("0.slow: onConnectionRefused");
        }
    }

    /** The child. */
    static final class Connecting {
        private static final ConnectionParameters SMALL = new ConnectionParameters(16, 1, 16, 1);

        private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
        private final EventLoop loop = EventLoop.create("slow names");
        private final NetworkBackend backend;
        private final int port;

        private Connecting(BackendType type) {
            BackendCallbacks callbacks = new BackendCallbacks() {
                @Override
                public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
                    tell(endpoint, "onConnectionEstablished");
                }

                @Override
                public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
                    tell(endpoint, "onConnectionRefused");
                }

                private void tell(Endpoint endpoint, String what) {
                    if (endpoint.listenEndpoint() == null) {
                        told.add(((InetSocketAddress) endpoint.remoteAddress()).getHostString() + ": " + what);
                    }
                }
            };
            backend = NetworkBackend.create(type, BackendConfig.defaults().withThreadSafety(ThreadSafetyModel.SAFE)
                    .withConnectTimeout(Duration.ofMinutes(2)), loop, callbacks);
            loop.start();
            port = Addresses.port(backend.openListenEndpoint(new InetSocketAddress("127.0.0.1", 0), SMALL, null).localAddress());
        }

        private Endpoint open(String host) {
            return backend.openActiveEndpoint(InetSocketAddress.createUnresolved(host, port), SMALL);
        }

        public static void main(String[] arguments) throws InterruptedException {
            Connecting child = new Connecting(BackendType.valueOf(arguments[0]));
            Endpoint first = child.open("0.slow");
            for (int i = 1; i < NAMES; i++) {
                child.open(i + ".slow");
            }
            child.open("127.0.0.1");
            System.out.println(child.told.poll(30, TimeUnit.SECONDS));
            child.open("some.quick");
            System.out.println(child.told.poll(30, TimeUnit.SECONDS));
            Names.ASKED.acquire(NAMES); // all of them are asked for at the same time
            child.backend.closeActiveEndpoint(first);
            System.out.println(child.told.poll(30, TimeUnit.SECONDS));
            child.loop.close();
        }
    }
}
