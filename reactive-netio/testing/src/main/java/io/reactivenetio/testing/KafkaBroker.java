// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A broker of Kafka that is also its controller, as a process of its own, from the jars of {@code kafka_2.13} on this JVM's class
 * path. It listens on 127.0.0.1, and does not create topics by itself.
 */
public final class KafkaBroker implements AutoCloseable {
    private static final String STARTED = "Kafka Server started";
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(90);
    private static final String CLUSTER = "bmV0aW8tdGVzdC1jbHVzdA"; // any 16 bytes in base64

    private final Path folder;
    private final int port;
    private @Nullable Process process;
    private int starts;

    private KafkaBroker(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    /**
     * Formats {@code folder}, starts a broker there, and waits until it answers.
     *
     * @param settings further lines of server.properties
     */
    public static KafkaBroker start(Path folder, String... settings) throws IOException, InterruptedException {
        int[] ports = freePorts();
        KafkaBroker broker = new KafkaBroker(folder, ports[0]);
        List<String> lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + ports[1],
                "listeners=PLAINTEXT://127.0.0.1:" + ports[0] + ",CONTROLLER://127.0.0.1:" + ports[1],
                "advertised.listeners=PLAINTEXT://127.0.0.1:" + ports[0],
                "controller.listener.names=CONTROLLER",
                "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                "log.dirs=" + folder.resolve("data"),
                "offsets.topic.replication.factor=1",
                "offsets.topic.num.partitions=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "transaction.state.log.num.partitions=1",
                "auto.create.topics.enable=false",
                // a broker that was killed may register again when its former session is over
                "broker.session.timeout.ms=3000",
                "broker.heartbeat.interval.ms=500"));
        lines.addAll(List.of(settings));
        Files.write(folder.resolve("server.properties"), lines);
        Process format = broker.java("format", "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c",
                folder.resolve("server.properties").toString());
        if (!format.waitFor(PATIENCE, TimeUnit.NANOSECONDS) || format.exitValue() != 0) {
            format.destroyForcibly();
            throw new IOException("cannot format: " + Files.readString(folder.resolve("format.log")));
        }
        broker.restart();
        return broker;
    }

    private static int[] freePorts() throws IOException {
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new int[] {one.getLocalPort(), other.getLocalPort()};
        }
    }

    private Process java(String name, String... what) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(what));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
    }

    /** For {@code bootstrap.servers}. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** The process. */
    public long pid() {
        Process running = process;
        return running == null ? -1 : running.pid();
    }

    /** Ends the broker at once, as kill -9 does. */
    public void kill() {
        close();
    }

    /** Starts the broker again, with the same data at the same address, and waits until it answers. */
    public void restart() throws IOException, InterruptedException {
        String name = "broker-" + ++starts;
        Process started = java(name, "kafka.Kafka", folder.resolve("server.properties").toString());
        process = started;
        for (long end = System.nanoTime() + PATIENCE; !Files.readString(folder.resolve(name + ".log")).contains(STARTED);
                TimeUnit.MILLISECONDS.sleep(100)) {
            if (!started.isAlive() || System.nanoTime() > end) {
                kill();
                throw new IOException("the broker does not start: " + Files.readString(folder.resolve(name + ".log")));
            }
        }
    }

    @Override
    public void close() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
            process = null;
        }
    }
}
