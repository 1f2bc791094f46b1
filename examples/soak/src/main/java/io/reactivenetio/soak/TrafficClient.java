// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.conformance.Line;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedEvent;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** The side of mixed traffic that asks, subscribes and connects, and looks at every message. */
final class TrafficClient {
    private static final int FLEETING = 10;
    private static final int HELD = 32;
    private static final int ELSEWHERE = 100;
    private static final int OF_EACH_CONNECT = 10;
    private static final int AT_A_TIME = 8;
    private static final double TAIL = 99.9;
    private static final Duration ANSWER = Duration.ofSeconds(20);

    private final WorkerLines lines;
    private final Faults faults = new Faults();
    private final PlantedFaults planted;
    private final NetioMetrics metrics = new NetioMetrics();
    private final Recorder latencies = new Recorder(2);
    private final LongAdder messages = new LongAdder();
    private final AtomicLong connects = new AtomicLong();
    private final AtomicLong leases = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private final List<Disposable> pipelines = Collections.synchronizedList(new ArrayList<>());
    private final List<Sequenced> sequenced = Collections.synchronizedList(new ArrayList<>());
    private final List<Lease> leaked = Collections.synchronizedList(new ArrayList<>());
    private final List<Deque<Lease>> held = Collections.synchronizedList(new ArrayList<>());

    private volatile boolean ending;

    private TrafficClient(WorkerLines lines, PlantedFaults planted) {
        this.lines = lines;
        this.planted = planted;
    }

    /** Plays it: {@code PLANT ONE_IN DIRECTORY (WAY PORT PORT PORT)…}. */
    static void run(WorkerLines lines, List<String> arguments) throws Exception {
        TrafficClient client = new TrafficClient(lines, new PlantedFaults(arguments.get(0), Integer.parseInt(arguments.get(1))));
        client.run(Path.of(arguments.get(2)), arguments.subList(3, arguments.size()));
    }

    private void run(Path directory, List<String> ways) throws Exception {
        List<NetioLoops> loops = new ArrayList<>();
        for (int i = 0; i < ways.size(); i += 4) {
            TrafficWay way = TrafficWay.valueOf(ways.get(i));
            loops.add(way.loops());
            NetioClient client = client(way, loops.getLast());
            steady(client.port(Integer.parseInt(ways.get(i + 1))));
            fleeting(client.port(Integer.parseInt(ways.get(i + 2))));
            waiting(client.port(Integer.parseInt(ways.get(i + 3))));
        }
        NetioClient first = client(TrafficWay.valueOf(ways.getFirst()), loops.getFirst()).port(Integer.parseInt(ways.get(1)));
        TrafficRecording recording = new TrafficRecording(directory, subscriber(first), faults);
        pipelines.add(Flux.interval(Duration.ofSeconds(1)).subscribe(tick -> sequenced.forEach(Sequenced::look)));
        lines.say("started");
        Line command;
        while ((command = lines.next()) != null && !command.head().equals("stop")) {
            if (command.head().equals("sample")) {
                Histogram histogram = latencies.getIntervalHistogram();
                lines.say("sample", "tail", TimeUnit.NANOSECONDS.toMicros(histogram.getValueAtPercentile(TAIL)), "messages",
                        messages(), "connects", connects, "answers", answers, "leases", leases, "faults", faults.count());
            } else {
                latencies.reset();
            }
        }
        recording.end();
        ending = true;
        held.forEach(TrafficClient::release);
        // before the end of the connections, which takes leases back
        long leased = Waiting.within(Duration.ofSeconds(5), () -> leased() == 0) ? 0 : leased();
        List.copyOf(pipelines).forEach(Disposable::dispose);
        List.copyOf(sequenced).forEach(Sequenced::dispose);
        lines.say("report", "messages", messages(), "connects", connects, "answers", answers, "leases", leases, "missing",
                sequenced.stream().mapToLong(Sequenced::missing).sum(), "leased", leased,
                "recorded", recording.events(), "planted", planted.planted(), "faults", faults.count(), "text", faults);
        loops.forEach(NetioLoops::dispose);
        lines.await("end");
    }

    private NetioClient client(TrafficWay way, NetioLoops loops) {
        return NetioClient.create().host("127.0.0.1").backend(way.backend()).runOn(loops).metrics(metrics);
    }

    private long messages() {
        return messages.sum() + List.copyOf(sequenced).stream().mapToLong(Sequenced::arrived).sum();
    }

    private long leased() {
        return metrics.statistics().total().leasedBuffers() + metrics.statistics().total().leasedCopies();
    }

    private static void release(Deque<Lease> leases) {
        synchronized (leases) {
            leases.forEach(Lease::release);
            leases.clear();
        }
    }

    private static NetioSubscriber subscriber(NetioClient client) {
        return NetioSubscriber.create(client);
    }

    /** Looks at every message of a source of one's own, none of which may be missing. */
    private final class Counted {
        private final Tags tags;
        private final Pattern pattern;
        private long next;

        Counted(Tags tags) {
            this.tags = tags;
            this.pattern = Objects.requireNonNull(TrafficServer.PATTERNS.get(tags));
        }

        long look(ByteBuffer message) {
            long number = message.getLong();
            String fault = pattern.fault(number, message);
            if (fault != null) {
                faults.add(tags + ": " + fault);
            }
            return number;
        }

        void count(long number) {
            messages.increment();
            if (number != next) {
                faults.add(tags + ": " + number + " came where " + next + " was next");
            }
            next = number + 1;
        }
    }

    /** Everything on connections that stay. */
    private void steady(NetioClient client) {
        NetioSubscriber subscriber = subscriber(client);
        for (Tags tags : List.of(TrafficServer.BULK, TrafficServer.SIZES, TrafficServer.LARGE)) {
            Counted counted = new Counted(tags);
            keep(tags.toString(), subscriber.<Long>subscribe(counted::look, tags).filter(number -> !planted.loses())
                    .doOnNext(counted::count));
        }
        Counted counted = new Counted(TrafficServer.LEASED);
        Deque<Lease> waiting = new ArrayDeque<>();
        held.add(waiting);
        keep("leases", subscriber.subscribeLeased(TrafficServer.LEASED).doOnNext(lease -> {
            counted.count(counted.look(lease.buffer()));
            take(lease, waiting);
        }));
        ask(client);
        connects(client);
        sequenced.add(new Sequenced(hot(client, SlowPolicy.DROP_OLDEST), faults));
        for (SlowPolicy policy : List.of(SlowPolicy.DROP_OLDEST, SlowPolicy.DROP_NEWEST)) {
            sequenced.add(new Sequenced(slow(hot(client, policy)), faults));
        }
        sequenced.add(new Sequenced(slow(hot(client, SlowPolicy.ERROR) // which ends a slow one
                .retryWhen(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(50)))), faults));
    }

    private static Flux<SequencedEvent> hot(NetioClient client, SlowPolicy policy) {
        return subscriber(client).whenSlow(policy).subscribeSequenced(TrafficServer.HOT);
    }

    private static Flux<SequencedEvent> slow(Flux<SequencedEvent> events) {
        return events.concatMap(event -> Mono.delay(Duration.ofMillis(2)).thenReturn(event));
    }

    private void take(Lease lease, Deque<Lease> waiting) {
        leases.incrementAndGet();
        if (planted.leaks()) {
            leaked.add(lease);
            return;
        }
        Lease oldest;
        synchronized (waiting) {
            waiting.add(lease);
            oldest = ending || waiting.size() > HELD ? waiting.remove() : null;
        }
        if (oldest != null && leases.get() % ELSEWHERE == 0) {
            Schedulers.parallel().schedule(oldest::release);
        } else if (oldest != null) {
            oldest.release();
        }
    }

    private void ask(NetioClient client) {
        Pattern pattern = Pattern.upTo(1 << 12);
        keep("requests", client.connect().flatMapMany(connection -> {
            NetioRequester requester = connection.requester(TrafficServer.QUESTIONS);
            return Flux.interval(Duration.ofMillis(2)).onBackpressureDrop().flatMap(number -> {
                ByteBuffer question = ByteBuffer.allocate(pattern.size(number));
                pattern.encode(number, question);
                long start = System.nanoTime();
                return requester.request(question.flip(), ANSWER).doOnNext(answer -> {
                    latencies.recordValue(System.nanoTime() - start);
                    answers.incrementAndGet();
                    String fault = answer.getLong() == number ? pattern.fault(number, answer) : "another answer";
                    if (fault != null) {
                        faults.add("answers: " + fault);
                    }
                });
            }, AT_A_TIME).doFinally(signal -> connection.dispose());
        }));
    }

    private void waiting(NetioClient client) {
        sequenced.add(new Sequenced(subscriber(client).subscribeSequenced(TrafficServer.WAITING), faults).wanting());
        sequenced.add(new Sequenced(subscriber(client).subscribeSequenced(TrafficServer.WAITING)
                .concatMap(event -> event.hashCode() % 16 == 0 ? Mono.delay(Duration.ofMillis(5)).thenReturn(event)
                        : Mono.just(event)), faults).wanting());
    }

    /** Connections that the server loses. */
    private void fleeting(NetioClient client) {
        for (int i = 0; i < FLEETING; i++) {
            sequenced.add(new Sequenced(subscriber(client).reconnect(Retry.from(failures -> failures.concatMap(failure -> {
                connects.incrementAndGet();
                return planted.forgets() ? Mono.never() : Mono.delay(Duration.ofMillis(10));
            }))).subscribeSequenced(TrafficServer.HOT), faults));
        }
    }

    /** Connections that last for ten messages. */
    private void connects(NetioClient client) {
        Pattern pattern = Objects.requireNonNull(TrafficServer.PATTERNS.get(TrafficServer.BULK));
        keep("connects", Flux.interval(Duration.ofMillis(20)).onBackpressureDrop().concatMap(tick -> client.connect()
                .flatMapMany(connection -> connection.stream(TrafficServer.BULK.first()).receive(message -> {
                    long number = message.getLong();
                    String fault = pattern.fault(number, message);
                    return fault == null ? Long.toString(number) : fault;
                }).take(OF_EACH_CONNECT).doFinally(signal -> connection.dispose())).collectList()
                .doOnNext(seen -> {
                    connects.incrementAndGet();
                    if (!seen.equals(List.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"))) {
                        faults.add("a connect got " + seen);
                    }
                })));
    }

    /** Subscribes to what must not end. */
    private void keep(String what, Flux<?> flux) {
        pipelines.add(flux.subscribe(each -> { }, failure -> faults.add(what + " failed: " + failure + ", caused by "
                + failure.getCause()),
                () -> faults.add(what + " ended")));
    }
}
