// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.wire.ProtocolException;
import io.reactivenetio.wire.SlowPolicy;
import io.reactivenetio.wire.TagPattern;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The streams that the peer receives, by the numbers that it gives them, and where sends for them come in. On the loop. */
final class OutStreams {
    private final StreamTraffic traffic;
    private final int most;
    private final OutStream zero;
    private final SendPort first;
    private final Map<Integer, OutStream> streams = new HashMap<>();
    /** Any thread. Those that nobody here has asked for go with their stream. */
    private final Map<Long, SendPort> ports = new ConcurrentHashMap<>();

    private @Nullable TagService service;

    /** {@code most} at a time besides stream 0. */
    OutStreams(StreamTraffic traffic, int most) {
        this.traffic = traffic;
        this.most = most;
        zero = new OutStream(traffic, 0, null);
        first = new SendPort(traffic, 0);
        first.open(zero);
    }

    /** For stream 0. Any thread. */
    SendPort first() {
        return first;
    }

    /** For a tag. Any thread. */
    SendPort port(long tag) {
        return Objects.requireNonNull(ports.compute(tag, (key, known) -> {
            SendPort port = known != null ? known : new SendPort(traffic, tag);
            port.keep();
            return port;
        }));
    }

    void serve(TagService tags) {
        service = tags;
    }

    void subscribe(int id, TagPattern pattern, SlowPolicy policy) throws ProtocolException {
        OutStream stream = new OutStream(traffic, id, pattern);
        if (streams.containsKey(id)) {
            throw new ProtocolException("SUBSCRIBE of stream " + Integer.toUnsignedString(id) + ", which is open");
        }
        boolean tooMany = streams.size() >= most;
        streams.put(id, stream);
        if (tooMany) {
            stream.fail(OutStream.LIMIT, most + " streams are open, which is all that is allowed here");
        } else if (!serve(stream, pattern, policy)) {
            send(stream, pattern);
        }
    }

    /** False if the service has none of these tags. */
    private boolean serve(OutStream stream, TagPattern pattern, SlowPolicy policy) {
        if (service == null) {
            return false;
        }
        try {
            Feed feed = service.serve(pattern, policy);
            if (feed == null) {
                return false;
            }
            stream.serve(feed);
        } catch (RuntimeException e) { // the user's
            stream.fail(OutStream.SOURCE_FAILED, e.toString());
        }
        return true;
    }

    /** For those that send with this tag. */
    private void send(OutStream stream, TagPattern pattern) {
        boolean exact = pattern.kind() == TagPattern.Kind.EXACT;
        if (service != null && !(exact && ports.containsKey(pattern.tag()))) {
            stream.fail(OutStream.NOT_SERVED, exact ? "nobody serves tag " + Long.toUnsignedString(pattern.tag())
                    : "nobody serves any of these tags");
        } else if (!exact) {
            stream.fail(OutStream.NOT_SERVED, "only single tags are served here");
        } else {
            SendPort port = ports.computeIfAbsent(pattern.tag(), key -> new SendPort(traffic, key));
            if (port.isOpen()) {
                stream.fail(OutStream.LIMIT, "the connection is subscribed to tag " + Long.toUnsignedString(pattern.tag())
                        + " already");
            } else {
                port.open(stream);
            }
        }
    }

    void request(int id, long n) {
        OutStream stream = find(id);
        if (stream != null) {
            stream.request(n);
        }
    }

    void cancel(int id) {
        OutStream stream = find(id);
        if (stream != null) {
            stream.cancel();
        }
    }

    /** Null if it is not open: its end has crossed what the peer says of it. */
    private @Nullable OutStream find(int id) {
        return id == 0 ? zero : streams.get(id);
    }

    void remove(OutStream stream) {
        TagPattern pattern = stream.pattern();
        if (pattern == null || !streams.remove(stream.id(), stream)) {
            return;
        }
        ports.computeIfPresent(pattern.tag(), (tag, port) -> {
            port.closed(stream);
            return port.isKept() || port.isOpen() ? port : null;
        });
    }

    void close(String what, @Nullable Throwable cause) {
        first.close(what, cause);
        ports.values().forEach(port -> port.close(what, cause));
        List.copyOf(streams.values()).forEach(stream -> stream.close(what, cause));
        streams.clear();
    }
}
