// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.wire.AccessMessage;
import io.reactivenetio.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The side that connects: it shows its credentials when it is asked, and checks that the server knows the same secret. */
final class ClientExchange extends AccessExchange {
    private final NetioCredentials credentials;
    private final byte[] accepting;
    private final byte[] connecting;
    private final int largest;
    private boolean isAsked;
    /** What the server has to prove. Null until this side has answered. */
    private byte @Nullable [] expected;

    /** {@code largest}: how many bytes a message may have. */
    ClientExchange(Carrier carrier, EventLoop loop, Scheduler workers, NetioCredentials credentials, byte[] accepting,
            byte[] connecting, int largest, Listener listener) {
        super(carrier, loop, workers, listener);
        this.credentials = credentials;
        this.accepting = accepting;
        this.connecting = connecting;
        this.largest = largest;
    }

    /** What to say, and what to hear then. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(AccessMessage message, byte[] expected) {
    }

    @Override
    void started() {
        // the server asks
    }

    @Override
    void received(AccessMessage message) throws ProtocolException {
        byte[] due = expected;
        if (message instanceof AccessMessage.Challenge challenge && !isAsked) {
            isAsked = true;
            answer(challenge.nonce());
        } else if (message instanceof AccessMessage.Accepted accepted && due != null) {
            if (MessageDigest.isEqual(due, accepted.proof())) {
                admit(null);
            } else {
                fail(new NetioAuthenticationException("the server at " + endpoint() + " does not know " + credentials, null));
            }
        } else if (message instanceof AccessMessage.Refused refused) {
            fail(new NetioAuthenticationException("the server at " + endpoint() + " has refused " + credentials + ": "
                    + refused.text(), null));
        } else {
            throw new ProtocolException("the server said something else than its turn is: "
                    + message.getClass().getSimpleName());
        }
    }

    private void answer(byte[] challenge) {
        Mono<Answer> answer = switch (credentials) {
            case NetioCredentials.Secret secret -> Mono.fromCallable(() -> proven(challenge, secret));
            case NetioCredentials.Token token -> token.token().map(this::shown).switchIfEmpty(Mono.error(
                    () -> new IllegalStateException("the Mono of the token was empty")));
        };
        awaits(answer.subscribeOn(workers()).subscribe(given -> onLoop(() -> {
            expected = given.expected;
            say(given.message);
        }), failed -> onLoop(() -> fail(new NetioAuthenticationException("no token to show " + endpoint() + ": "
                + failed.getMessage(), failed)))));
    }

    private Answer proven(byte[] challenge, NetioCredentials.Secret secret) {
        byte[] nonce = Proofs.nonce(AccessMessage.NONCE);
        byte[] key = secret.secret();
        Proofs proofs = new Proofs(accepting, connecting, challenge, nonce, secret.name());
        return new Answer(new AccessMessage.SecretAnswer(secret.name(), nonce, proofs.of(Proofs.Side.CONNECTS, key)),
                proofs.of(Proofs.Side.ACCEPTS, key));
    }

    private Answer shown(String token) {
        int bytes = token.getBytes(StandardCharsets.UTF_8).length;
        int most = Math.min(NetioCredentials.LONGEST_TOKEN, largest - 1);
        if (bytes < 1 || bytes > most) {
            throw new IllegalStateException("a token of " + bytes + " bytes; 1 to " + most + " can be sent");
        }
        return new Answer(new AccessMessage.TokenAnswer(token), new byte[0]);
    }
}
