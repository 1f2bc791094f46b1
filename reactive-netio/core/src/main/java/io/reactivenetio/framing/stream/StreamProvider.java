// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.connection.Session;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.wire.Agreement;
import io.reactivenetio.wire.CreditWindow;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;

/** STREAM framing: pages of frames, after a handshake in the connection data. */
public record StreamProvider(StreamConfig streams) implements FramingProvider {

    @Override
    public ConnectionParameters parameters(ConnectionConfig config, boolean connects) {
        ConnectionParameters users = config.parameters();
        ByteBuffer bytes = ByteBuffer.allocate(Handshake.SIZE);
        handshake(config, connects).encode(bytes);
        return users.withReceiveBuffers(users.receiveBufferSize(), users.receiveBuffers() + StreamConfig.CONTROL_PAGES)
                .withSendBuffers(users.sendBufferSize(), users.sendBuffers() + StreamConfig.CONTROL_BUFFERS)
                .withData(ConnectionData.of(bytes.array()));
    }

    @Override
    public boolean hasStreams() {
        return true;
    }

    private Handshake handshake(ConnectionConfig config, boolean connects) {
        ConnectionParameters users = config.parameters();
        if (users.sendBufferSize() < Handshake.SMALLEST_PAGE) {
            throw new IllegalArgumentException("STREAM framing needs send buffers of at least " + Handshake.SMALLEST_PAGE
                    + " bytes: " + users.sendBufferSize());
        }
        int size = users.receiveBufferSize();
        int number = users.receiveBuffers();
        if (size < Handshake.SMALLEST_PAGE || size > Handshake.LARGEST_PAGE || number < 1 || number > CreditWindow.MOST_DATA) {
            throw new IllegalArgumentException("STREAM framing needs 1 to " + CreditWindow.MOST_DATA + " receive buffers of "
                    + Handshake.SMALLEST_PAGE + " to " + Handshake.LARGEST_PAGE + " bytes: " + number + " of " + size);
        }
        int around = (config.tls() != null ? Handshake.TLS : 0) | (config.access().hasExchange() ? Handshake.ACCESS : 0);
        return streams.handshake(connects, users.receiveBufferSize(), users.receiveBuffers(), around);
    }

    @Override
    public void check(Endpoint peer, ConnectionConfig config) {
        agree(peer, config);
    }

    @Override
    public Session open(Connection connection) {
        return new StreamSession(connection, agree(connection.endpoint(), connection.config()), streams.prefetch(),
                streams.serveNanos());
    }

    private Agreement agree(Endpoint peer, ConnectionConfig config) {
        byte[] said = peer.peerData().bytes();
        try {
            if (said.length == 0) {
                throw new ProtocolException("the peer said nothing: it does not use STREAM framing; configure both sides alike");
            }
            return handshake(config, peer.listenEndpoint() == null).negotiate(Handshake.decode(ByteBuffer.wrap(said)));
        } catch (ProtocolException e) {
            throw new NetioProtocolException("no STREAM connection with " + peer + ": " + e.getMessage(), e);
        }
    }
}
