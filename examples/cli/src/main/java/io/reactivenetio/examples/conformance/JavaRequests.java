// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** The requests of one command: sends them, counts the answers, and tells when it has all. */
final class JavaRequests {
    private static final int ANSWER = 2;
    private static final int EMPTY = 3;
    private static final int FAILED = 4;
    private static final int CANCELLED = 5;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Line command;
    private final Consumer<Line> events;
    private final Digest answers = new Digest();
    private final Disposable.Swap running = Disposables.swap();

    JavaRequests(Line command, Consumer<Line> events) {
        this.command = command;
        this.events = events;
    }

    Line total() {
        return answers.sumIn(Line.of("ok")).with("dropped", 0);
    }

    void start(NetioRequester requester) {
        int size = command.number("size");
        int patience = command.number("cancel", 0);
        boolean headers = command.is("headers", "yes");
        running.update(Flux.range(0, command.number("count")).flatMap(n -> {
            Mono<ByteBuffer> answer = requester.request(Digest.payload(n, size));
            Mono<ByteBuffer> limited = patience == 0 ? answer : answer.timeout(Duration.ofMillis(patience));
            Mono<Void> counted = counted(n, limited);
            return headers ? counted.contextWrite(Context.of(EndSettings.HEADER, "yes")) : counted;
        }, command.number("parallel", 1)).subscribe(nothing -> { }, failure -> end(code(failure)), () -> end(0)));
    }

    private Mono<Void> counted(long n, Mono<ByteBuffer> answer) {
        return answer.doOnNext(payload -> answers.add(n, ANSWER, payload)).hasElement().doOnNext(found -> {
            if (!found) {
                answers.add(n, EMPTY, NOTHING);
            }
        }).then().onErrorResume(failure -> {
            boolean failed = failure instanceof NetioStreamException told && told.error() == StreamError.SOURCE_FAILED;
            if (!failed && !(failure instanceof TimeoutException)) {
                return Mono.error(failure);
            }
            answers.add(n, failed ? FAILED : CANCELLED, NOTHING);
            return Mono.empty();
        });
    }

    private static Object code(Throwable failure) {
        return failure instanceof NetioStreamException told ? told.code() : "lost";
    }

    private void end(Object code) {
        events.accept(answers.sumIn(Line.of("event end").with("s", command.get("s")).with("code", code)).with("dropped", 0));
    }

    void stop() {
        running.dispose();
    }
}
