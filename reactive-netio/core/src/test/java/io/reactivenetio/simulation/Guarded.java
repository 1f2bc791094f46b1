// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Tls;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.Tags;
import io.reactivenetio.simulation.Step.Side;
import io.reactivenetio.testing.TestCertificates;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who gets in, and that nobody is shown a message of a tag without the right to it. */
final class Guarded {
    private static final String NAME = "physicist";
    /** Whose secret no client knows. */
    private static final String OTHER_NAME = "operator";
    private static final byte[] SECRET = new byte[32];
    private static final byte[] OTHER = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

    private static final Map<String, byte[]> SECRETS = Map.of(NAME, SECRET, OTHER_NAME, OTHER);

    private static final TestCertificates CERTIFICATES = TestCertificates.local();
    private static final Tls OWN = Tls.create().certificate(CERTIFICATES.certificate(), CERTIFICATES.key());
    private static final Tls TRUST = Tls.create().trust(CERTIFICATES.certificate()).verifyHost(false);

    private final World world;
    private final Scenario.Guard guard;
    private final List<Probe<NetioConnection>> impostors = new ArrayList<>();

    Guarded(World world) {
        this.world = world;
        this.guard = world.scenario().guard();
    }

    private boolean isStream() {
        return world.scenario().setup().framing() == FramingKind.STREAM;
    }

    NetioServer guarded(NetioServer plain) {
        NetioServer server = guard.tls() ? plain.secure(OWN) : plain;
        if (!isStream()) {
            return server;
        }
        NetioServer asking = guard.asks() ? server.authenticate(NetioAuthenticator.secrets(SECRETS))
                .doOnConnection(connection -> check(connection.principal())) : server;
        return guard.forbidden().isEmpty() ? asking : asking.authorize((peer, right, tags) -> {
            if (guard.asks()) {
                check(peer);
            }
            return !guard.forbids(right, tags);
        });
    }

    private void check(@Nullable Principal peer) {
        if (peer == null || !peer.getName().equals(NAME)) {
            world.machine().violated("let in without the secret: " + peer);
        }
    }

    NetioClient shown(NetioClient plain) {
        NetioClient client = guard.tls() ? plain.secure(TRUST) : plain;
        return isStream() && guard.asks() ? client.credentials(NetioCredentials.secret(NAME, SECRET)) : client;
    }

    /** What the clients of {@code step} know is not the secret of the name that they say. */
    void pretend(Step.Pretend step) {
        if (!isStream() || !guard.asks()) {
            return;
        }
        NetioClient client = world.client().credentials(step.isKnown() ? NetioCredentials.secret(OTHER_NAME, SECRET)
                : NetioCredentials.secret("nobody", SECRET));
        for (int i = 0; i < step.times(); i++) {
            Probe<NetioConnection> probe = new Probe<>(world.machine(), step.toString(), Probe.Demand.UNBOUNDED, 1,
                    connection -> world.machine().violated("let in without the secret: " + connection));
            impostors.add(probe);
            client.connect().subscribe(probe);
        }
    }

    /** A message has come out at {@code side}, of {@code tag} or of the connection itself. */
    void received(Side side, int tag, Object what) {
        if (tag != Step.OWN) {
            shown(side == Side.CLIENT ? Right.SUBSCRIBE : Right.SEND, tag, what);
        }
    }

    /** What is shown needs this right of the client. */
    void shown(Right right, long tag, Object what) {
        if (isStream() && guard.forbids(right, Tags.of(tag))) {
            world.machine().violated("shown without the right to " + right + " tag " + tag + ": " + what);
        }
    }

    void checkEnded() {
        impostors.stream().filter(probe -> !probe.isOver()).forEach(probe ->
                world.machine().violated("not told at the end: " + probe));
    }
}
