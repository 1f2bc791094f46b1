// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.net.ssl.SSLException;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Whether a connection has TLS 1.3, and who does it. The client checks the certificate; the cipher is what both choose. */
enum Sealing {
    NONE("", ""),
    /** SSLEngine. */
    JDK(" TLS", ", TLS 1.3 by the JDK"),
    /** BoringSSL in netty-tcnative, which Netty recommends, and which gRPC has in its jar. */
    NATIVE(" TLS, tcnative", ", TLS 1.3 by netty-tcnative");

    private static final String PROTOCOL = "TLSv1.3";

    private final String title;
    private final String words;

    Sealing(String title, String words) {
        this.title = title;
        this.words = words;
    }

    /** What a title has behind the name. */
    String title() {
        return title;
    }

    String words() {
        return words;
    }

    private SslProvider provider() {
        return this == JDK ? SslProvider.JDK : SslProvider.OPENSSL;
    }

    NetioServer of(NetioServer server) {
        return this == NONE ? server
                : server.secure(Tls.create().certificate(Certificate.present().chain(), Certificate.present().key()));
    }

    NetioClient of(NetioClient client) {
        return this == NONE ? client : client.secure(Tls.create().trust(Certificate.present().chain()));
    }

    TcpServer of(TcpServer server) {
        if (this == NONE) {
            return server;
        }
        Certificate own = Certificate.present();
        SslContext context = built(SslContextBuilder.forServer(own.chain().toFile(), own.key().toFile()));
        return server.secure(ssl -> ssl.sslContext(context));
    }

    TcpClient of(TcpClient client) {
        if (this == NONE) {
            return client;
        }
        SslContext context = built(SslContextBuilder.forClient().trustManager(Certificate.present().chain().toFile()));
        return client.secure(ssl -> ssl.sslContext(context));
    }

    private SslContext built(SslContextBuilder context) {
        try {
            return context.sslProvider(provider()).protocols(PROTOCOL).build();
        } catch (SSLException e) {
            throw new IllegalStateException("no TLS with " + provider(), e);
        }
    }

    ServerCredentials grpcServer() {
        try {
            return this == NONE ? InsecureServerCredentials.create()
                    : TlsServerCredentials.create(Certificate.present().chain().toFile(), Certificate.present().key().toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ChannelCredentials grpcChannel() {
        try {
            return this == NONE ? InsecureChannelCredentials.create()
                    : TlsChannelCredentials.newBuilder().trustManager(Certificate.present().chain().toFile()).build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
