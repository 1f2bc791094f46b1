// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.framing.page.PageProvider;
import io.reactivenetio.framing.raw.RawProvider;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamConfig;
import io.reactivenetio.framing.stream.StreamProvider;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** What arrives in one turn of the loop: messages of one size, each in a buffer of its own with RAW framing, else in one page. */
final class Arrival {
    private final ConnectionConfig config;
    private final MemoryMessage message;
    private final int buffers;
    private final @Nullable FrameWriter header;
    private final FrameReader reader = new FrameReader(false);
    private int dataPages;
    private int controlPages;

    private Arrival(FramingProvider framing, ByteBuffer data, int buffers, @Nullable FrameWriter header) {
        this.config = new ConnectionConfig(BackendType.TCP, BackendConfig.defaults(), ConnectionParameters.defaults(),
                framing, LeasePolicy.COPY, ByteOrder.LITTLE_ENDIAN);
        this.message = new MemoryMessage(data);
        this.buffers = buffers;
        this.header = header;
    }

    static Arrival of(FramingKind framing, int size, int messages) {
        ByteBuffer payload = Memory.message(size);
        return switch (framing) {
            case RAW -> new Arrival(new RawProvider(false, false), payload, messages, null);
            case PAGE -> new Arrival(new PageProvider(false, false, 0, 0), Memory.taggedPage(payload, messages), 1, null);
            case STREAM -> {
                FrameWriter writer = new FrameWriter(false);
                yield new Arrival(new StreamProvider(new StreamConfig(64 << 20, 128L << 20, 4_096, 5_000, false,
                        Prefetch.ADAPTIVE, 5_000_000_000L)), Memory.streamPage(writer, payload, messages), 1,
                        writer);
            }
        };
    }

    /** Creates a peer that has nothing to send, and wants all that is sent to it. */
    static Arrival ofDemand(FramingKind framing) {
        FramingProvider used = of(framing, 0, 1).config.framing();
        ByteBuffer page = Memory.page();
        if (framing != FramingKind.STREAM) {
            return new Arrival(used, page, 0, null);
        }
        FrameWriter writer = new FrameWriter(false).begin(page);
        writer.request(0, 1L << 40); // often enough for ever
        return new Arrival(used, page.limit(writer.size()), 1, writer);
    }

    /** How the connection is made that it arrives on. */
    ConnectionConfig config() {
        return config;
    }

    /** What the peer says first, which accepts. */
    ConnectionData greeting() {
        return config.framing().parameters(config, false).data();
    }

    MemoryMessage message() {
        return message;
    }

    /** How often that arrives. */
    int buffers() {
        return buffers;
    }

    /** The peer has this page behind it, or message. */
    void sent(ByteBuffer page) {
        if (header == null) {
            return;
        }
        try {
            if (reader.begin(page).isDataPage()) {
                dataPages++;
            } else {
                controlPages++;
            }
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The next page of its own says how many the peer has behind it. */
    void returnCredits() {
        if (header != null) {
            header.finish(dataPages, controlPages);
            dataPages = 0;
            controlPages = 0;
        }
    }
}
