// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.publisher.Flux;

/** A process that publishes numbers with tag 7, to be killed. */
final class DetectorProcess implements AutoCloseable {
    private final Process process;
    private final int port;

    private DetectorProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one on {@code port}, and returns when it listens. */
    static DetectorProcess start(int port) throws IOException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), DetectorProcess.class.getName(), Integer.toString(port))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the detector has ended with code " + process.onExit().join().exitValue());
        }
        return new DetectorProcess(process, Integer.parseInt(line));
    }

    int port() {
        return port;
    }

    /** Ends it as kill -9 does. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    public static void main(String[] args) {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 16).publish(7,
                Flux.interval(Duration.ofMillis(10)).map(n -> ByteBuffer.allocate(Long.BYTES).putLong(0, n)));
        NetioServer server = NetioServer.create().backend(BackendType.TCP).port(Integer.parseInt(args[0]));
        System.out.println(publisher.serve(server).bindNow().port());
        Flux.never().blockLast();
    }
}
