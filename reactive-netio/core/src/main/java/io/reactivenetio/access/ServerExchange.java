// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.PeerCredentials;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.wire.AccessMessage;
import io.reactivenetio.wire.ProtocolException;
import java.net.SocketAddress;
import java.security.MessageDigest;
import java.security.Principal;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The side that accepts: it asks who connects, and has its authenticator look at the answer. */
final class ServerExchange extends AccessExchange {
    private static final byte[] NO_PROOF = new byte[0];
    private static final String REFUSED = "not authenticated";

    private final NetioAuthenticator authenticator;
    private final FailureDelays delays;
    private final byte[] accepting;
    private final byte[] connecting;
    /** Null until it is sent. */
    private byte @Nullable [] challenge;
    private boolean isAnswered;
    private boolean isSettled;

    ServerExchange(Carrier carrier, EventLoop loop, Scheduler workers, NetioAuthenticator authenticator, FailureDelays delays,
            byte[] accepting, byte[] connecting, Listener listener) {
        super(carrier, loop, workers, listener);
        this.authenticator = authenticator;
        this.delays = delays;
        this.accepting = accepting;
        this.connecting = connecting;
    }

    @Override
    void started() {
        workers().schedule(() -> {
            byte[] nonce = Proofs.nonce(AccessMessage.NONCE);
            onLoop(() -> {
                challenge = nonce;
                say(new AccessMessage.Challenge(nonce));
            });
        });
    }

    @Override
    void received(AccessMessage message) throws ProtocolException {
        byte[] asked = challenge;
        if (asked == null || isAnswered) {
            throw new ProtocolException("the client spoke out of turn before it was known who it is");
        }
        isAnswered = true;
        Shown shown = switch (message) {
            case AccessMessage.SecretAnswer secret -> new Shown(secret.name(), null, secret.proof(),
                    new Proofs(accepting, connecting, asked, secret.nonce(), secret.name()));
            case AccessMessage.TokenAnswer token -> new Shown("", token.token(), NO_PROOF,
                    new Proofs(accepting, connecting, asked, NO_PROOF, ""));
            default -> throw new ProtocolException("a client said what servers say: " + message.getClass().getSimpleName());
        };
        if (shown.token != null && carrier().session() == null) {
            throw new ProtocolException("a token without TLS, which everybody on the way can use now");
        }
        ask(shown);
    }

    private void ask(Shown shown) {
        Mono<? extends Principal> answer = Mono.defer(() -> authenticator.authenticate(shown)).subscribeOn(workers());
        awaits(answer.subscribe(who -> settle(() -> accept(who, shown)), failed -> settle(() -> refuse(failed)),
                () -> settle(() -> refuse(null))));
    }

    /** Does the first of several steps, when the address has waited for as long as it has to. Any thread. */
    private void settle(Runnable step) {
        onLoop(() -> {
            if (!isSettled) {
                isSettled = true;
                long wait = delays.nanos(endpoint().remoteAddress());
                if (wait == 0) {
                    step.run();
                } else {
                    later(wait, step);
                }
            }
        });
    }

    private void accept(Principal who, Shown shown) {
        say(new AccessMessage.Accepted(shown.answer));
        admit(who);
    }

    private void refuse(@Nullable Throwable failed) {
        delays.failed(endpoint().remoteAddress());
        refuse(REFUSED, new NetioAuthenticationException("the client at " + endpoint() + " was refused: "
                + (failed == null ? "nobody knows it, or its proof or token is wrong" : failed.toString()), failed));
    }

    /** What the authenticator is shown. Any thread. */
    private final class Shown implements PeerCredentials {
        private final String name;
        private final @Nullable String token;
        private final byte[] proof;
        private final Proofs proofs;
        /** This side's own proof, with the last secret that was right. */
        private volatile byte[] answer = NO_PROOF;

        Shown(String name, @Nullable String token, byte[] proof, Proofs proofs) {
            this.name = name;
            this.token = token;
            this.proof = proof;
            this.proofs = proofs;
        }

        @Override
        public SocketAddress remoteAddress() {
            return endpoint().remoteAddress();
        }

        @Override
        public @Nullable SSLSession tlsSession() {
            return carrier().session();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public @Nullable String token() {
            return token;
        }

        @Override
        public boolean proves(byte[] secret) {
            boolean isRight = MessageDigest.isEqual(proofs.of(Proofs.Side.CONNECTS, secret), proof);
            if (isRight) {
                answer = proofs.of(Proofs.Side.ACCEPTS, secret);
            }
            return isRight;
        }
    }
}
