// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.Right;
import io.reactivenetio.simulation.Step.Side;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** Requests and who answers them: each answer is for its request, none comes twice, and the headers are those of the request. */
final class Requesting {
    static final NetioPropagator PROPAGATOR = NetioPropagator.ofKeys("number", "padding");

    private static final int MOST_PADDING = 97;
    /** Bytes before a number in the headers. */
    private static final int HEADERS = 2 + 3 + "number".length();
    private static final int MOST_UNDER_WAY = 256;

    private record Asking(Step.Ask step, int number, Probe<ByteBuffer> probe) {
    }

    private static final class Responding {
        private final Step.Respond step;
        private final Probe<Object> probe;
        private int working;
        private int asked;

        Responding(Step.Respond step, Probe<Object> probe) {
            this.step = step;
            this.probe = probe;
        }
    }

    private final World world;
    private final VirtualMachine machine;
    private final List<Asking> askings = new ArrayList<>();
    private final List<Responding> respondings = new ArrayList<>();
    private int numbers;

    Requesting(World world) {
        this.world = world;
        this.machine = world.machine();
    }

    void ask(Step.Ask step) {
        NetioConnection connection = world.connection(step.connection(), step.side());
        if (connection == null || world.scenario().setup().framing() != FramingKind.STREAM) {
            return;
        }
        for (int i = 0; i < step.requests(); i++) {
            int number = numbers++;
            ByteBuffer request = ByteBuffer.allocate(Math.max(Integer.BYTES, step.size())).putInt(0, number);
            Mono<ByteBuffer> answer = connection.requester(step.tag()).request(request);
            if (world.scenario().setup().requestsHaveHeaders()) {
                answer = answer.contextWrite(context -> context.put("number", "" + number)
                        .put("padding", "x".repeat(number % MOST_PADDING)));
            }
            if (step.timeout() > 0) {
                answer = answer.timeout(Duration.ofNanos(1_000L * step.timeout()));
            }
            Probe<ByteBuffer> probe = new Probe<>(machine, "request " + number + " of "
                    + step, Probe.Demand.UNBOUNDED, 1, message -> {
                if (!world.excuses().isCorrupt() // else it may have been changed on its way
                        && (message.remaining() != request.remaining() || message.getInt(message.position()) != ~number)) {
                    machine.violated("request " + number + " got an answer that is not its own: "
                            + ~message.getInt(message.position()));
                }
            });
            askings.add(new Asking(step, number, probe));
            answer.subscribe(probe);
        }
        long waiting = askings.stream().filter(each -> each.step == step && !each.probe.isOver()).count();
        int most = NetioRequester.MOST_WAITING + MOST_UNDER_WAY; // the loop may have sent some meanwhile
        if (waiting > most) {
            machine.violated("requests pile up: " + waiting + " of " + step + " are not over, " + most + " may be");
        }
    }

    void respond(Step.Respond step) {
        NetioConnection connection = world.connection(step.connection(), step.side());
        if (connection == null || world.scenario().setup().framing() != FramingKind.STREAM) {
            return;
        }
        Responding responding = new Responding(step,
                new Probe<>(machine, step.toString(), Probe.Demand.UNBOUNDED, 1, element -> { }));
        respondings.add(responding);
        boolean headers = world.scenario().setup().requestsHaveHeaders();
        connection.respond(step.tag(), step.concurrency(), request -> headers ? Mono.deferContextual(context -> {
            check(request, context);
            return answer(responding, request);
        }) : answer(responding, request))
                .cast(Object.class).subscribe(responding.probe);
    }

    private void check(ByteBuffer request, ContextView context) {
        String number = "" + request.getInt(request.position());
        boolean hasRoom = request.remaining() + HEADERS + number.length() <= world.scenario().setup().maxMessage();
        String said = context.getOrDefault("number", "");
        if (!said.equals(hasRoom ? number : "") && !world.excuses().isCorrupt()) {
            machine.violated("request " + number + " has the headers of another: " + said);
        }
    }

    private Mono<ByteBuffer> answer(Responding responding, ByteBuffer request) {
        Step.Respond step = responding.step;
        responding.asked++;
        world.guarded().shown(step.side() == Side.SERVER ? Right.REQUEST : Right.RESPOND, step.tag(), step);
        responding.working++;
        if (responding.working > step.concurrency()) {
            machine.violated(step + " works on " + responding.working + " requests at once");
        }
        ByteBuffer answer = ByteBuffer.allocate(request.remaining()).putInt(0, ~request.getInt(request.position()));
        boolean fails = step.fails() > 0 && responding.asked % step.fails() == 0;
        Mono<ByteBuffer> result = fails ? Mono.error(new IllegalStateException("an answer that fails, as planned"))
                : Mono.just(answer);
        Mono<ByteBuffer> later = step.takes() == 0 ? result
                : Mono.delay(Duration.ofNanos(machine.drawNanos(1_000L * step.takes())), Schedulers.parallel()).then(result);
        return later.doFinally(signal -> responding.working--);
    }

    void stop(Step.StopResponding step) {
        respondings.stream().filter(each -> each.step.connection() == step.connection() && each.step.side() == step.side()
                && each.step.tag() == step.tag()).toList().forEach(each -> each.probe.cancel());
    }

    /** How many tags of requests may be known to an end of this connection. */
    int tagsInUse(int connection) {
        return (int) Stream.concat(askings.stream().map(Asking::step).filter(step -> step.connection() == connection)
                .map(Step.Ask::tag), respondings.stream().map(each -> each.step).filter(step -> step.connection() == connection)
                .map(Step.Respond::tag)).distinct().count();
    }

    void drain() {
        // requests need no demand
    }

    private boolean isServed(Step.Ask step) {
        NetioConnection asks = world.connection(step.connection(), step.side());
        NetioConnection answers = world.connection(step.connection(), step.side().other());
        boolean silent = world.excuses().isSilent() || world.excuses().isCorrupt()
                || world.excuses().isJammed(step.connection());
        Side side = step.side().other();
        return asks != null && answers != null && !asks.isDisposed() && !answers.isDisposed() && !silent
                && respondings.stream().anyMatch(each -> each.step.connection() == step.connection() && each.step.side() == side
                        && each.step.tag() == step.tag() && !each.probe.isOver() && !each.probe.isCancelled());
    }

    void checkSettled() {
        for (Asking each : askings) {
            if (!each.probe.isOver() && isServed(each.step)) {
                machine.violated("nothing goes on: " + each.probe + ", although somebody answers");
            }
        }
        for (Responding each : respondings) {
            if (each.probe.error() instanceof NetioProtocolException && !world.excuses().isCorrupt()) {
                machine.violated("no reason for: " + each.probe);
            }
        }
    }

    void checkEnded() {
        for (Asking each : askings) {
            if (!each.probe.isOver()) {
                machine.violated("not told at the end: " + each.probe);
            }
        }
        for (Responding each : respondings) {
            if (!each.probe.isOver() && !each.probe.isCancelled()) {
                machine.violated("not told at the end: " + each.probe);
            }
            if (each.working != 0) {
                machine.violated(each.step + " still works on " + each.working + " requests");
            }
        }
    }
}
