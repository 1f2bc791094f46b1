// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One end of one peer: obeys {@code listen} and {@code connect} on stdin, as the benchmark's other workers do. */
public final class PeerWorker {
    /** What others need of a JVM: large buffers; Agrona reaches into it, Netty and gRPC use what is on its way out. */
    static final List<String> OPTIONS = List.of("-Xmx1g", "-XX:MaxDirectMemorySize=1g",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");

    private PeerWorker() {
    }

    /** Ends with stdin. */
    @SuppressWarnings("SystemOut") // the answers
    public static void main(String[] args) throws Exception {
        Peer peer = Peers.of(args[0]);
        System.out.println("ready " + args[0]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = commands.readLine()) != null) {
            System.out.println(obey(peer, line.split(" ", -1)).line());
        }
        System.exit(0); // whatever threads a peer may have left
    }

    @SuppressWarnings("SystemOut")
    private static Outcome obey(Peer peer, String[] words) throws Exception {
        Work work = Work.parse(words, 1);
        return switch (words[0]) {
            case "listen" -> peer.listen(work, port -> System.out.println("port " + port));
            case "connect" -> peer.connect(work, Integer.parseInt(words[words.length - 1]));
            default -> throw new IOException("not a command: " + String.join(" ", words));
        };
    }
}
