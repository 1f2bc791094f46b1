// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.simulation.VirtualMachine;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a program sends on streams of the plain connections, and what must hold of that and of its receivers. */
final class Sending {
    /** The tags by which messages and receivers are told apart begin here; nothing is published with them. */
    static final int FIRST_KEY = 1_000;
    private static final int BATCH = 3;
    /** Of the ways to send, the last one. */
    private static final int IN_BATCHES = 2;
    /** Of the ways to receive, the last one. */
    private static final int BATCHES = 4;
    private static final long HELD_NANOS = 500_000;
    private static final int SIDES = 2;
    private static final int STREAMS = 100;

    private static final Node THROWS_NOTHING = Node.of(Word.ENCODE, 0, 0, 0, 0);

    private final ProgramWorld world;
    private final VirtualMachine machine;
    private final List<InTap<?>> sends = new ArrayList<>();

    Sending(ProgramWorld world) {
        this.world = world;
        this.machine = world.machine;
    }

    /** Names the messages that come from {@code side} of a connection, on one of its streams. */
    private static int key(int connection, int side, int stream) {
        return FIRST_KEY + (connection * SIDES + side) * STREAMS + stream;
    }

    private static int keyOfSend(Node send) {
        return key(send.number(1), send.number(2), send.number(3));
    }

    static boolean isReceive(Node flow) {
        return flow.word() == Word.RECEIVE;
    }

    /** Whether it may leave messages that the peer was asked for. */
    static boolean isOfBatches(Node flow) {
        return isReceive(flow) && flow.number(3) == BATCHES;
    }

    static int keyOfReceive(Node flow) {
        return key(flow.number(0), 1 - flow.number(1), flow.number(2));
    }

    void send(Node statement) {
        for (NetioConnection connection : world.connection(statement)) {
            UserSource source = new UserSource(machine, statement.kids().getFirst());
            Flux<ByteBuffer> messages = world.publishing.given.tap(keyOfSend(statement), false, source.messages(), source);
            NetioStream stream = connection.stream(statement.number(3));
            Mono<Void> sent = switch (statement.number(4)) {
                case 0 -> stream.send(messages);
                case 1 -> stream.completion(SendCompletion.TRANSMITTED).send(messages);
                default -> stream.sendBatches(messages.buffer(BATCH), world.publishing.encoder(THROWS_NOTHING));
            };
            InTap.of(sent, machine, statement, sends, nothing -> { }).subscribe(nothing -> { }, error -> { });
        }
    }

    void end(Node statement) {
        for (NetioConnection connection : world.connection(statement)) {
            connection.stream(statement.number(3)).completeOutbound().subscribe(nothing -> { }, error -> { });
        }
    }

    /** What the receiver gets; nothing, and completed, if its connection is not there. */
    Flux<?> receive(Node flow) {
        List<NetioConnection> side = world.connections.get(flow.number(1));
        if (flow.number(0) >= Math.min(side.size(), world.setup.connections())) {
            return Flux.empty();
        }
        NetioStream stream = side.get(flow.number(0)).stream(flow.number(2));
        return switch (flow.number(3)) {
            case 0 -> stream.receive();
            case 1 -> stream.receive(Sending::copy);
            case 2 -> stream.receiveLeased().map(lease -> {
                try (lease) {
                    return copy(lease.buffer());
                }
            });
            case 3 -> stream.receiveLeased().map(lease -> {
                machine.after(machine.drawNanos(HELD_NANOS), lease::release);
                return copy(lease.buffer());
            });
            default -> stream.receiveBatches(BATCH).map(batch -> {
                List<ByteBuffer> copies = new ArrayList<>();
                while (batch.next()) {
                    copies.add(batch.copy());
                }
                return copies;
            });
        };
    }

    private static ByteBuffer copy(ByteBuffer message) {
        return ByteBuffer.allocate(message.remaining()).put(message).flip();
    }

    // ---- what must hold

    /** Whether there is a reason for what a receiver was told. */
    boolean explains(Node receiver, Throwable error, Excuse excuse) {
        return Throwing.isPlanned(error) || excuse.mayEnd(receiver.number(0)) && error instanceof NetioException
                || Excuse.code(error) == Excuse.NOT_SERVED || Excuse.code(error) == Excuse.LIMIT && receivers(receiver) > 1;
    }

    private long receivers(Node flow) {
        return world.subscribing.taps.stream().filter(each -> isReceive(each.node)
                && keyOfReceive(each.node) == keyOfReceive(flow)).count();
    }

    /** Messages that {@code buffer} may have of a source that does not complete, and that never came to the library. */
    private int inBuffers(Given.Run run) {
        boolean buffered = !run.completed && sends.stream().anyMatch(send -> keyOfSend(send.node) == run.tag
                && send.node.number(4) == IN_BATCHES);
        return buffered ? BATCH - 1 : 0;
    }

    /** Where one receiver was there all the time and wants more, nothing waits at the other side, and each send is over. */
    void judge(Excuse excuse) {
        for (InTap<?> each : world.subscribing.taps) {
            if (isReceive(each.node) && each.isOpen() && each.hasDemand() && receivers(each.node) == 1) {
                for (Given.Run run : world.publishing.given.runs()) {
                    if (run.tag == keyOfReceive(each.node) && !run.isOver() && run.hasMore()) {
                        machine.violated("nothing goes on: " + each + ", although there is more of " + run);
                    } else if (run.tag == keyOfReceive(each.node) && run.lost() > each.waiting() + inBuffers(run)
                            && !excuse.mayEnd(each.node.number(0))) {
                        machine.violated("messages are lost: " + run + ", to " + each);
                    }
                }
            }
        }
        for (InTap<?> send : sends) {
            boolean canEnd = world.publishing.given.runs().stream().filter(run -> run.tag == keyOfSend(send.node))
                    .allMatch(run -> run.isOver() && run.lost() == 0);
            if (send.isOpen() && canEnd) {
                machine.violated("a send waits for ever: " + send);
            } else if (send.error() instanceof NetioProtocolException) {
                machine.violated("no reason for: " + send);
            }
        }
    }
}
