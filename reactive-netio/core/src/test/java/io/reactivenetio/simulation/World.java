// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Network;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.simulated.ReceivePool;
import io.reactivenetio.simulated.SendPool;
import io.reactivenetio.simulated.SimulatedEndpoint;
import io.reactivenetio.simulation.Step.Side;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One scenario, from the first connection to the last buffer that is back. */
final class World {
    private static final long MOST_STEPS = 400_000;
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(40);
    private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int SLOW = 4;
    private static final int VERY_SLOW = 20;

    private final Scenario scenario;
    private final VirtualMachine machine;
    private final WorldNetwork network;
    private final Map<Side, NetioLoops> loops = new EnumMap<>(Side.class);
    private final Map<Side, SimulatedLoop> driven = new EnumMap<>(Side.class);
    private final Map<Side, List<NetioConnection>> connections = new EnumMap<>(Side.class);
    private final Ledger ledger;
    private final Streams streams;
    private final Published published;
    private final Guarded guarded;
    private final Requesting requesting;
    private final SlowReceivers slow = new SlowReceivers(this);
    private final Excuses excuses;
    private final WorldWays ways;
    private final Intruders intruders = new Intruders(this);
    private final Patience patience = new Patience(this);
    private @Nullable DisposableServer server;
    private boolean restarting;
    /** No server comes any more. */
    private boolean ending;

    World(Scenario scenario) {
        this.scenario = scenario;
        machine = new VirtualMachine(scenario.seed());
        network = new WorldNetwork(machine, scenario.weather());
        ledger = new Ledger(machine::violated, machine::now);
        excuses = new Excuses(scenario);
        if (excuses.isCorrupt() && !scenario.guard().tls()) {
            ledger.expectDamage();
        }
        ways = new WorldWays(scenario.ways(), network);
        LoopContext serverLoop = network.context("server", () -> ways.devices(Side.SERVER));
        LoopContext clientLoop = scenario.setup().loops() == 1 ? serverLoop : network.context("client", () ->
                ways.devices(Side.CLIENT));
        driven.put(Side.SERVER, network.loop(serverLoop.loop()));
        driven.put(Side.CLIENT, network.loop(clientLoop.loop()));
        loops.put(Side.SERVER, NetioLoops.of(serverLoop.loop()));
        loops.put(Side.CLIENT, NetioLoops.of(clientLoop.loop()));
        connections.put(Side.SERVER, new ArrayList<>());
        connections.put(Side.CLIENT, new ArrayList<>());
        guarded = new Guarded(this);
        streams = new Streams(this);
        published = new Published(this);
        requesting = new Requesting(this);
    }

    Scenario scenario() {
        return scenario;
    }

    VirtualMachine machine() {
        return machine;
    }

    Excuses excuses() {
        return excuses;
    }

    WorldNetwork network() {
        return network;
    }

    EventLoop loop(Side side) {
        return Objects.requireNonNull(driven.get(side)).loop();
    }

    Guarded guarded() {
        return guarded;
    }

    Ledger ledger() {
        return ledger;
    }

    /** What must never be, and was; empty for a world in which all is well. */
    List<String> run() {
        SimulatedSchedulers.enter(machine);
        try {
            open();
            if (machine.violations().isEmpty()) {
                play();
                finish();
            }
        } catch (RuntimeException e) {
            machine.violated("the world broke: " + e + " at "
                    + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length)));
        } finally {
            loops.values().forEach(NetioLoops::dispose);
            machine.run(Long.MAX_VALUE, MOST_STEPS);
            for (SimulatedLoop each : driven.values()) {
                if (!each.loop().isTerminated()) {
                    machine.violated(each.loop() + " does not end");
                }
            }
            SimulatedSchedulers.leave();
        }
        return machine.violations();
    }

    long steps() {
        return machine.steps();
    }

    // ---- the beginning

    private void open() {
        NetioServer plan = published.serve(server());
        server = await(plan.bind(), "bind");
        for (int i = 0; i < scenario.setup().clients() && server != null; i++) {
            NetioConnection connection = await(client().connect(), "connect");
            if (connection != null) {
                connections.get(Side.CLIENT).add(connection);
            }
            if (connections.get(Side.SERVER).size() != connections.get(Side.CLIENT).size()) {
                machine.violated("connection " + i + " is there at one end only");
            }
            if (connection != null) {
                checkNetwork(connection);
            }
        }
    }

    private void checkNetwork(NetioConnection connection) {
        Network fastest = ways.fastest(scenario.setup().loops() == 1);
        if (!connection.network().equals(fastest)) {
            machine.violated(connection + " is over " + connection.network() + ", and both ends have " + fastest);
        }
    }

    private NetioServer server() {
        Scenario.Setup setup = scenario.setup();
        NetioServer made = NetioServer.create().host(WorldWays.HOST).runOn(loops.get(Side.SERVER))
                .framing(setup.spec(setup.checksums())).leasePolicy(setup.leases())
                .doOnConnection(connections.get(Side.SERVER)::add);
        if (setup.keepAliveMillis() > 0) {
            made = made.keepAlive(Duration.ofMillis(setup.keepAliveMillis()));
        }
        if (setup.serverPropagates()) {
            made = made.propagation(Requesting.PROPAGATOR);
        }
        return guarded.guarded(made).receiveBuffers(setup.bufferSize(), setup.receiveBuffers())
                .sendBuffers(setup.bufferSize(), setup.sendBuffers());
    }

    /** A client of the server, as the scenario wants it. */
    NetioClient client() {
        Scenario.Setup setup = scenario.setup();
        NetioClient made = NetioClient.create().host(WorldWays.NAME).port(server == null ? 1 : server.port())
                .runOn(loops.get(Side.CLIENT)).framing(setup.spec(false)).leasePolicy(setup.leases());
        if (setup.keepAliveMillis() > 0) {
            made = made.keepAlive(Duration.ofMillis(setup.keepAliveMillis()));
        }
        if (setup.clientPropagates()) {
            made = made.propagation(Requesting.PROPAGATOR);
        }
        return guarded.shown(made).receiveBuffers(setup.bufferSize(), setup.receiveBuffers())
                .sendBuffers(setup.bufferSize(), setup.sendBuffers());
    }

    private <T> @Nullable T await(Mono<T> mono, String what) {
        AtomicReference<@Nullable T> result = new AtomicReference<>();
        Probe<T> probe = new Probe<>(machine, what, Probe.Demand.UNBOUNDED, 1, result::set);
        mono.subscribe(probe);
        machine.run(machine.now() + SETTLE_NANOS / 8, MOST_STEPS);
        if (result.get() == null) {
            machine.violated(probe.toString());
        }
        return result.get();
    }

    // ---- what happens

    private void play() {
        long start = machine.now();
        long last = 0;
        for (Step step : scenario.steps().stream().sorted(Comparator.comparingLong(Step::at)).toList()) {
            long at = TimeUnit.MICROSECONDS.toNanos(step.at());
            machine.after(at, () -> perform(step));
            last = Math.max(last, at + switch (step) {
                case Step.Stall stall -> TimeUnit.MICROSECONDS.toNanos(stall.micros());
                case Step.BecomeSlow slowing -> SlowReceivers.nanos(slowing.fast());
                default -> 0;
            });
        }
        machine.run(start + last + TimeUnit.MILLISECONDS.toNanos(20), MOST_STEPS);
        published.checkDemand();
        patience.check(published::waitingForShared);
    }

    private void perform(Step step) {
        switch (step) {
            case Step.Receive receive -> streams.receive(receive);
            case Step.Send send -> streams.send(send);
            case Step.Complete complete -> streams.complete(complete);
            case Step.Cancel cancel -> streams.cancel(cancel.connection(), cancel.side(), cancel.tag());
            case Step.CancelSends cancel -> streams.cancelSends(cancel.connection(), cancel.side(), cancel.tag());
            case Step.Subscribe subscribe -> published.subscribe(subscribe);
            case Step.SubscribeEach subscribe -> published.subscribe(subscribe);
            case Step.Unsubscribe unsubscribe -> published.unsubscribe(unsubscribe);
            case Step.Flood flood -> streams.flood(flood);
            case Step.GiveUp giving -> streams.giveUp(giving);
            case Step.BecomeSlow becoming -> slow.begin(becoming);
            case Step.Corrupt corrupt -> corrupt(corrupt);
            case Step.Ask ask -> requesting.ask(ask);
            case Step.Respond respond -> requesting.respond(respond);
            case Step.StopResponding stop -> requesting.stop(stop);
            case Step.Stall stall -> machine.stall(driven.get(stall.side()), TimeUnit.MICROSECONDS.toNanos(stall.micros()));
            case Step.Dispose dispose -> dispose(dispose.connection(), dispose.side());
            case Step.Unplug unplug -> ways.unplug(scenario.setup().loops() == 1 ? Side.SERVER : unplug.side());
            case Step.Cut cut -> ends(cut.connection()).forEach(SimulatedEndpoint::cut);
            case Step.Silence silence -> ends(silence.connection()).forEach(SimulatedEndpoint::fallSilent);
            case Step.Shutdown shutdown -> shutDown(shutdown.micros()).subscribe();
            case Step.Restart restart -> restart(restart);
            case Step.Intrude intrude -> intrude(intrude);
            case Step.Pretend pretend -> guarded.pretend(pretend);
            case Step.EndPublisher end -> published.dispose();
        }
    }

    SimulatedLoop driven(Side side) {
        return Objects.requireNonNull(driven.get(side));
    }

    @Nullable NetioConnection connection(int index, Side side) {
        List<NetioConnection> all = connections.get(side);
        return index < all.size() ? all.get(index) : null;
    }

    private void dispose(int connection, Side side) {
        NetioConnection ends = connection(connection, side);
        if (ends != null) {
            ends.dispose();
        }
    }

    /** Both ends of what was the connection with this number. */
    private List<SimulatedEndpoint> ends(int connection) {
        List<SimulatedEndpoint> all = network.endpoints().stream().filter(SimulatedEndpoint::hasPeer).toList();
        return all.subList(Math.min(2 * connection, all.size()), Math.min(2 * connection + 2, all.size()));
    }

    private void corrupt(Step.Corrupt step) {
        for (SimulatedEndpoint end : ends(step.connection())) {
            if ((end.handle().listenEndpoint() == null) == (step.side() == Side.CLIENT)) {
                end.damageNext(message -> damaged(message, step.damage()));
            }
        }
    }

    private List<ByteBuffer> damaged(ByteBuffer message, Step.Damage how) {
        int bytes = message.remaining();
        switch (how) {
            case TWICE -> {
                return List.of(message, message);
            }
            case CUT_SHORT -> message.limit(machine.draw(bytes + 1));
            case EMPTY -> message.limit(0);
            case RANDOM -> {
                for (int i = 0; i < bytes; i++) {
                    message.put(i, (byte) machine.draw(256));
                }
            }
            default -> {
                if (bytes > 0) {
                    int at = machine.draw(Math.min(bytes, machine.chance(70) ? 24 : bytes));
                    message.put(at, (byte) (message.get(at) ^ 1 << machine.draw(8)));
                }
            }
        }
        return List.of(message);
    }

    private void intrude(Step.Intrude step) {
        DisposableServer at = server;
        if (at != null && scenario.setup().framing() == FramingKind.STREAM) {
            intruders.intrude(step, at.port());
        }
    }

    /** The server's ends of all connections that ever were. */
    List<NetioConnection> accepted() {
        return Objects.requireNonNull(connections.get(Side.SERVER));
    }

    private Mono<Void> shutDown(int micros) {
        DisposableServer from = server;
        return from == null ? Mono.empty() : from.shutdown(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros)));
    }

    /** Once at a time, since there is one port. */
    private void restart(Step.Restart step) {
        DisposableServer from = server;
        if (from == null || restarting) {
            return;
        }
        restarting = true;
        shutDown(step.micros()).then(Mono.defer(() -> ending ? Mono.empty()
                : published.serve(server()).port(from.port()).bind())).subscribe(made -> {
                    server = made;
                    restarting = false;
                });
    }

    // ---- the end

    private void finish() {
        if (!scenario.ways().equals(Scenario.Ways.PLAIN)) {
            run(CONNECT_NANOS); // who subscribes late is connected, after addresses that do not answer
        }
        intruders.leave();
        DisposableServer last = server;
        if (ways.isUnplugged() && !restarting && last != null && !last.isDisposed()) {
            NetioConnection again = await(client().connect(), "connect without the device");
            if (again != null) {
                checkNetwork(again);
                again.dispose();
                settle();
            }
        }
        for (int i = 0; i < SLOW && streams.isHeldUp(); i++) {
            settle();
        }
        streams.checkHeldUp();
        streams.drain();
        published.drain();
        slow.drain();
        requesting.drain();
        settle();
        long given = -1;
        for (int i = 0; i < VERY_SLOW && streams.isWaiting() && (i < SLOW || streams.given() > given); i++) {
            given = streams.given();
            settle(); // a message or two at a time, over a slow network, and sends that are tried hundreds of times
        }
        long got = -1;
        for (int i = 0; i < VERY_SLOW && published.isWaiting() && published.received() > got; i++) {
            got = published.received();
            settle(); // one buffer for the messages of all subscribers, over a slow network
        }
        streams.checkSettled();
        published.checkSettled();
        requesting.checkSettled();
        checkTags();
        streams.completeAll();
        settle();
        streams.checkCompleted();
        ending = true;
        published.dispose();
        settle();
        published.checkEnded();
        published.leave();
        for (Side side : Side.values()) {
            connections.get(side).forEach(NetioConnection::dispose);
        }
        settle();
        streams.checkEnded();
        intruders.checkEnded();
        guarded.checkEnded();
        slow.checkEnded();
        requesting.checkEnded();
        if (server != null) {
            server.dispose();
        }
        settle();
        checkHome();
    }

    private void checkTags() {
        for (int connection = 0; connection < scenario.setup().clients(); connection++) {
            if (streams.isUp(connection)) {
                for (SimulatedEndpoint end : ends(connection)) {
                    Side side = end.handle().listenEndpoint() == null ? Side.CLIENT : Side.SERVER;
                    network.growth().checkTags(end, streams.tagsInUse(connection, side) + requesting.tagsInUse(connection)
                            + slow.tagsInUse(connection));
                }
            }
        }
    }

    private void settle() {
        run(SETTLE_NANOS);
    }

    void run(long nanos) {
        machine.run(machine.now() + nanos, MOST_STEPS);
    }

    private void checkHome() {
        for (SimulatedEndpoint endpoint : network.endpoints()) {
            SendPool sends = endpoint.sends();
            if (sends.free() != sends.number()) {
                machine.violated(endpoint + " has " + sends.free() + " of " + sends.number() + " send buffers at the end");
            }
            ReceivePool receives = endpoint.receives();
            if (receives.posted() != receives.number()) {
                machine.violated(endpoint + " has " + receives.posted() + " of " + receives.number()
                        + " receive buffers at the end");
            }
            if (!endpoint.isClosed()) {
                machine.violated(endpoint + " is open at the end");
            }
        }
        for (SimulatedLoop each : driven.values()) {
            if (each.delayedTasks() > 0) {
                machine.violated(each.delayedTasks() + " delayed tasks are left on " + each.loop());
            }
        }
    }
}
