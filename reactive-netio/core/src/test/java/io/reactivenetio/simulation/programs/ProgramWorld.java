// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.simulated.SimulatedEndpoint;
import io.reactivenetio.simulation.BlockedWait;
import io.reactivenetio.simulation.SimulatedSchedulers;
import io.reactivenetio.simulation.VirtualMachine;
import io.reactivenetio.simulation.WorldNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Runs one program, with both of its ends, in one simulated world. */
final class ProgramWorld {
    private static final long MOST_STEPS = 400_000;
    private static final long SECOND = 1_000_000_000L;
    private static final long SLICE_NANOS = SECOND / 10;
    private static final long SETTLE_NANOS = 12 * SECOND;

    final Node program;
    final Setup setup;
    final VirtualMachine machine;
    final WorldNetwork network;
    final NetioPublisher publisher;
    final Publishing publishing;
    final Subscribing subscribing;
    final Asking asking;
    final Sending sending;
    /** At the clients' side and at the server's, by number. */
    final List<List<NetioConnection>> connections = List.of(new ArrayList<>(), new ArrayList<>());
    /** All that clients ever had. */
    final List<NetioConnection> opened = new ArrayList<>();
    private final List<NetioConnection> returned = new ArrayList<>();
    /** Those of blocking calls, whether these have returned them or not. */
    private final List<NetioConnection> attempted = new ArrayList<>();
    private final List<SimulatedLoop> driven = new ArrayList<>();
    private final List<NetioLoops> loops = new ArrayList<>();
    private int port = 1;
    @Nullable DisposableServer server;

    ProgramWorld(long seed, Node program) {
        this.program = program;
        setup = Grammar.setup(seed);
        machine = new VirtualMachine(seed);
        network = new WorldNetwork(machine, setup.weather());
        LoopContext forServer = network.context("server");
        LoopContext forClients = setup.loops() == 1 ? forServer : network.context("client");
        for (LoopContext each : List.of(forClients, forServer)) {
            driven.add(network.loop(each.loop()));
            loops.add(NetioLoops.of(each.loop()));
        }
        publisher = NetioPublisher.builder().whenSlow(setup.policy()).queue(setup.queue())
                .stallTimeout(Duration.ofSeconds(2)).build();
        publishing = new Publishing(this);
        subscribing = new Subscribing(this);
        asking = new Asking(this);
        sending = new Sending(this);
    }

    /** What must never be, and was. */
    List<String> run() {
        SimulatedSchedulers.enter(machine);
        try {
            open();
            play();
            new Verdict(this).judge();
        } catch (RuntimeException e) {
            machine.violated("the world broke: " + VirtualMachine.text(e) + " at "
                    + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length)));
        } finally {
            loops.forEach(NetioLoops::dispose);
            machine.run(Long.MAX_VALUE, MOST_STEPS);
            SimulatedSchedulers.leave();
        }
        return machine.violations();
    }

    // ---- the beginning

    private void open() {
        program.kids().stream().filter(each -> each.number(0) == 0).forEach(publishing::perform);
        bind(0);
        settle(SECOND);
        for (int i = 0; i < setup.connections(); i++) {
            client().doOnConnected(connections.get(0)::add).connect().subscribe();
            settle(SECOND);
        }
        if (connections.get(0).size() != setup.connections() || connections.get(1).size() != setup.connections()) {
            machine.violated("not connected");
        }
    }

    private void bind(int at) {
        NetioServer made = NetioServer.create().port(at).runOn(loops.get(1)).framing(framing())
                .doOnConnection(connection -> {
                    connections.get(1).add(connection);
                    asking.accepted(connection);
                })
                .receiveBuffers(setup.bufferSize(), setup.receiveBuffers()).sendBuffers(setup.bufferSize(), setup.sendBuffers());
        publisher.serve(made).bind().subscribe(bound -> {
            server = bound;
            this.port = bound.port();
        }, error -> machine.violated("cannot bind: " + VirtualMachine.text(error)));
    }

    private Framing framing() {
        return Framing.stream().maxMessageSize(setup.maxMessage()).reassemblyBudget(8L * setup.maxMessage())
                .prefetch(setup.prefetch()); // so that it is known how much a subscriber leaves behind
    }

    NetioClient client() {
        return NetioClient.create().doOnConnected(opened::add).port(port).runOn(loops.get(0))
                .framing(framing())
                .receiveBuffers(setup.bufferSize(), setup.receiveBuffers()).sendBuffers(setup.bufferSize(), setup.sendBuffers());
    }

    // ---- what happens

    private void play() {
        long last = 0;
        for (Node statement : program.kids()) {
            if (statement.word() == Word.RESPOND_ALL || publishing.isDone(statement)) {
                continue;
            }
            machine.after(1_000L * statement.number(0), () -> perform(statement));
            last = Math.max(last, 1_000L * statement.number(0));
        }
        settle(last + SECOND / 50);
    }

    private void perform(Node statement) {
        switch (statement.word()) {
            case PUBLISH, ENCODE, PUBLISH_EACH, REPUBLISH -> publishing.perform(statement);
            case RUN -> subscribing.run(statement);
            case CANCEL -> subscribing.cancel(statement.number(1));
            case RESPOND, RESPOND_SWITCHED -> asking.respond(statement);
            case STOP_RESPONDING -> asking.stop(statement);
            case REQUEST -> asking.request(statement);
            case SEND -> sending.send(statement);
            case END_STREAM -> sending.end(statement);
            case CONNECT_NOW -> connectNow(statement);
            case DISPOSE -> connection(statement).forEach(NetioConnection::dispose);
            case CUT -> cut(statement.number(1));
            case PAUSE -> machine.stall(driven.get(statement.number(1)), 1_000L * statement.number(2));
            case SHUTDOWN -> shutdown(Duration.ofNanos(1_000L * statement.number(1))).subscribe();
            case REBIND -> {
                DisposableServer known = server;
                if (known != null) { // another one is not under way
                    server = null;
                    known.dispose();
                    bind(known.port());
                }
            }
            case END_PUBLISHER -> publisher.dispose();
            default -> throw new IllegalArgumentException(statement.toString());
        }
    }

    Mono<Void> shutdown(Duration deadline) {
        return server == null ? Mono.empty() : server.shutdown(deadline);
    }

    /** The connection that a statement names, at the side that it names; none if it is not there. */
    List<NetioConnection> connection(Node statement) {
        List<NetioConnection> side = connections.get(statement.number(2));
        int index = statement.number(1);
        return index < Math.min(side.size(), setup.connections()) ? List.of(side.get(index)) : List.of();
    }

    private void cut(int connection) {
        List<SimulatedEndpoint> all = network.endpoints();
        all.subList(Math.min(2 * connection, all.size()), Math.min(2 * connection + 2, all.size()))
                .forEach(SimulatedEndpoint::cut);
    }

    private void connectNow(Node statement) {
        if (machine.turn() >= 0) { // a thread can wait between two turns, too, and then the world goes on
            machine.after(1_000, () -> connectNow(statement));
            return;
        }
        NetioClient client = client().doOnConnected(attempted::add);
        BlockedWait.within(machine, 1_000L * statement.number(1), () -> {
            try {
                returned.add(client.connectNow());
            } catch (RuntimeException e) {
                // it was interrupted, or there is no server
            }
        });
    }

    // ---- the end

    /** Time goes by in which all comes to rest that can. */
    void settle() {
        settle(SETTLE_NANOS);
    }

    /** So much time goes by, unless something is wrong already. */
    void settle(long nanos) {
        long until = machine.now() + nanos;
        while (machine.violations().isEmpty() && machine.now() < until) {
            machine.run(Math.min(until, machine.now() + SLICE_NANOS), MOST_STEPS);
        }
    }

    void disposeClients() {
        connections.get(0).forEach(NetioConnection::dispose);
        returned.forEach(NetioConnection::dispose);
    }

    /** Connections that a blocking call has made, and not returned. */
    List<NetioConnection> leaked() {
        return attempted.stream().filter(each -> !each.isDisposed() && !returned.contains(each)).toList();
    }

    List<SimulatedLoop> driven() {
        return driven;
    }
}
