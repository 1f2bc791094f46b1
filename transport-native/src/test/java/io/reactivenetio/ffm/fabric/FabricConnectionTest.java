// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.testing.TestSettings;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The raw binding over provider tcp and loopback: what the backend stands on. */
class FabricConnectionTest {
    private static final int RECEIVED = 4096;

    private static long openDescriptors() throws Exception {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    @Test
    void shouldCarryConnectionDataAndAddresses() {
        try (ConnectedPair pair = new ConnectedPair()) {
            assertThat(new String(pair.requestData, StandardCharsets.UTF_8)).startsWith("hello");
            assertThat(new String(pair.acceptData, StandardCharsets.UTF_8)).startsWith("welcome");
            assertThat(pair.where.getPort()).isPositive();
            assertThat(pair.client.peer()).isEqualTo(pair.where);
            assertThat(pair.server.peer()).isEqualTo(pair.client.name());
        }
    }

    @Test
    void shouldCarryOneMessage() {
        try (ConnectedPair pair = new ConnectedPair()) {
            Loopback l = pair.loopback;
            l.memory.setString(0, "one message");
            assertThat(pair.server.recv(pair.at(RECEIVED), 64, pair.region.descriptor(), 77)).isZero();
            assertThat(pair.client.send(pair.at(0), 12, pair.region.descriptor(), Long.MIN_VALUE)).isZero();

            boolean sent = false;
            boolean received = false;
            for (int i = 0; i < 2; i++) {
                assertThat(l.nextCompletion()).isEqualTo(1);
                if (l.completions.context(0) == 77) {
                    assertThat(l.completions.length(0)).isEqualTo(12);
                    assertThat(l.completions.flags(0) & (Fi.FI_RECV | Fi.FI_MSG)).isEqualTo(Fi.FI_RECV | Fi.FI_MSG);
                    received = true;
                } else {
                    assertThat(l.completions.context(0)).isEqualTo(Long.MIN_VALUE);
                    assertThat(l.completions.flags(0) & (Fi.FI_SEND | Fi.FI_MSG)).isEqualTo(Fi.FI_SEND | Fi.FI_MSG);
                    sent = true;
                }
            }
            assertThat(sent && received).isTrue();
            assertThat(l.memory.getString(RECEIVED)).isEqualTo("one message");
        }
    }

    @Test
    void shouldCompleteADeliveryCompleteSendOnlyAfterItsReceipt() {
        try (ConnectedPair pair = new ConnectedPair()) {
            Loopback l = pair.loopback;
            assertThat(pair.client.sendMessage(pair.at(0), 8, pair.region.descriptor(), 5,
                    Fi.FI_COMPLETION | Fi.FI_DELIVERY_COMPLETE)).isZero();
            long quiet = System.nanoTime() + 100_000_000L;
            while (System.nanoTime() < quiet) {
                assertThat(l.completions.read(8)).isEqualTo(-Fi.FI_EAGAIN);
            }

            assertThat(pair.server.recv(pair.at(RECEIVED), 64, pair.region.descriptor(), 6)).isZero();
            assertThat(l.nextCompletion()).isEqualTo(1);
            assertThat(l.completions.context(0)).isEqualTo(6);
            assertThat(l.nextCompletion()).isEqualTo(1);
            assertThat(l.completions.context(0)).isEqualTo(5);
        }
    }

    @Test
    void shouldReadCompletionsInBatches() {
        try (ConnectedPair pair = new ConnectedPair()) {
            Loopback l = pair.loopback;
            for (int i = 0; i < 16; i++) {
                assertThat(pair.server.recv(pair.at(RECEIVED + 64 * i), 64, pair.region.descriptor(), 100 + i)).isZero();
                assertThat(pair.client.send(pair.at(i), i + 1, pair.region.descriptor(), 200 + i)).isZero();
            }
            int expected = 100;
            int total = 0;
            long deadline = System.nanoTime() + 10_000_000_000L;
            while (total < 32 && System.nanoTime() < deadline) {
                int count = Math.max(0, l.completions.read(64));
                for (int i = 0; i < count; i++) {
                    if (l.completions.context(i) < 200) {
                        assertThat(l.completions.context(i)).isEqualTo(expected);
                        assertThat(l.completions.length(i)).isEqualTo(expected - 99);
                        expected++;
                    }
                }
                total += count;
            }
            assertThat(total).isEqualTo(32);
        }
    }

    @Test
    void shouldReportAMessageThatDoesNotFit() {
        try (ConnectedPair pair = new ConnectedPair()) {
            Loopback l = pair.loopback;
            assertThat(pair.server.recv(pair.at(RECEIVED), 4, pair.region.descriptor(), 9)).isZero();
            assertThat(pair.client.send(pair.at(0), 64, pair.region.descriptor(), 8)).isZero();
            int code = l.nextCompletion();
            while (code == 1) {
                code = l.nextCompletion();
            }
            assertThat(code).isEqualTo(-Fi.FI_EAVAIL);
            FiError error = l.completions.readError();
            assertThat(error.context()).isEqualTo(9);
            if (TestSettings.PROVIDER.equals("tcp")) {
                assertThat(error.err()).isEqualTo(Fi.FI_ETRUNC);
                assertThat(error.flags() & Fi.FI_RECV).isNotZero();
                assertThat(error.text()).isEqualToIgnoringCase("truncation error (265)");
            } else {
                assertThat(error.err()).isEqualTo(Fi.FI_EIO);
                assertThat(error.provErrno()).isNotZero();
                assertThat(error.text()).contains("(5, provider " + error.provErrno());
            }
        }
    }

    @Test
    void shouldTellThePeerOfAShutdownAndFlushReceivesByTheCloseAtTheLatest() {
        try (ConnectedPair pair = new ConnectedPair()) {
            Loopback l = pair.loopback;
            assertThat(pair.server.recv(pair.at(RECEIVED), 64, pair.region.descriptor(), 3)).isZero();
            pair.client.shutdown();
            boolean told = false;
            for (int i = 0; i < 2 && !told; i++) {
                l.expectEvent(Fi.FI_SHUTDOWN);
                told = l.events.fid() == pair.server.address();
            }
            assertThat(told).isTrue();
            // tcp flushes when the connection ends, verbs when the endpoint is closed.
            pair.server.close();
            assertThat(l.nextCompletion()).isEqualTo(-Fi.FI_EAVAIL);
            assertThat(l.completions.readError().err()).isEqualTo(Fi.FI_ECANCELED);
            assertThat(l.completions.readError()).isNull();
        }
    }

    @Test
    void shouldAllowSleepingOnlyWhileNothingIsThere() {
        try (ConnectedPair pair = new ConnectedPair()) {
            Loopback l = pair.loopback;
            assertThat(l.completions.fd()).isPositive().isNotEqualTo(l.events.fd());
            assertThat(l.completions.read(8)).isEqualTo(-Fi.FI_EAGAIN);
            assertThat(l.events.read()).isEqualTo(-Fi.FI_EAGAIN);
            assertThat(l.fabric.tryWait(l.completions)).isZero();
            assertThat(l.fabric.tryWait(l.events)).isZero();

            assertThat(pair.server.recv(pair.at(RECEIVED), 64, pair.region.descriptor(), 1)).isZero();
            assertThat(pair.client.send(pair.at(0), 1, pair.region.descriptor(), 2)).isZero();
            assertThat(l.fabric.tryWait(l.completions)).isEqualTo(-Fi.FI_EAGAIN);
        }
    }

    @Test
    void shouldReportARefusedConnectionInWords() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(TestSettings.ADDRESS))) {
            port = socket.getLocalPort();
        }
        try (Loopback l = new Loopback(); FiInfo nobody = l.destination(new InetSocketAddress(TestSettings.ADDRESS, port));
                FiEndpoint endpoint = l.endpoint(nobody)) {
            endpoint.connect(nobody);

            assertThat(l.nextEvent()).isEqualTo(-Fi.FI_EAVAIL);
            FiError error = l.events.readError();
            assertThat(error.fid()).isEqualTo(endpoint.address());
            assertThat(error.err()).isEqualTo(Fi.FI_ECONNREFUSED);
            assertThat(error.text()).startsWith("Connection refused (111");
            assertThat(l.events.readError()).isNull();
        }
    }

    @Test
    void shouldReportARejectedConnection() {
        try (Loopback l = new Loopback(); FiPassiveEndpoint listener = l.listener()) {
            InetSocketAddress where = listener.name();
            try (FiInfo destination = l.destination(where); FiEndpoint endpoint = l.endpoint(destination)) {
                endpoint.connect(where);
                l.expectEvent(Fi.FI_CONNREQ);
                try (FiInfo request = l.events.takeInfo()) {
                    listener.reject(request.handle());
                }
                assertThat(l.nextEvent()).isEqualTo(-Fi.FI_EAVAIL);
                assertThat(l.events.readError().err()).isEqualTo(Fi.FI_ECONNREFUSED);
            }
        }
    }

    @Test
    void shouldNameTheAddressThatIsInUse() {
        assumeTrue(TestSettings.PROVIDER.equals("tcp"), "verbs finds out in fi_getinfo already, and says FI_ENODATA");
        try (Loopback l = new Loopback(); FiPassiveEndpoint listener = l.listener();
                FiInfo hints = Loopback.hints(l.library).srcAddress(listener.name());
                FiInfo taken = l.library.getInfo(null, null, 0, hints)) {
            assertThatThrownBy(() -> {
                try (FiPassiveEndpoint second = l.fabric.openPassiveEndpoint(taken)) {
                    second.bind(l.events);
                    second.listen();
                }
            }).isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.code()).isEqualTo(Fi.FI_EADDRINUSE))
                    .hasMessageContaining(TestSettings.ADDRESS + ":" + listener.name().getPort());
        }
    }

    @Test
    void shouldRefuseAMemoryKeyInUse() {
        assumeTrue(TestSettings.PROVIDER.equals("tcp"), "the others choose the keys themselves");
        try (ConnectedPair pair = new ConnectedPair(); Arena arena = Arena.ofConfined()) {
            assumeTrue(pair.region.key() == 1, "libfabric 2 gives no keys to memory that is only used locally");
            var more = arena.allocate(ValueLayout.JAVA_LONG, 512);
            assertThatThrownBy(() -> pair.loopback.domain.register(more, Fi.FI_SEND, 1))
                    .isInstanceOf(FabricException.class).hasMessageContaining("fi_mr_reg of 4096 bytes");
        }
    }

    @Test
    void shouldKeepParentsOpenWhileChildrenAre() {
        try (ConnectedPair pair = new ConnectedPair()) {
            assertThatThrownBy(pair.loopback.domain::close)
                    .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.code()).isEqualTo(Fi.FI_EBUSY));
            assertThat(pair.loopback.domain.isClosed()).isFalse();
        }
    }

    @Test
    void shouldAcceptOnAnotherDomainAndThreadAfterTheListenerIsGone() throws Exception {
        Loopback l = new Loopback();
        FiPassiveEndpoint listener = l.listener();
        try (l; FiInfo destination = l.destination(listener.name()); FiEndpoint client = l.endpoint(destination)) {
            client.connect(destination);
            l.expectEvent(Fi.FI_CONNREQ);
            FiInfo request = l.events.takeInfo();
            listener.close();

            FutureTask<Integer> other = new FutureTask<>(() -> {
                try (request;
                        FiDomain domain = l.fabric.openDomain(request);
                        FiEventQueue events = l.fabric.openEventQueue();
                        FiCompletionQueue completions = domain.openCompletionQueue(64);
                        FiEndpoint server = domain.openEndpoint(request)) {
                    server.bind(events);
                    server.bind(completions, Fi.FI_TRANSMIT | Fi.FI_RECV);
                    server.enable();
                    server.accept();
                    long deadline = System.nanoTime() + 20_000_000_000L;
                    int event = events.read();
                    while (event == -Fi.FI_EAGAIN && System.nanoTime() < deadline) {
                        event = events.read();
                    }
                    return event;
                }
            });
            Thread thread = new Thread(other, "the other loop");
            thread.start();
            l.expectEvent(Fi.FI_CONNECTED);
            assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo(Fi.FI_CONNECTED);
            thread.join();
        }
    }

    @Test
    void shouldOpenAndCloseOnSeveralThreadsAtOnce() throws Exception {
        try (Loopback l = new Loopback()) {
            List<FutureTask<Integer>> tasks = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                tasks.add(new FutureTask<>(() -> {
                    for (int i = 0; i < 20; i++) {
                        try (FiDomain domain = l.fabric.openDomain(l.info);
                                FiEventQueue events = l.fabric.openEventQueue();
                                FiCompletionQueue completions = domain.openCompletionQueue(8)) {
                            assertThat(l.fabric.tryWait(events)).isZero();
                            assertThat(l.fabric.tryWait(completions)).isZero();
                        }
                    }
                    return 20;
                }));
                new Thread(tasks.get(t), "loop " + t).start();
            }
            for (FutureTask<Integer> task : tasks) {
                assertThat(task.get(30, TimeUnit.SECONDS)).isEqualTo(20);
            }
        }
    }

    @Test
    void shouldGiveBackEveryDescriptor() throws Exception {
        new ConnectedPair().close();
        long before = openDescriptors();
        for (int i = 0; i < 5; i++) {
            new ConnectedPair().close();
        }
        assertThat(openDescriptors()).isLessThanOrEqualTo(before);
    }

    @Test
    void shouldGuardEveryObjectAfterClose() {
        ConnectedPair pair = new ConnectedPair();
        Loopback l = pair.loopback;
        pair.close();
        pair.close();

        Stream<Runnable> uses = Stream.of(() -> pair.client.send(pair.region.address(), 1, 0, 0),
                () -> pair.client.recv(0, 1, 0, 0), () -> pair.client.sendMessage(0, 1, 0, 0, 0), pair.client::enable,
                pair.client::shutdown, pair.client::name, pair.client::peer, pair.server::accept,
                () -> pair.client.connect(pair.where), pair.listener::listen, pair.listener::name,
                () -> pair.listener.reject(1), () -> pair.listener.bind(l.events), () -> pair.client.bind(l.events),
                () -> l.events.read(), () -> l.events.readError(), () -> l.events.fd(), () -> l.completions.read(1),
                () -> l.completions.readError(), () -> l.completions.fd(), () -> l.fabric.tryWait(l.completions),
                () -> l.fabric.openEventQueue(), () -> l.domain.openCompletionQueue(8), pair.region::descriptor,
                pair.region::key, () -> l.domain.openEndpoint(l.info));
        uses.forEach(use -> assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed"));
    }

    @Test
    void shouldRefuseTransfersBeforeEnable() {
        try (Loopback l = new Loopback(); FiInfo nobody = l.destination(new InetSocketAddress(TestSettings.ADDRESS, 9));
                FiEndpoint endpoint = l.domain.openEndpoint(nobody)) {
            assertThatThrownBy(() -> endpoint.send(0, 0, 0, 0)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("not enabled");
        }
    }
}
