// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.NetioConnection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What a program requests and answers. */
final class Asking {
    private final ProgramWorld world;
    private final List<Node> ofAll;
    final List<InTap<?>> requests = new ArrayList<>();
    final List<InTap<?>> responders = new ArrayList<>();
    private final List<Disposable> stops = new ArrayList<>();
    private final List<Node> stopping = new ArrayList<>();

    Asking(ProgramWorld world) {
        this.world = world;
        this.ofAll = world.program.kids().stream().filter(each -> each.word() == Word.RESPOND_ALL).toList();
    }

    /** A connection has come to the server. */
    void accepted(NetioConnection connection) {
        for (Node each : ofAll) {
            respond(connection, each, each.number(1), each.number(2)).subscribe(nothing -> { }, error -> { });
        }
    }

    void respond(Node statement) {
        for (NetioConnection connection : world.connection(statement)) {
            Mono<Void> responder = respond(connection, statement, statement.number(3), statement.number(4));
            Flux<Void> responders = statement.word() == Word.RESPOND ? responder.flux()
                    : Flux.interval(Duration.ofNanos(1_000L * statement.number(5)), Schedulers.parallel())
                    .onBackpressureDrop().take(statement.number(6)).switchMap(i -> responder);
            stopping.add(statement);
            stops.add(responders.subscribe(nothing -> { }, error -> { }));
        }
    }

    private Mono<Void> respond(NetioConnection connection, Node statement, int tag, int concurrency) {
        Node answer = statement.kids().getFirst();
        return InTap.of(connection.respond(tag, concurrency, request -> answer(answer, request)), world.machine, statement,
                responders, nothing -> { });
    }

    private @Nullable Mono<ByteBuffer> answer(Node plan, ByteBuffer request) {
        Throwing throwing = Throwing.of(plan.number(2));
        boolean throwsNow = throwing != Throwing.NOTHING && request.getInt(request.position()) % plan.number(4) == 0;
        if (throwsNow && plan.number(3) == 0) {
            throwing.go();
        }
        Mono<ByteBuffer> answer = throwsNow ? Mono.error(throwing.make()) : Mono.just(ByteBuffer.allocate(plan.number(0)));
        return plan.number(1) == 0 ? answer : Mono.delay(Duration.ofNanos(1_000L * plan.number(1)), Schedulers.parallel())
                .then(answer);
    }

    void stop(Node statement) {
        for (int i = 0; i < stops.size(); i++) {
            if (stopping.get(i).numbers().subList(1, 4).equals(statement.numbers().subList(1, 4))) {
                stops.get(i).dispose();
            }
        }
    }

    void request(Node statement) {
        for (NetioConnection connection : world.connection(statement)) {
            for (int i = 0; i < statement.number(4); i++) {
                Mono<ByteBuffer> answer = InTap.of(connection.requester(statement.number(3))
                        .request(ByteBuffer.allocate(statement.number(5)).putInt(0, i)), world.machine, statement, requests,
                        each -> { });
                for (Node timeout : statement.kids()) {
                    answer = answer.timeout(Duration.ofNanos(1_000L * timeout.number(0)), Schedulers.parallel());
                }
                answer.subscribe(each -> { }, error -> { });
            }
        }
    }

    /** Asks once more, and says whether there was an answer, or the failure of the responder's function, in that time. */
    boolean isAnswering(NetioConnection connection, int tag, long nanos) {
        boolean[] over = {false};
        connection.requester(tag).request(ByteBuffer.allocate(Integer.BYTES)).subscribe(answer -> over[0] = true,
                error -> over[0] = Excuse.code(error) == Excuse.FAILED, () -> over[0] = true);
        world.settle(nanos);
        return over[0];
    }
}
