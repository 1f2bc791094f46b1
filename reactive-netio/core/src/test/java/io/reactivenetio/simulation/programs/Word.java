// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

/**
 * The vocabulary. A template has {@code $i} for the number i, {@code $i{a|b}} for the word that it chooses, {@code #} for the
 * parts, and {@code @} for the operators that follow. The first number of a statement is when it is run, in microseconds.
 */
enum Word {
    PROGRAM("#", "\n"),

    // statements
    PUBLISH("$0 us: publisher.publish($1, #@)"),
    ENCODE("$0 us: publisher.publish($1, #@, encoder that throws $2{nothing|RuntimeException|AssertionError|IOException|"
            + "NoClassDefFoundError|one without text|one whose text throws} at $3)"),
    PUBLISH_EACH("$0 us: publisher.publishEach($1, tag -> #@)"),
    REPUBLISH("$0 us: publisher.publish($1, #@) when that has ended"),
    RUN("$0 us: #.subscribe(asks for $1{all|batches of $2|batches of $2, later|one by one|$2, and stalls|nothing}$3{|, cancels"
            + " within the first onNext|, cancels within the second onNext})"),
    CANCEL("$0 us: cancel of subscription $1, on another thread"),
    RESPOND("$0 us: connection$1.$2{ofClient|ofServer}.respond($3, concurrency $4, #).subscribe()"),
    RESPOND_SWITCHED("$0 us: Flux.interval($5 us).take($6).switchMap(i -> connection$1.$2{ofClient|ofServer}.respond($3,"
            + " concurrency $4, #)).subscribe()"),
    RESPOND_ALL("server.doOnConnection(connection -> connection.respond($1, concurrency $2, #).subscribe())"),
    STOP_RESPONDING("$0 us: dispose of responders of $3 at connection$1.$2{ofClient|ofServer}"),
    REQUEST("$0 us: connection$1.$2{ofClient|ofServer}.requester($3).request($5 bytes)@.subscribe(), $4 times"),
    SEND("$0 us: connection$1.$2{ofClient|ofServer}.stream($3).$4{send|completion(TRANSMITTED).send|sendBatches, of three"
            + " each,}(#).subscribe()"),
    END_STREAM("$0 us: connection$1.$2{ofClient|ofServer}.stream($3).completeOutbound().subscribe()"),
    CONNECT_NOW("$0 us: client.connectNow(), interrupted after $1 us"),
    DISPOSE("$0 us: connection$1.$2{ofClient|ofServer}.dispose()"),
    CUT("$0 us: the network of connection $1 breaks"),
    PAUSE("$0 us: the $1{client|server} does nothing for $2 us"),
    SHUTDOWN("$0 us: server.shutdown($1 us)"),
    REBIND("$0 us: server.dispose(), and bindNow() at its port"),
    END_PUBLISHER("$0 us: publisher.dispose()"),

    // what subscribers get
    FLOW("subscriber$0.$1{|whenSlow(DROP_NEWEST).|whenSlow(DROP_OLDEST).}subscribe(#)@"),
    RECONNECTING("subscriber$0.reconnect(backoff).subscribe(#)@"),
    SEQUENCED("subscriber$0.subscribeSequenced(#, onStart that throws $1{nothing|RuntimeException|AssertionError|IOException|"
            + "NoClassDefFoundError|one without text|one whose text throws})@"),
    DECODED("subscriber$0.subscribe(decoder that throws $1{nothing|RuntimeException|AssertionError|IOException|"
            + "NoClassDefFoundError|one without text|one whose text throws} at $2, #)@"),
    TOLD("subscriber$0.doOnMissed(throws $1{nothing|RuntimeException|AssertionError|IOException|NoClassDefFoundError|"
            + "one without text|one whose text throws}).whenSlow(DROP_NEWEST).subscribe(#)@"),
    RECEIVE("connection$0.$1{ofClient|ofServer}.stream($2).$3{receive()|receive(decoder)|receiveLeased(), copied and released"
            + "|receiveLeased(), copied and released later|receiveBatches(3), copied}@"),
    TAG("$0"),

    // what users give
    SOURCE("source($0 messages of $1 bytes, $2{at once|from another thread|slowly}, then $3{onComplete|onError|nothing|"
            + "onError without text|onError whose text throws|onError(AssertionError)})"),
    ANSWER("request -> $0 bytes after $1 us, throws $2{nothing|RuntimeException|AssertionError|IOException|NoClassDefFoundError|"
            + "one without text|one whose text throws} $3{at once|in its Mono} for each $4th"),

    // operators
    MAP(".map(x -> x, throws $1{nothing|RuntimeException|AssertionError|IOException} at $0)"),
    FILTER(".filter(each second)"), TAKE(".take($0)"), TAKE_UNTIL(".takeUntil($0)"), SKIP(".skip($0)"),
    CONCAT_MAP(".concatMap(Mono.just)"), FLAT_MAP(".flatMap(delay $1 us, $0)"), SWITCH_MAP(".switchMap(delay $0 us)"),
    PUBLISH_ON(".publishOn(parallel, $0)"), LIMIT_RATE(".limitRate($0)"), BUFFER(".buffer($0)"),
    WINDOW(".window($0).flatMap(x -> x)"), RETRY(".retryWhen(backoff($0, 1 ms))"), REPEAT(".repeat($0)"),
    TIMEOUT(".timeout($0 us)"), SHARE(".share(), subscribed to twice"), REPLAY(".replay($0).refCount(), subscribed to twice"),
    DELAY(".delayElements($0 us)"), RESUME(".onErrorResume(e -> #)"), MERGE(".mergeWith(#)"), CONCAT(".concatWith(#)"),
    ZIP(".zipWith(#)"), CANCEL_WITHIN(".doOnNext(cancels at $0)"), ON_BACKPRESSURE(".onBackpressureBuffer()"),
    SUBSCRIBE_ON(".subscribeOn(parallel)"), PARALLEL(".parallel($0, $1).runOn(parallel, $1).sequential()"),
    CONCAT_LATER(".concatMap(delay $1 us, $0)"), IN_ORDER(".flatMapSequential(delay $1 us, $0)"),
    BUFFER_TIMEOUT(".bufferTimeout($0, $1 us, parallel, $2{|fair})"),
    DROP(".onBackpressureDrop()");

    private final String template;
    private final String separator;

    Word(String template) {
        this(template, ", ");
    }

    Word(String template, String separator) {
        this.template = template;
        this.separator = separator;
    }

    String template() {
        return template;
    }

    String separator() {
        return separator;
    }

    boolean isOperator() {
        return ordinal() >= MAP.ordinal();
    }

    boolean isFlow() {
        return ordinal() >= FLOW.ordinal() && ordinal() < TAG.ordinal();
    }

    /** Whether a program is one without it. */
    boolean mayGo() {
        return isOperator() || ordinal() < FLOW.ordinal() && this != PROGRAM || this == TAG;
    }
}
