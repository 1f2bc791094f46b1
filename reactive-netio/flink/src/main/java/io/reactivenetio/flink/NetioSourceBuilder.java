// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.flink.NetioSourceOptions.TagRange;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.recorder.NetioRecordingServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.util.function.SerializableFunction;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link NetioSource}. It needs an endpoint, a tag and a deserializer. It is changed by its methods, and not for
 * several threads.
 *
 * @param <T> the records of the source
 */
public final class NetioSourceBuilder<T> {
    /** How many events of a split wait for the task at most, unless set. */
    public static final int DEFAULT_HAND_OVER = 1_024;

    private static final int MOST_HAND_OVER = 1 << 20;

    private final List<NetioEndpoint> endpoints = new ArrayList<>();
    private final List<TagRange> tags = new ArrayList<>();
    private @Nullable Long discovers;
    private @Nullable NetioDeserializationSchema<T> schema;
    private @Nullable SlowPolicy whenSlow;
    private long attempts = Long.MAX_VALUE;
    private Duration first = Duration.ofMillis(100);
    private Duration most = Duration.ofSeconds(5);
    private GapHandling onGap = GapHandling.TELL;
    private int handOver = DEFAULT_HAND_OVER;
    private SerializableFunction<NetioClient, NetioClient> client = given -> given;
    private boolean recording;
    private boolean follow;
    private @Nullable Instant begin;
    private boolean orOldest;

    NetioSourceBuilder() {
    }

    /**
     * Adds a publisher. All tags are subscribed to at each.
     *
     * @throws IllegalArgumentException if the host is blank, the port not 1 to 65,535, or both were added before
     */
    public NetioSourceBuilder<T> endpoint(String host, int port) {
        NetioEndpoint endpoint = new NetioEndpoint(host, port);
        if (endpoints.contains(endpoint)) {
            throw new IllegalArgumentException("the endpoint " + endpoint + " twice");
        }
        endpoints.add(endpoint);
        return this;
    }

    /**
     * Adds a tag that the publishers publish by itself.
     *
     * @throws IllegalArgumentException if it is among those added before
     */
    public NetioSourceBuilder<T> tag(long tag) {
        return tags(tag, tag);
    }

    /**
     * Adds the tags {@code first} to {@code last}, which the publishers publish with one {@code publish}: exactly these, as only
     * then their messages have numbers.
     *
     * @throws IllegalArgumentException if {@code last} is less than {@code first}, compared without sign, or one of the tags is
     *     among those added before
     */
    public NetioSourceBuilder<T> tags(long first, long last) {
        TagRange range = new TagRange(first, last);
        if (Long.compareUnsigned(last, first) < 0 || tags.stream().anyMatch(range::overlaps)) {
            throw new IllegalArgumentException("tags from " + Long.toUnsignedString(first) + " to " + Long.toUnsignedString(last)
                    + ": they must be in order, and none among those added before");
        }
        tags.add(range);
        return this;
    }

    /**
     * Lets each publisher say which tags it publishes, at {@code tag}: see {@link
     * io.reactivenetio.pubsub.NetioPublisher#publishTags}. Each of its shared sources is then a split. A publisher is asked when
     * the job begins and when it is restored, and again until it answers, as often as {@link #reconnect} says. What it publishes
     * later is found by the next restore.
     */
    public NetioSourceBuilder<T> discoverTags(long tag) {
        discovers = tag;
        return this;
    }

    /** Sets what makes records of the messages. */
    public NetioSourceBuilder<T> deserializer(NetioDeserializationSchema<T> made) {
        schema = Objects.requireNonNull(made, "deserializer");
        return this;
    }

    /** Wishes what the publishers do while the pipeline is slow. Unless set, they do what they are configured to do. */
    public NetioSourceBuilder<T> whenSlow(SlowPolicy wished) {
        whenSlow = Objects.requireNonNull(wished, "whenSlow");
        return this;
    }

    /**
     * Sets how often in a row a connection that is lost or cannot be made is tried again, and the pauses before: the first,
     * then twice as long each time until {@code longest}. After that many attempts the job fails, and Flink's restart strategy
     * decides. With 0 it fails at once. Unless set, it is tried again for ever, after 100 ms to 5 s. {@link
     * NetioSubscriber#isTransient} says which failures are tried again; others always fail the job. No pause exceeds a day.
     *
     * @throws IllegalArgumentException if a number is negative, or {@code longest} less than {@code pause}
     */
    public NetioSourceBuilder<T> reconnect(long maxAttempts, Duration pause, Duration longest) {
        if (maxAttempts < 0 || pause.isNegative() || longest.compareTo(pause) < 0) {
            throw new IllegalArgumentException("reconnect " + maxAttempts + " times after " + pause + " to " + longest);
        }
        attempts = maxAttempts;
        first = pause;
        most = longest;
        return this;
    }

    /** Sets what happens when messages are missing. Unless set, it is {@link GapHandling#TELL}. */
    public NetioSourceBuilder<T> onGap(GapHandling handling) {
        onGap = Objects.requireNonNull(handling, "onGap");
        return this;
    }

    /**
     * Sets how many events of each split wait for the task at most, between the connection and the pipeline:
     * {@value #DEFAULT_HAND_OVER} unless set. It is rounded up to a power of two.
     *
     * @throws IllegalArgumentException if it is not 4 to 1,048,576
     */
    public NetioSourceBuilder<T> handOver(int events) {
        if (events < 4 || events > MOST_HAND_OVER) {
            throw new IllegalArgumentException("the hand-over must be of 4 to " + MOST_HAND_OVER + " events: " + events);
        }
        handOver = Integer.highestOneBit(events - 1) << 1;
        return this;
    }

    /**
     * Reads what was recorded of the tags. The endpoints are then not publishers but servers of recordings, see {@link
     * NetioRecordingServer}. A job begins with the oldest that there is, and goes on behind the position of its checkpoint: each
     * message is in its state exactly once. Records have the time of their recording as their timestamp, unless a timestamp
     * assigner gives them another.
     *
     * @param followed whether to go on at the end with what is recorded from then on. If not, the source is bounded: it ends with
     *     what is recorded when it gets there
     */
    public NetioSourceBuilder<T> recording(boolean followed) {
        recording = true;
        follow = followed;
        return this;
    }

    /** Lets a job that begins read a recording from the first message that was recorded at this time or later. */
    public NetioSourceBuilder<T> recordedFrom(Instant time) {
        begin = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Lets a job that reads a recording go on with the oldest that there is when the run of its checkpoint's position is not in
     * the recording any more, as when it was deleted for being old. It is told so as a run change, and the gap up to the first
     * message that is left, which {@link GapHandling#FAIL} fails at. Unless set, the job fails with UNKNOWN_RUN, at each restart.
     *
     * <p>A recording that has lost its newest run, as when its machine failed and nothing was forced to the disk, has an older
     * one as its oldest. Then records come again that the job has had.
     */
    public NetioSourceBuilder<T> orOldest() {
        orOldest = true;
        return this;
    }

    /**
     * Changes the clients that connect: their backend, provider, buffers or largest message. {@code change} is copied to each
     * reader by Java serialization, and called there with a client that has the host and the port. Loops that it sets are
     * replaced by the reader's own.
     */
    public NetioSourceBuilder<T> client(SerializableFunction<NetioClient, NetioClient> change) {
        client = Objects.requireNonNull(change, "client");
        return this;
    }

    /**
     * Creates the source.
     *
     * @throws IllegalStateException if there is no endpoint, no tag or no deserializer, if tags are both named and discovered,
     *     if whenSlow or discoverTags is set for a recording, or recordedFrom or orOldest for live publishers
     */
    public NetioSource<T> build() {
        NetioDeserializationSchema<T> made = schema;
        Long discovered = discovers;
        if (endpoints.isEmpty() || tags.isEmpty() && discovered == null || made == null) {
            throw new IllegalStateException("a source needs an endpoint, a tag and a deserializer: there are " + endpoints.size()
                    + " endpoints, " + tags.size() + " tags and " + (made == null ? "no" : "a") + " deserializer");
        }
        if (discovered != null && (recording || !tags.isEmpty())) {
            throw new IllegalStateException("discoverTags is for live publishers, and instead of tags that are named");
        }
        if (recording && whenSlow != null) {
            throw new IllegalStateException("a recording waits for a pipeline that is slow: whenSlow is for live publishers");
        }
        if ((orOldest || begin != null) && !recording) {
            throw new IllegalStateException("live publishers keep nothing: recordedFrom and orOldest are for a recording");
        }
        Reconnects reconnects = new Reconnects(attempts, first, most, client);
        EventOrigin.Factory origin = recording ? new RecordedOrigin.Config(reconnects, follow, begin, orOldest)
                : new LiveOrigin.Config(whenSlow, reconnects);
        NetioSourceOptions options = new NetioSourceOptions(List.copyOf(endpoints), List.copyOf(tags), discovered != null, onGap,
                handOver);
        return new NetioSource<>(options,
                discovered == null ? null : new TagDiscovery.Config(options.endpoints(), discovered, reconnects), origin, made,
                recording && !follow ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED);
    }
}
