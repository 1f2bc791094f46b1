// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.benchmarks.CProgram;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.RoundOptions;
import io.reactivenetio.benchmarks.Summary;
import io.reactivenetio.benchmarks.SystemCalls;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import io.reactivenetio.peers.NetioPeer.Receiving;
import io.reactivenetio.peers.NetioPeer.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Checks what a change may not make much worse: what each message allocates and asks of the kernel, which hardly depends on the
 * machine, and ratios to others within the same rounds, with twice the room that they need.
 */
final class Guard {
    private static final int SIZE = 64;
    private static final int BUFFERS = 64;
    private static final int ROUNDS = 3;
    private static final long MILLIS = 500;
    /** No object has fewer than 16; some kilobytes in a round are not of messages. */
    private static final double MOST_BYTES = 4;
    /** A page has hundreds of messages; under strace it is sent before it is full. */
    private static final double MOST_CALLS = 0.1;

    private final Work work = new Work(Mode.STREAM, SIZE, BUFFERS, Waiting.SLEEP, MILLIS, MILLIS, "tcp");
    private final RoundOptions options;
    private boolean holds = true;

    Guard(RoundOptions options) {
        this.options = options;
    }

    /** Measures, tells every figure, and returns whether all are as they have to be. */
    boolean check() {
        options.say(String.format(Locale.ROOT, "%-72s %10s %10s", SIZE + "-byte messages, receive(decoder)", "seen", "needed"));
        try (CProgram program = CProgram.compile();
                Contender c = Contender.c("C, one message each", "", "", program);
                Contender packing = Contender.c("C, packing pages", "", "-pages", program);
                Contender nio = java(new NioPeer(false), "stream/java.nio");
                Contender netty = java(new NettyPeer(), Peers.STREAM_BASE);
                Contender stream = own(Framing.stream(), Source.SAME_BUFFER);
                Contender batches = own(Framing.stream(), Source.BATCHES_ELSEWHERE);
                Contender page = own(Framing.page(), Source.SAME_BUFFER);
                Contender raw = own(Framing.raw(), Source.SAME_BUFFER)) {
            List<Contender> all = List.of(c, packing, nio, netty, stream, batches, page, raw);
            all.forEach(contender -> contender.run(work)); // the JIT compiler's round
            List<List<Sample>> samples = new ArrayList<>();
            all.forEach(contender -> samples.add(new ArrayList<>()));
            for (int round = 0; round < ROUNDS; round++) {
                IntStream.range(0, all.size()).forEach(i -> samples.get(i).add(all.get(i).run(work)));
            }
            List<Sample> streams = samples.get(all.indexOf(stream));
            List<Sample> pages = samples.get(all.indexOf(page));
            allocation("STREAM", streams);
            allocation("PAGE", pages);
            allocation("RAW", samples.get(all.indexOf(raw)));
            ratio("STREAM to Reactor Netty", streams, samples.get(all.indexOf(netty)), 1.2);
            ratio("STREAM to java.nio by hand", streams, samples.get(all.indexOf(nio)), 0.1);
            ratio("STREAM, batches of another thread to one buffer", samples.get(all.indexOf(batches)), streams, 0.2);
            ratio("PAGE to C, packing pages", pages, samples.get(all.indexOf(packing)), 0.1);
            ratio("RAW to C, one message each", samples.get(all.indexOf(raw)), samples.get(all.indexOf(c)), 0.3);
            if (SystemCalls.canCount()) {
                calls("STREAM", stream);
                calls("PAGE", page);
            } else {
                options.say("system calls are not counted: strace is missing, or may not trace");
            }
        }
        pipeline(Pipeline.CONCAT_MAP, 0.6);
        pipeline(Pipeline.FLAT_MAP, 0.6);
        pipeline(Pipeline.PUBLISH_ON, 0.6);
        pipeline(Pipeline.LIMIT_RATE_100, 0.6);
        return holds;
    }

    private void pipeline(Pipeline pipeline, double least) {
        PipelinePeer own = new PipelinePeer(pipeline, Via.LIBFABRIC);
        PipelinePeer others = new PipelinePeer(pipeline, null);
        try (Contender stream = java(own, own.word()); Contender netty = java(others, others.word())) {
            stream.run(work);
            netty.run(work);
            List<Sample> streams = new ArrayList<>();
            List<Sample> nettys = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                streams.add(stream.run(work));
                nettys.add(netty.run(work));
            }
            ratio(pipeline.title() + " to Reactor Netty with it", streams, nettys, least);
        }
    }

    private static Contender own(Framing framing, Source source) {
        NetioPeer peer = new NetioPeer(framing, Via.LIBFABRIC, Receiving.DECODED, source);
        return java(peer, peer.word());
    }

    private static Contender java(Peer peer, String word) {
        return Contender.java(word, peer);
    }

    private void allocation(String who, List<Sample> samples) {
        double[] bytes = samples.stream().mapToDouble(sample -> Math.max(sample.sent().allocatedPerMessage(),
                sample.received().allocatedPerMessage())).toArray();
        atMost(who + ": bytes allocated for each message, the worse side", Summary.median(bytes), MOST_BYTES);
    }

    private void calls(String who, Contender contender) {
        SystemCalls calls = contender.calls(work);
        atMost(who + ": system calls for each message, sender", calls.sender().perMessage(), MOST_CALLS);
        atMost(who + ": system calls for each message, receiver", calls.receiver().perMessage(), MOST_CALLS);
    }

    private void ratio(String what, List<Sample> own, List<Sample> others, double least) {
        double[] ratios = IntStream.range(0, own.size())
                .mapToDouble(i -> own.get(i).perSecond() / others.get(i).perSecond()).toArray();
        double ratio = Summary.median(ratios);
        tell("rate of " + what, ratio, "≥ " + least, ratio >= least);
    }

    private void atMost(String what, double seen, double most) {
        tell(what, seen, "≤ " + most, seen <= most);
    }

    private void tell(String what, double seen, String needed, boolean asNeeded) {
        holds &= asNeeded;
        options.say(String.format(Locale.ROOT, "%-72s %10s %10s %s", what, Summary.figure("%.4f", seen), needed,
                asNeeded ? "ok" : "FAILED"));
    }
}
