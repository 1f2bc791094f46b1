// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.SharedBuffers;
import org.jspecify.annotations.Nullable;

/**
 * The settings that {@link RawFraming} and {@link PageFraming} have in common. They have no handshake, and promise no buffers to
 * the peer.
 *
 * @param <T> what a setting returns: {@code RawFraming} or {@code PageFraming}
 */
public abstract sealed class PlainFraming<T extends PlainFraming<T>> extends FramingSpec permits RawFraming, PageFraming {
    private final Common common;

    /** Null: each connection has buffers of its own. */
    record Common(EndSignal end, @Nullable SharedBuffers receiveBuffers, @Nullable SharedBuffers sendBuffers) {
        static final Common DEFAULT = new Common(EndSignal.ERROR, null, null);
    }

    PlainFraming(String name, Common common) {
        super(name);
        this.common = common;
    }

    /** This framing with other settings of these. */
    abstract T with(Common changed);

    final Common common() {
        return common;
    }

    final boolean emptyMessageEnds() {
        return common.end == EndSignal.EMPTY_MESSAGE;
    }

    final boolean closeEnds() {
        return common.end == EndSignal.PEER_CLOSE;
    }

    @Override
    final BackendConfig backend(BackendConfig all) {
        return all.withSharedReceiveBuffers(common.receiveBuffers).withSharedSendBuffers(common.sendBuffers);
    }

    /** How a received stream ends: {@link EndSignal#ERROR} unless set. */
    public final T endSignal(EndSignal end) {
        return with(new Common(end, common.receiveBuffers, common.sendBuffers));
    }

    /**
     * Lets connections share {@code number} receive buffers of {@code size} bytes, instead of those that
     * {@link NetioTransport#receiveBuffers} gives each. Those connections share them that one loop runs for servers and clients
     * with the same settings. Memory then stays the same however many connections there are. A message that nobody asks for keeps
     * one buffer from all of them; docs/backend.md says how the buffers are shared out. They stay until the loop ends.
     *
     * @throws IllegalArgumentException if {@code number} is not 1 to 1,048,576, or {@code size} is less than 1
     */
    public final T sharedReceiveBuffers(int size, int number) {
        return with(new Common(common.end, new SharedBuffers(size, number), common.sendBuffers));
    }

    /**
     * Lets connections share {@code number} send buffers of {@code size} bytes, instead of those that
     * {@link NetioTransport#sendBuffers} gives each. The connections that share them, and how long the buffers stay, are those of
     * {@link #sharedReceiveBuffers}. Three more than asked for are allocated.
     *
     * @throws IllegalArgumentException if {@code number} is not 1 to 1,048,576, or {@code size} is less than 1
     */
    public final T sharedSendBuffers(int size, int number) {
        return with(new Common(common.end, common.receiveBuffers, new SharedBuffers(size, number)));
    }
}
