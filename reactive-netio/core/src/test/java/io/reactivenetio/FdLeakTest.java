// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** What a connection takes of the operating system, descriptors and native memory, it gives back. */
@Timeout(180)
class FdLeakTest {
    private static final NetioServer SERVER = NetioServer.create().backend(BackendType.LIBFABRIC);
    private static final NetioClient CLIENT = NetioClient.create().backend(BackendType.LIBFABRIC);
    private static final int CONNECTIONS = 200;
    private static final int BUFFERS = 64;
    private static final int BUFFER_SIZE = 60 * 1024;

    private final BlockingQueue<NetioConnection> accepted = new LinkedTransferQueue<>();
    private NetioLoops loops;
    private DisposableServer server;

    @BeforeEach
    void start() throws Exception {
        loops = NetioLoops.create("test", 2);
        server = SERVER.framing(Framing.raw()).runOn(loops).receiveBuffers(BUFFER_SIZE, BUFFERS)
                .sendBuffers(BUFFER_SIZE, BUFFERS)
                .doOnConnection(accepted::add).bindNow();
        for (int i = 0; i < 4; i++) { // each loop opens its fabric and everything else that stays
            NetioConnection connection = connect();
            connection.dispose();
            end(connection, take());
        }
    }

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioConnection connect() {
        return client(server.port()).connectNow();
    }

    private NetioClient client(int port) {
        return CLIENT.framing(Framing.raw()).runOn(loops).port(port)
                .receiveBuffers(BUFFER_SIZE, BUFFERS).sendBuffers(BUFFER_SIZE, BUFFERS);
    }

    private NetioConnection take() throws InterruptedException {
        NetioConnection connection = accepted.poll(30, TimeUnit.SECONDS);
        assertThat(connection).as("accepted").isNotNull();
        return connection;
    }

    private static void end(NetioConnection client, NetioConnection server) {
        client.onDispose().block(PATIENCE);
        server.onDispose().block(PATIENCE);
    }

    private static Flux<ByteBuffer> messages() {
        return Flux.range(0, 20).map(n -> ByteBuffer.allocate(1024));
    }

    /** Open descriptors and what they are, but for files: the JVM opens jars when it likes. */
    private static Map<String, String> descriptors() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : stream) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (!target.startsWith("/")) {
                        found.put(descriptor.getFileName().toString(), target);
                    }
                } catch (NoSuchFileException e) {
                    // the descriptor of this listing itself, for one
                }
            }
        }
        return found;
    }

    private static void awaitDescriptors(int number) throws Exception {
        Eventually.within(Duration.ofSeconds(10), () -> descriptors().size() <= number);
        assertThat(descriptors()).hasSizeLessThanOrEqualTo(number);
    }

    /** Memory in use. Slabs are zeroed when allocated, so they are all in it; no counter of the JVM has the memory of arenas. */
    private static long residentBytes() throws IOException {
        String line = Files.readAllLines(Path.of("/proc/self/status")).stream().filter(l -> l.startsWith("VmRSS:"))
                .findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    }

    /** Allows for a quarter of what one slab of each connection would be, which is more than heap and malloc take meanwhile. */
    private static void assertMemoryIsBack(long before) throws IOException {
        assertThat(residentBytes() - before).isLessThan((long) CONNECTIONS * BUFFERS * BUFFER_SIZE / 4);
    }

    @Test
    void shouldGiveBackTheDescriptorsOfConnectionsThatTheClientCloses() throws Exception {
        int before = descriptors().size();
        for (int i = 0; i < CONNECTIONS; i++) {
            NetioConnection client = connect();
            NetioConnection other = take();
            client.send(messages()).block(PATIENCE);
            client.dispose();
            end(client, other);
        }
        awaitDescriptors(before);
    }

    @Test
    void shouldGiveBackTheDescriptorsOfConnectionsThatTheServerCloses() throws Exception {
        int before = descriptors().size();
        for (int i = 0; i < CONNECTIONS; i++) {
            NetioConnection client = connect();
            NetioConnection other = take();
            other.send(messages()).block(PATIENCE);
            other.dispose();
            end(client, other);
        }
        awaitDescriptors(before);
    }

    @Test
    void shouldGiveBackTheDescriptorsOfConnectionsThatAreOpenAtTheSameTime() throws Exception {
        int before = descriptors().size();
        NetioConnection[] clients = new NetioConnection[CONNECTIONS];
        NetioConnection[] others = new NetioConnection[CONNECTIONS];
        for (int i = 0; i < CONNECTIONS; i++) {
            clients[i] = client(server.port()).receiveBuffers(1024, 4).sendBuffers(1024, 4).connectNow();
            others[i] = take();
        }
        assertThat(descriptors()).hasSizeGreaterThanOrEqualTo(before + 2 * CONNECTIONS);
        for (int i = 0; i < CONNECTIONS; i++) {
            (i % 2 == 0 ? clients[i] : others[i]).dispose();
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            end(clients[i], others[i]);
        }
        awaitDescriptors(before);
    }

    @Test
    void shouldGiveBackTheDescriptorsAndMemoryOfConnectionsThatFail() throws Exception {
        DisposableServer gone = SERVER.runOn(loops).bindNow();
        gone.dispose();
        gone.onDispose().block(PATIENCE);
        NetioClient client = client(gone.port());
        int before = descriptors().size();
        long memory = residentBytes();
        for (int i = 0; i < CONNECTIONS; i++) {
            assertThatThrownBy(client::connectNow).isInstanceOf(NetioConnectException.class);
        }
        awaitDescriptors(before);
        assertMemoryIsBack(memory);
    }

    @Test
    void shouldGiveBackTheDescriptorsOfServersAndLoops() throws Exception {
        int before = descriptors().size();
        for (int i = 0; i < 20; i++) {
            NetioLoops own = NetioLoops.create("own", 1);
            DisposableServer listening = SERVER.runOn(own).bindNow();
            CLIENT.runOn(own).port(listening.port()).connectNow();
            if (i % 2 == 0) {
                listening.dispose();
            }
            own.dispose();
        }
        awaitDescriptors(before);
    }

    @Test
    void shouldGiveBackTheMemoryOfConnectionsThatAreClosedHereWithMessagesWaiting() throws Exception {
        long before = residentBytes();
        for (int i = 0; i < CONNECTIONS; i++) {
            NetioConnection client = connect();
            NetioConnection other = take();
            client.send(messages()).block(PATIENCE); // they wait, for a demand that never comes
            other.dispose();
            end(client, other);
        }
        assertMemoryIsBack(before);
    }

    @Test
    void shouldGiveBackTheMemoryOfConnectionsThatThePeerClosedWithMessagesWaiting() throws Exception {
        long before = residentBytes();
        for (int i = 0; i < CONNECTIONS; i++) {
            NetioConnection client = connect();
            NetioConnection other = take();
            client.send(messages()).block(PATIENCE);
            client.dispose();
            end(client, other);
            other.dispose(); // drops the messages that nobody asked for, and with them the buffers
        }
        assertMemoryIsBack(before);
    }

    @Test
    void shouldGiveBackTheMemoryOfHandlersThatLeaveMessagesBehind() throws Exception {
        DisposableServer careless = SERVER.framing(Framing.raw()).runOn(loops).receiveBuffers(BUFFER_SIZE, BUFFERS)
                .handle((in, out) -> out.send(Flux.never())).bindNow();
        NetioClient client = CLIENT.framing(Framing.raw()).runOn(loops).port(careless.port());
        long before = residentBytes();
        for (int i = 0; i < CONNECTIONS; i++) {
            NetioConnection connection = client.connectNow();
            connection.send(messages()).block(PATIENCE);
            connection.dispose();
            connection.onDispose().block(PATIENCE);
        }
        assertMemoryIsBack(before);
    }
}
