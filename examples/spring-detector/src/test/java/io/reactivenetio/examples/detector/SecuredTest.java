// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import io.reactivenetio.Tls;
import io.reactivenetio.api.AccessRule;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** The application reads out a detector that has TLS, asks who connects, and has rights for each tag. */
@Timeout(300)
class SecuredTest {
    private static final byte[] SECRET = new byte[32];

    private static Flux<Fragment> fragments(int link) {
        return Flux.interval(Duration.ofMillis(2)).onBackpressureDrop()
                .map(event -> new Fragment(link, event, System.nanoTime(), new byte[] {1, 2, 3}));
    }

    @Test
    void shouldReadOutADetectorThatAsksWhoItIs() throws Exception {
        TestCertificates own = TestCertificates.local();
        NetioPublisher publisher = NetioPublisher.create();
        for (int link = 0; link < Fragment.LINKS; link++) {
            publisher.publish(link, fragments(link).share(), new FragmentCodec());
        }
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)
                .secure(Tls.create().certificate(own.certificate(), own.key()))
                .authenticate(NetioAuthenticator.secrets(Map.of("readout", SECRET, "monitor", SECRET)))
                .authorize(NetioAuthorizer.of(List.of(
                        new AccessRule("readout", Tags.range(0, 7), Set.of(Right.SUBSCRIBE)),
                        new AccessRule("monitor", Tags.range(0, 7), Set.of(Right.SUBSCRIBE)))))).bindNow();
        try (RunningApplication application = RunningApplication.start("--detector.port=" + server.port(),
                "--spring.profiles.active=secured", "--detector.trust=" + own.certificate(),
                "--detector.secret=" + Base64.getEncoder().encodeToString(SECRET))) {
            Sample sample = application.await("fragments", now -> now.links().stream().allMatch(link -> link.received() > 100));
            assertThat(sample.links()).hasSize(Fragment.LINKS);
        } finally {
            server.disposeNow();
            publisher.dispose();
        }
    }
}
