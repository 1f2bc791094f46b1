// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NamedPrincipal;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Clients that show who they are, and what they may do then, as properties say. */
@Timeout(120)
class AccessTest {
    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String BASE64 = Base64.getEncoder().encodeToString(SECRET);

    /** What the application offers. */
    public static class Readout {
        @NetioPublish("7")
        public Flux<ByteBuffer> open() {
            return Flux.just(ByteBuffer.allocate(4));
        }

        @NetioPublish("8")
        public Flux<ByteBuffer> secret() {
            return Flux.just(ByteBuffer.allocate(4));
        }

        @NetioMapping("9")
        public ByteBuffer who(ByteBuffer request, @Nullable Principal asking) {
            return text(asking == null ? "nobody" : asking.getName());
        }

        @NetioMapping("10")
        public Mono<ByteBuffer> whoElse() {
            return Mono.deferContextual(context -> Mono.just(text(context.<Principal>get(Principal.class).getName())));
        }

        @NetioMapping("11")
        public ByteBuffer onlyWho(Principal asking) {
            return text(asking.getName());
        }

        @NetioMapping("12")
        public ByteBuffer forOthers() {
            return text("others");
        }
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ApplicationContextRunner server() {
        return Detector.application("netio.server.port=0", "netio.backend=tcp", "netio.server.secrets.reader=" + BASE64,
                "netio.server.rights[0].principal=reader", "netio.server.rights[0].tags=1-7, 0x10",
                "netio.server.rights[0].may=subscribe", "netio.server.rights[1].principal=*",
                "netio.server.rights[1].tags=9,10,11", "netio.server.rights[1].may=request,respond")
                .withBean(Readout.class);
    }

    private static NetioClient client(ConfigurableApplicationContext server) {
        return NetioClient.create().backend(BackendType.TCP)
                .port(server.getEnvironment().getRequiredProperty("local.netio.port", Integer.class));
    }

    private static String asked(NetioConnection connection, long tag) {
        return StandardCharsets.UTF_8.decode(connection.requester(tag).request(text("?")).blockOptional(PATIENCE).orElseThrow())
                .toString();
    }

    private static void assertForbidden(Mono<?> what) {
        assertThatThrownBy(() -> what.block(PATIENCE)).isInstanceOf(NetioStreamException.class)
                .satisfies(error -> assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.FORBIDDEN));
    }

    @Test
    void shouldLetClientsDoWhatTheirRightsSay() {
        server().run(context -> {
            NetioConnection connection = client(context).credentials(NetioCredentials.secret("reader", SECRET))
                    .connectNow(PATIENCE);
            NetioStream open = connection.stream(7);
            assertThat(open.receive().count().block(PATIENCE)).isEqualTo(1);
            assertForbidden(connection.stream(8).receive().then());
            assertThat(asked(connection, 9)).isEqualTo("reader");
            assertThat(asked(connection, 10)).isEqualTo("reader");
            assertThat(asked(connection, 11)).isEqualTo("reader");
            assertForbidden(connection.requester(12).request(text("?")));
            connection.dispose();
        });
    }

    @Test
    void shouldRefuseOthers() {
        server().run(context -> assertThat(catchThrowable(() -> client(context)
                .credentials(NetioCredentials.secret("reader", new byte[16])).connectNow(PATIENCE)))
                .isInstanceOf(NetioAuthenticationException.class));
        server().withPropertyValues("netio.server.allow=192.0.2.0/24,2001:db8::/32").run(context ->
                assertThat(catchThrowable(() -> client(context).credentials(NetioCredentials.secret("reader", SECRET))
                        .connectNow(PATIENCE))).isNotNull());
    }

    @Test
    void shouldGiveClientsTheirCredentials() {
        server().run(context -> Detector.application("netio.backend=tcp", "netio.clients.daq.port="
                + context.getEnvironment().getRequiredProperty("local.netio.port"), "netio.clients.daq.credentials.name=reader",
                "netio.clients.daq.credentials.secret=" + BASE64).run(clients -> {
                    NetioConnection connection = clients.getBean(NetioClients.class).client("daq").connectNow(PATIENCE);
                    assertThat(asked(connection, 9)).isEqualTo("reader");
                    connection.dispose();
                }));
    }

    @Test
    void shouldTakeBeansBeforeProperties() {
        server().withBean(NetioAuthenticator.class, () -> shown -> shown.proves(SECRET)
                ? Mono.just(new NamedPrincipal("somebody")) : Mono.empty()).run(context -> {
                    NetioConnection connection = client(context).credentials(NetioCredentials.secret("x", SECRET))
                            .connectNow(PATIENCE);
                    assertThat(asked(connection, 9)).isEqualTo("somebody");
                    connection.dispose();
                });
    }

    private static void assertRefused(String... words) {
        String[] properties = Arrays.copyOf(words, words.length - 1);
        Detector.application("netio.server.port=0", "netio.clients.daq.port=7").withPropertyValues(properties).run(context -> {
            Throwable failure = context.getStartupFailure();
            assertThat(failure).rootCause().hasMessageContaining(words[words.length - 1]);
            assertThat(failure).hasToString(String.valueOf(failure).replace(BASE64, ""));
        });
    }

    @Test
    void shouldSayWhatIsWrong() {
        assertRefused("netio.server.secrets.reader=!!", "not Base64");
        assertRefused("netio.server.secrets.reader=MTIz", "a secret of 3 bytes can be guessed");
        assertRefused("netio.server.rights[0].tags=7", "principal, tags and may are all needed");
        assertRefused("netio.server.rights[0].principal=a", "netio.server.rights[0].may=send", "netio.server.rights[0].tags=x",
                "'x' is no tag");
        assertRefused("netio.server.allow=daq.example.org", "no network");
        assertRefused("netio.clients.daq.credentials.name=a", "a name and its secret are needed");
        assertRefused("netio.clients.daq.credentials.token=a", "netio.clients.daq.credentials.name=a",
                "a token and neither of them");
        assertRefused("netio.server.framing=raw", "netio.server.secrets.reader=" + BASE64, "STREAM framing");
    }
}
