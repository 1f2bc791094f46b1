// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tls;

import io.reactivenetio.transport.tls.TlsEngines;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Makes engines of what a context has.
 *
 * @param context asked for each connection
 * @param protocols which are allowed
 * @param ciphers which are allowed; empty for those of the context
 * @param wantsClient whether clients are asked for a certificate
 * @param needsClient whether clients without one are refused
 * @param serverName what a client asks for, instead of the host that it connects to; null for that host
 * @param verifiesHost whether a client checks that the certificate is for that name
 */
public record ContextEngines(Supplier<? extends SSLContext> context, List<String> protocols, List<String> ciphers,
        boolean wantsClient, boolean needsClient, @Nullable String serverName, boolean verifiesHost) implements TlsEngines {

    @Override
    public SSLEngine connecting(SocketAddress remote) throws SSLException {
        InetSocketAddress host = remote instanceof InetSocketAddress inet ? inet : null;
        String name = serverName != null || host == null ? serverName : host.getHostString();
        if (name == null && verifiesHost) {
            throw new SSLException("a Unix socket (" + remote + ") has no host name that the server's certificate could be for:"
                    + " say the one to expect with serverName(…)");
        }
        SSLEngine engine = made(present().createSSLEngine(name, host == null ? 0 : host.getPort()));
        engine.setUseClientMode(true);
        if (verifiesHost) {
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS"); // RFC 9110, section 4.3.4
            engine.setSSLParameters(parameters);
        }
        return engine;
    }

    @Override
    public SSLEngine accepting() throws SSLException {
        SSLEngine engine = made(present().createSSLEngine());
        engine.setUseClientMode(false);
        if (needsClient) {
            engine.setNeedClientAuth(true);
        } else if (wantsClient) {
            engine.setWantClientAuth(true);
        }
        return engine;
    }

    private SSLContext present() throws SSLException {
        try {
            return context.get();
        } catch (RuntimeException e) { // the user's
            throw new SSLException("the supplier of the SSLContext has thrown " + e, e);
        }
    }

    private SSLEngine made(SSLEngine engine) throws SSLException {
        try {
            engine.setEnabledProtocols(protocols.toArray(String[]::new));
            if (!ciphers.isEmpty()) {
                engine.setEnabledCipherSuites(ciphers.toArray(String[]::new));
            }
        } catch (IllegalArgumentException e) {
            throw new SSLException(e.getMessage(), e);
        }
        return engine;
    }
}
