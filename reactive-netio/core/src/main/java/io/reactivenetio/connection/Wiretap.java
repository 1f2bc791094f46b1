// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendLayer;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what one connection sends and receives, buffer by buffer. It stands between the connection and its backend, in both
 * directions. So a connection that nobody listens to does nothing more for it. On the loop, and on threads that send.
 */
final class Wiretap extends BackendLayer {
    private final Endpoint endpoint;
    private final Logger log;
    private final int mostBytes;
    /** Null while the connection is being made: it has sent nothing yet. */
    private volatile @Nullable Connection connection;

    private Wiretap(NetworkBackend backend, Endpoint endpoint, Logger log, int mostBytes) {
        super(backend);
        this.endpoint = endpoint;
        this.log = log;
        this.mostBytes = mostBytes;
    }

    /** One for {@code endpoint}; null if {@code config} wants none, or its log has no DEBUG at present. */
    static @Nullable Wiretap on(NetworkBackend backend, Endpoint endpoint, ConnectionConfig config) {
        WiretapConfig wanted = config.wiretap();
        if (wanted == null) {
            return null;
        }
        Logger log = LoggerFactory.getLogger(wanted.category());
        return log.isDebugEnabled() ? new Wiretap(backend, endpoint, log, wanted.mostBytes()) : null;
    }

    /** The callbacks of the endpoint: they are told, and then {@code made}. */
    BackendCallbacks before(Connection made) {
        connection = made;
        log.debug("{} is open, from {}", endpoint, endpoint.localAddress());
        return this;
    }

    @Override
    protected Connection above() {
        Connection made = connection;
        if (made == null) {
            throw new IllegalStateException("a callback of " + endpoint + " before its connection");
        }
        return made;
    }

    private String text(ByteBuffer buffer, int bytes) {
        Connection told = connection;
        BufferText text = new BufferText(buffer.duplicate().clear().limit(bytes), mostBytes);
        return told == null ? text.unread("") : text.of(told.session());
    }

    // ---- what is sent

    @Override
    public SendStatus sendBuffer(Endpoint to, SendBuffer buffer, SendCompletion level) {
        String text = log.isDebugEnabled() ? text(buffer.data(), buffer.length()) : null; // nobody may read it when it is sent
        return sent(super.sendBuffer(to, buffer, level), text);
    }

    @Override
    public SendStatus sendCopy(Endpoint to, ByteBuffer data) {
        String text = log.isDebugEnabled() ? text(data.slice(), data.remaining()) : null;
        return sent(super.sendCopy(to, data), text);
    }

    @Override
    public SendStatus sendZeroCopy(Endpoint to, GatherList message, long key, SendCompletion level) {
        String text = log.isDebugEnabled() ? message.bytes() + " B of the region, in " + message.spans() + " spans" : null;
        return sent(super.sendZeroCopy(to, message, key, level), text);
    }

    private SendStatus sent(SendStatus status, @Nullable String text) {
        if (status == SendStatus.OK && text != null) {
            log.debug("{} sends {}", endpoint, text);
        }
        return status;
    }

    // ---- what arrives

    @Override
    public void onData(Endpoint here, ReceivedBuffer buffer) {
        if (log.isDebugEnabled()) {
            log.debug("{} receives {}", endpoint, text(buffer.data(), buffer.length()));
        }
        above().onData(here, buffer);
    }

    @Override
    public void onConnectionClosed(Endpoint here, List<SendKey> cancelled, @Nullable NetioException cause) {
        log.debug("{} is closed, {} sends are cancelled{}", endpoint, cancelled.size(), cause == null ? "" : ": " + cause);
        above().onConnectionClosed(here, cancelled, cause);
    }
}
