// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A session cluster of Flink: a JobManager and TaskManagers with a slot each, as processes. Unless they are given another, they
 * have the class path of this one, so that no jar has to be sent to them. Nothing of it is left when it is closed.
 */
public final class SessionCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path directory;
    private final String classPath;
    private final String[] options;
    private final int restPort;
    private final Process jobManager;
    private final List<Process> taskManagers = new ArrayList<>();
    private int started;

    /**
     * Starts it with so many TaskManagers, and returns when they are there.
     *
     * @param options of all JVMs, beside those for their memory
     */
    public SessionCluster(Path directory, int number, String... options) throws IOException, InterruptedException {
        this(directory, number, classPath(), options);
    }

    /**
     * Starts one whose processes have another class path, to which jobs bring what it has not.
     *
     * @param options of all JVMs, beside those for their memory
     */
    public SessionCluster(Path directory, int number, List<Path> classPath, String... options)
            throws IOException, InterruptedException {
        this.directory = directory;
        this.classPath = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        this.options = options;
        int[] ports = freePorts(2);
        restPort = ports[1];
        Files.createDirectories(directory.resolve("conf"));
        Files.createDirectories(directory.resolve("tmp"));
        Files.writeString(directory.resolve("conf/config.yaml"), configuration(ports[0]));
        jobManager = start("jobmanager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint");
        try {
            for (int i = 0; i < number; i++) {
                startTaskManager();
            }
            awaitTaskManagers();
        } catch (IOException | RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    /** The class path of this process. */
    public static List<Path> classPath() {
        return Stream.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                .split(File.pathSeparator)).map(Path::of).toList();
    }

    /** The ids of the TaskManagers' processes, the oldest first. */
    public List<Long> taskManagers() {
        return taskManagers.stream().map(Process::pid).toList();
    }

    /** Starts another TaskManager, and does not wait for it. */
    public void startTaskManager() throws IOException {
        taskManagers.add(start("taskmanager-" + ++started, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"));
    }

    private static int[] freePorts(int number) throws IOException {
        int[] ports = new int[number];
        List<ServerSocket> sockets = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            ports[i] = sockets.get(i).getLocalPort();
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return ports;
    }

    /** All of a TaskManager's memory is set, as there is no script that computes it. */
    private String configuration(int rpcPort) {
        return """
                jobmanager.rpc.address: 127.0.0.1
                jobmanager.rpc.port: %d
                jobmanager.bind-host: 127.0.0.1
                rest.address: 127.0.0.1
                rest.bind-address: 127.0.0.1
                rest.port: %d
                taskmanager.host: 127.0.0.1
                taskmanager.bind-host: 127.0.0.1
                taskmanager.numberOfTaskSlots: 1
                taskmanager.cpu.cores: 1.0
                taskmanager.memory.task.heap.size: 128m
                taskmanager.memory.task.off-heap.size: 16m
                taskmanager.memory.framework.heap.size: 64m
                taskmanager.memory.framework.off-heap.size: 64m
                taskmanager.memory.network.min: 32m
                taskmanager.memory.network.max: 32m
                taskmanager.memory.managed.size: 16m
                taskmanager.memory.jvm-metaspace.size: 128m
                taskmanager.memory.jvm-overhead.min: 64m
                taskmanager.memory.jvm-overhead.max: 64m
                heartbeat.interval: 500
                heartbeat.timeout: 5000
                io.tmp.dirs: %s
                """.formatted(rpcPort, restPort, directory.resolve("tmp"));
    }

    private Process start(String name, String main) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx320m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath, main, "--configDir", directory.resolve("conf").toString()));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(directory.resolve(name + ".log").toFile())
                .start();
    }

    private void awaitTaskManagers() {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest overview = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + restPort + "/overview"))
                    .timeout(Duration.ofSeconds(5)).build();
            Eventually.await(() -> !jobManager.isAlive() || says(client, overview, "\"taskmanagers\":" + taskManagers.size()),
                    () -> "the cluster is not there:\n" + logs());
            if (!jobManager.isAlive()) {
                throw new IllegalStateException("the cluster is not there:\n" + logs());
            }
        }
    }

    private static boolean says(HttpClient client, HttpRequest request, String text) throws InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body().contains(text);
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The port on the loopback address that jobs are submitted to. */
    public int port() {
        return restPort;
    }

    /** Kills the oldest TaskManager with SIGKILL, and returns when it is gone. */
    public void killTaskManager() {
        end(taskManagers.removeFirst());
    }

    private static void end(Process process) {
        try {
            process.destroyForcibly().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("process " + process.pid() + " does not end", e);
        }
    }

    /** What the processes have written, the last of it. */
    public String logs() {
        try (var files = Files.list(directory)) {
            StringBuilder text = new StringBuilder();
            for (Path log : files.filter(file -> file.toString().endsWith(".log")).sorted().toList()) {
                List<String> lines = Files.readAllLines(log);
                text.append("---- ").append(log.getFileName()).append('\n');
                lines.subList(Math.max(0, lines.size() - 40), lines.size()).forEach(line -> text.append(line).append('\n'));
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (Process process : taskManagers) {
            end(process);
        }
        end(jobManager);
    }
}
