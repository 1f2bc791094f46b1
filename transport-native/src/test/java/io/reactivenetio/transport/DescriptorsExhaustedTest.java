// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;

/** A listener in a process that runs out of file descriptors, in a JVM of its own. */
@Timeout(120)
class DescriptorsExhaustedTest {
    private static final int LIMIT = 100;

    @Test
    void shouldNeitherSpinNorGiveUpListening() throws Exception {
        List<String> classPath = new ArrayList<>(List.of(root(EventLoop.class), root(Listening.class)));
        for (Class<?> type : List.of(Logger.class, MessagePassingQueue.class, MpscUnboundedVarHandleArrayQueue.class,
                Nullable.class)) {
            classPath.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        String command = "ulimit -n " + LIMIT + "; exec '" + System.getProperty("java.home") + "/bin/java'"
                + " --enable-native-access=ALL-UNNAMED -Xmx64m -XX:-MaxFDLimit -cp '" + String.join(":", classPath) + "' '"
                + Listening.class.getName() + "'";
        Process child = new ProcessBuilder("bash", "-c", command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<Socket> sockets = new ArrayList<>();
        try (var lines = child.inputReader(StandardCharsets.US_ASCII)) {
            int port = Integer.parseInt(lines.readLine());
            for (int i = 0; i < LIMIT; i++) {
                sockets.add(new Socket("127.0.0.1", port)); // the kernel takes them all, the process cannot
            }
            child.outputWriter().append("measure\n").flush();
            String[] measured = lines.readLine().split(" ");
            assertThat(Integer.parseInt(measured[0])).as("accepted").isBetween(1, LIMIT - 1);
            assertThat(Long.parseLong(measured[1])).as("turns in 500 ms").isLessThan(100);
            for (Socket socket : sockets) {
                socket.close();
            }
            sockets.clear();
            sockets.add(new Socket("127.0.0.1", port));
            child.outputWriter().append("wait\n").flush();
            assertThat(lines.readLine()).isEqualTo("all accepted");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
            child.destroyForcibly();
            assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The directory that a class of this project is in. */
    private static String root(Class<?> type) throws URISyntaxException {
        String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
        return Path.of(Objects.requireNonNull(type.getResource(file)).toURI()).resolve("../../../..").normalize().toString();
    }

    /** The child. */
    static final class Listening {
        private Listening() {
        }

        public static void main(String[] arguments) throws IOException, InterruptedException {
            AtomicInteger established = new AtomicInteger();
            BackendCallbacks callbacks = (BackendCallbacks) Proxy.newProxyInstance(Listening.class.getClassLoader(),
                    new Class<?>[] {BackendCallbacks.class}, (proxy, method, values) -> {
                        if (method.getName().equals("onConnectionEstablished")) {
                            established.incrementAndGet();
                        }
                        return null;
                    });
            EventLoop loop = EventLoop.create("server");
            NetworkBackend backend = NetworkBackend.create(BackendType.ASYNCMSG, BackendConfig.defaults(), loop, callbacks);
            loop.start();
            ListenEndpoint listener = backend.openListenEndpoint(new InetSocketAddress("127.0.0.1", 0),
                    new ConnectionParameters(16, 1, 16, 1), null);
            System.out.println(listener.localAddress().getPort());
            while (System.in.read() != '\n') {
                // the connections are there
            }
            Thread.sleep(500);
            int accepted = established.get();
            long turns = loop.statistics().turns();
            Thread.sleep(500);
            System.out.println(accepted + " " + (loop.statistics().turns() - turns));
            while (System.in.read() != '\n') {
                // they are closed again, and one is new
            }
            while (established.get() <= LIMIT) {
                Thread.sleep(10);
            }
            System.out.println("all accepted");
        }
    }
}
