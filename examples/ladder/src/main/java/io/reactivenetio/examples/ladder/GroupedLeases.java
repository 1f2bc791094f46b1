// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.TaggedMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;

/**
 * Receives the hits of four links as leases on the receive buffers, groups them by link, and adds up five of each at a time.
 * Nothing is copied: a group holds leases. The function that adds them up gives them back, so no receive buffer is held in the
 * end. Try to leave {@code Lease::close} out: the leases are lost, and a warning tells when the garbage collector has found
 * them. Where a stream may be cancelled, decode before {@code groupBy}, which loses the leases that it holds then.
 */
public final class GroupedLeases {
    private static final int LINKS = 4;
    private static final int MESSAGES = 40;
    private static final int TOGETHER = 5;

    private GroupedLeases() {
    }

    // docs
    static String sum(long link, List<Lease> hits) {
        try {
            int sum = hits.stream().mapToInt(hit -> hit.buffer().getInt(0)).sum();
            return "link " + link + ": " + hits.size() + " hits, charge " + sum;
        } finally {
            hits.forEach(Lease::close); // the receive buffers go back to the peer
        }
    }

    static Flux<String> sums(Flux<Lease> leases) {
        return leases.groupBy(Lease::tag)
                .flatMap(link -> link.buffer(TOGETHER).map(hits -> sum(link.key(), hits)), LINKS);
    }

    /** Prints the sums, and how many receive buffers are held when all is over. */
    public static void main(String... args) {
        Flux<TaggedMessage> hits = Flux.range(0, MESSAGES)
                .map(n -> TaggedMessage.of(n % LINKS, ByteBuffer.allocate(4).putInt(0, n)));
        var server = NetioServer.create().backend(Backend.chosen()).handle((in, out) -> out.sendTagged(hits)).bindNow();
        var connection = NetioClient.create().backend(Backend.chosen()).port(server.port()).connectNow();
        connection.receiveLeased(GroupedLeases::sums).doOnNext(System.out::println).blockLast(Duration.ofSeconds(10));
        System.out.println("receive buffers that are held: " + connection.statistics().leasedBuffers()
                + ", copies made: " + connection.statistics().leaseCopies());
        connection.dispose();
        server.dispose();
    }
    // docs end
}
