// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.SimulatedConnections;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.simulated.SimulatedEndpoint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** Peers without rules, and users at the server who take them for peers like others: they are told an end, whatever is said. */
final class Intruders {
    private static final int TAGS_USED = 3;
    private static final int REQUEST_TAG = 50;

    private final World world;
    private final List<RulelessPeer> peers = new ArrayList<>();
    private final List<SimulatedEndpoint> ends = new ArrayList<>();
    private final List<Probe<?>> probes = new ArrayList<>();
    private final List<MessageSource> sources = new ArrayList<>();

    Intruders(World world) {
        this.world = world;
    }

    void intrude(Step.Intrude step, int port) {
        RulelessPeer peer = new RulelessPeer(world, step);
        peers.add(peer);
        peer.connect(port, () -> world.machine().after(0, () -> {
            SimulatedEndpoint mine = peer.end();
            SimulatedEndpoint servers = mine == null ? null : mine.peer();
            if (servers != null) {
                ends.add(servers);
                world.accepted().stream().filter(each -> SimulatedConnections.endpoint(each) == servers.handle())
                        .forEach(each -> use(step, each));
            }
        }));
    }

    /** As any user does. */
    private void use(Step.Intrude step, NetioConnection connection) {
        connection.receive().subscribe(probe("own stream of " + step));
        connection.stream(0).receive().subscribe(probe("stream 0 of " + step));
        for (int i = 0; i < 3; i++) {
            connection.requester(REQUEST_TAG).request(ByteBuffer.allocate(8)).subscribe(probe("request of " + step));
        }
        MessageSource source = new MessageSource(world.machine(), world.ledger(),
                new MessageSource.Plan(-1, 12, MessageSource.Pace.ELSEWHERE, false), "sent to " + step);
        sources.add(source);
        Mono<Void> send = connection.stream(1).send(source);
        send.cast(ByteBuffer.class).subscribe(probe("send to " + step));
    }

    private Probe<ByteBuffer> probe(String who) {
        Probe<ByteBuffer> probe = new Probe<>(world.machine(), who, Probe.Demand.UNBOUNDED, 1, message -> { });
        probes.add(probe);
        return probe;
    }

    /** What they have said may take only so much. */
    void leave() {
        for (SimulatedEndpoint end : ends) {
            if (end.isEstablished() && end.handle().callbacks() instanceof Connection engine
                    && engine.session() instanceof StreamSession) {
                int most = world.scenario().setup().maxStreams() + TAGS_USED;
                if (StreamProbe.ports(engine) > most) {
                    world.machine().violated(end + " knows " + StreamProbe.ports(engine) + " tags; " + most + " may be open");
                }
            }
        }
        peers.forEach(RulelessPeer::close);
    }

    void checkEnded() {
        for (Probe<?> probe : probes) {
            if (!probe.isOver()) {
                world.machine().violated("not told at the end: " + probe);
            }
        }
        for (MessageSource source : sources) {
            for (MessageSource.Run run : source.runs()) {
                if (!run.isDone()) {
                    world.machine().violated("not let go at the end: " + run.batch());
                }
            }
        }
    }
}
