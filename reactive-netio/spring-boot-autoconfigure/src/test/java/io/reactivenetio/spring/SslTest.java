// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivenetio.api.NamedPrincipal;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.exceptions.NetioTlsException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Servers and clients with the keys and certificates of Spring Boot's SSL bundles. */
@Timeout(120)
class SslTest {
    private final TestCertificates own = TestCertificates.local();

    private ApplicationContextRunner contexts(Path certificate, Path key, int port) {
        return Contexts.tcp().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class)).withPropertyValues(
                "spring.ssl.bundle.pem.daq.keystore.certificate=file:" + certificate,
                "spring.ssl.bundle.pem.daq.keystore.private-key=file:" + key,
                "spring.ssl.bundle.pem.daq.reload-on-update=true",
                "spring.ssl.bundle.watch.file.quiet-period=50ms",
                "spring.ssl.bundle.pem.trusted.truststore.certificate=file:" + own.certificate(),
                "netio.server.port=" + port, "netio.server.ssl.bundle=daq",
                "netio.clients.reader.port=" + port, "netio.clients.reader.ssl.bundle=trusted");
    }

    private static int freePort() throws Exception {
        try (Socket reserved = new Socket()) {
            reserved.bind(null);
            return reserved.getLocalPort();
        }
    }

    private static NetioConnection connect(NetioClients clients) {
        return clients.client("reader").connectNow(TestSettings.PATIENCE);
    }

    @Test
    void shouldTakeBundles() throws Exception {
        contexts(own.certificate(), own.key(), freePort()).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(NetioServerLifecycle.class);
            NetioConnection connection = connect(context.getBean(NetioClients.class));
            assertThat(Objects.requireNonNull(connection.tlsSession()).getPeerPrincipal().getName()).isEqualTo("CN=local");
            connection.dispose();
        });
    }

    @Test
    void shouldAskClientsForCertificatesIfToldTo() throws Exception {
        contexts(own.certificate(), own.key(), freePort()).withPropertyValues("netio.server.ssl.client-auth=need",
                "spring.ssl.bundle.pem.daq.truststore.certificate=file:" + own.certificate()).run(context -> {
                    NetioClients clients = context.getBean(NetioClients.class);
                    assertThat(catchThrowable(() -> connect(clients)))
                            .isInstanceOf(NetioTlsException.class).hasMessageContaining("certificate_required");
                });
    }

    @Test
    void shouldCheckTheHostUnlessToldOtherwise() throws Exception {
        TestCertificates other = TestCertificates.of("elsewhere", "dns:elsewhere.example.org");
        ApplicationContextRunner contexts = contexts(other.certificate(), other.key(), freePort()).withPropertyValues(
                "spring.ssl.bundle.pem.trusted.truststore.certificate=file:" + other.certificate());
        contexts.run(context -> assertThat(catchThrowable(
                () -> connect(context.getBean(NetioClients.class)))).hasMessageContaining("127.0.0.1"));
        contexts.withPropertyValues("netio.clients.reader.ssl.verify-host=false").run(context ->
                connect(context.getBean(NetioClients.class)).dispose());
    }

    @Test
    void shouldUseABundleThatIsLoadedAgain(@TempDir Path folder) throws Exception {
        TestCertificates elsewhere = TestCertificates.of("next", TestCertificates.LOCAL);
        Path certificate = Files.copy(elsewhere.certificate(), folder.resolve("own.pem"));
        Path key = Files.copy(elsewhere.key(), folder.resolve("own.key"));
        contexts(certificate, key, freePort()).run(context -> {
            NetioClients clients = context.getBean(NetioClients.class);
            assertThat(connects(clients)).isFalse();
            Files.write(key, Files.readAllBytes(own.key()));
            Files.write(certificate, Files.readAllBytes(own.certificate()));
            Eventually.await("the new certificate", () -> connects(clients));
        });
    }

    private static boolean connects(NetioClients clients) {
        try {
            connect(clients).dispose();
            return true;
        } catch (NetioTlsException e) {
            return false;
        }
    }

    @Test
    void shouldShowATokenWithinTls() throws Exception {
        contexts(own.certificate(), own.key(), freePort()).withPropertyValues("netio.clients.reader.credentials.token=pass")
                .withBean(NetioAuthenticator.class, () -> shown -> "pass".equals(shown.token())
                        ? Mono.just(new NamedPrincipal("reader")) : Mono.empty())
                .run(context -> connect(context.getBean(NetioClients.class)).dispose());
    }

    @Test
    void shouldSayWhatIsMissing() {
        Contexts.tcp().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues("netio.server.port=0", "netio.server.ssl.bundle=none").run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("'none'"));
    }
}
