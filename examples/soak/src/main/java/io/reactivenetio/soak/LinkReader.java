// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.retry.Retry;

/** Reads the links of one server, through its deaths, and checks each fragment. */
final class LinkReader extends BaseSubscriber<SequencedEvent> {
    private static final int BATCH = 64;
    private static final int BUFFER = 4_096;
    private static final int BUFFERS = 8;
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMillis(500);
    private static final long SLOW_MILLIS = 500;
    private static final long LIMIT_NANOS = TimeUnit.HOURS.toNanos(1);

    private final VirtualCluster cluster;
    private final NetioLoops loops;
    private final FrontEnd server;
    private final Histogram delays;
    private final RunCheck check = new RunCheck();
    private int left = BATCH;
    private boolean slow;
    private long steadySince;

    /** {@code delays} get the time of each fragment from its server to here, in nanoseconds of the virtual clock. */
    LinkReader(VirtualCluster cluster, NetioLoops loops, FrontEnd server, Histogram delays) {
        this.cluster = cluster;
        this.loops = loops;
        this.server = server;
        this.delays = delays;
    }

    void start() {
        NetioClient client = NetioClient.create().host("127.0.0.1").port(server.port()).backend(BackendType.TCP).runOn(loops)
                .framing(Framing.stream()).receiveBuffers(BUFFER, BUFFERS).sendBuffers(BUFFER, BUFFERS);
        NetioSubscriber.create(client)
                .reconnect(Retry.backoff(Long.MAX_VALUE, SHORTEST).maxBackoff(LONGEST).jitter(0)
                        .scheduler(loops.scheduler()))
                .subscribeSequenced(server.tags()).subscribe(this);
    }

    /** From now on this takes a batch in 500 ms, or as it comes. */
    void slow(boolean now) {
        slow = now;
        steadySince = cluster.now();
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        request(BATCH);
    }

    @Override
    protected void hookOnNext(SequencedEvent event) {
        check.take(event);
        if (event instanceof SequencedMessage message) {
            look(message.message());
        }
        if (--left == 0) {
            left = BATCH;
            if (slow) {
                loops.scheduler().schedule(() -> request(BATCH), SLOW_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                request(BATCH);
            }
        }
    }

    private void look(TaggedMessage message) {
        byte[] bytes = new byte[FrontEnd.FRAGMENT];
        if (message.payload().remaining() != bytes.length) {
            check.fault(server.tags() + ": a fragment of " + message.payload().remaining() + " bytes");
            return;
        }
        message.payload().get(bytes);
        ByteBuffer read = ByteBuffer.wrap(bytes);
        long link = read.getLong();
        read.getLong();
        long sent = read.getLong();
        if (link != message.tag() || read.getInt() != FrontEnd.checksum(bytes)) {
            check.fault(server.tags() + ": a fragment is damaged, or of another link");
        }
        if (!slow && sent >= steadySince) {
            delays.recordValue(Math.min(LIMIT_NANOS, cluster.now() - sent));
        }
    }

    @Override
    protected void hookOnError(Throwable failure) {
        check.fault(server.tags() + ": it failed: " + failure);
    }

    @Override
    protected void hookOnComplete() {
        check.fault(server.tags() + ": it ended");
    }

    RunCheck check() {
        return check;
    }

    /** Returns what was published by runs that died, and neither arrived nor was told as missing. */
    long lostWithTheDead() {
        long lost = 0;
        for (int i = 0; i < check.runs().size() - 1; i++) {
            lost += left(i);
        }
        return lost;
    }

    /** Returns what the present run has published, and neither arrived nor was told as missing. */
    long untold() {
        return check.runs().isEmpty() ? server.runs().getLast() : left(check.runs().size() - 1);
    }

    private long left(int run) {
        RunCheck.Run came = check.runs().get(run);
        return server.runs().get(run) - came.arrived() - came.missing();
    }

    /** Returns whether each run of the server was told to begin here. */
    boolean hasSeenAllRuns() {
        return check.runs().size() == server.runs().size();
    }
}
