// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.spring.NetioServerHandler;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Spring Security knows who asks: on the thread of a method, in the Context of a Mono, and as its parameter. */
@Timeout(120)
class SpringSecurityTest {
    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    /** Methods that block. */
    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    public static class Blocking {
        @NetioMapping("1")
        @PreAuthorize("hasAuthority('control')")
        public ByteBuffer onVirtualThread() {
            return own();
        }

        @NetioMapping(value = "2", blocking = BlockingMode.NON_BLOCKING)
        @PreAuthorize("hasAuthority('control')")
        public ByteBuffer onLoop(ByteBuffer request, @Nullable Authentication asking) {
            return text(asking == null ? "nobody" : asking.getName());
        }

        @NetioMapping("3")
        public Mono<ByteBuffer> later() {
            String during = name(SecurityContextHolder.getContext());
            return Mono.fromCallable(() -> text(during + ", then " + name(SecurityContextHolder.getContext())));
        }

        @NetioMapping("4")
        @PreAuthorize("authentication.name == 'operator'")
        public ByteBuffer changesIt() {
            ByteBuffer own = own();
            SecurityContextHolder.getContext().setAuthentication(null);
            return own;
        }
    }

    /** Methods with a Mono. */
    @Configuration(proxyBeanMethods = false)
    @EnableReactiveMethodSecurity
    public static class Reactive {
        @NetioMapping("1")
        @PreAuthorize("hasAuthority('control')")
        public Mono<ByteBuffer> who() {
            return ReactiveSecurityContextHolder.getContext().map(context -> text(name(context)));
        }

        @NetioMapping("2")
        @PreAuthorize("hasAuthority('control')")
        public Mono<ByteBuffer> onAnotherThread(Authentication asking) {
            return Mono.delay(Duration.ofMillis(1)).then(who()).map(own -> text(asking.getName()));
        }
    }

    private static ByteBuffer own() {
        return text(name(SecurityContextHolder.getContext()));
    }

    private static String name(@Nullable SecurityContext context) {
        return context == null || context.getAuthentication() == null ? "nobody" : context.getAuthentication().getName();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static NetioAuthenticator operators() {
        return shown -> shown.proves(SECRET) ? Mono.just(UsernamePasswordAuthenticationToken.authenticated(shown.name(), "",
                AuthorityUtils.createAuthorityList(shown.name().equals("operator") ? "control" : "look"))) : Mono.empty();
    }

    /** Disposes of the connections before the application stops, which would wait for them. */
    private static void serve(ApplicationContextRunner application, Consumer<NetioClient> test) {
        List<NetioConnection> connections = new CopyOnWriteArrayList<>();
        application.run(context -> {
            try {
                test.accept(NetioClient.create().backend(BackendType.TCP).doOnConnected(connections::add)
                        .port(context.getEnvironment().getRequiredProperty("local.netio.port", Integer.class)));
            } finally {
                connections.forEach(NetioConnection::dispose);
            }
        });
    }

    private static ApplicationContextRunner application(Class<?> methods) {
        return Detector.application("netio.server.port=0", "netio.backend=tcp").withUserConfiguration(methods);
    }

    private static NetioConnection connection(NetioClient client, String name) {
        return client.credentials(NetioCredentials.secret(name, SECRET)).connectNow(PATIENCE);
    }

    private static String asked(NetioConnection connection, long tag) {
        return StandardCharsets.UTF_8.decode(connection.requester(tag).request(text("?")).blockOptional(PATIENCE).orElseThrow())
                .toString();
    }

    private static void assertDenied(NetioConnection connection, long tag) {
        assertThatThrownBy(() -> asked(connection, tag)).hasMessageContaining("Access Denied");
    }

    @ParameterizedTest
    @ValueSource(classes = {Blocking.class, Reactive.class})
    void shouldAskWhatThePeerMayDo(Class<?> methods) {
        serve(application(methods).withBean(NetioAuthenticator.class, SpringSecurityTest::operators), client -> {
            NetioConnection operator = connection(client, "operator");
            NetioConnection visitor = connection(client, "visitor");
            IntStream.range(0, 20).forEach(n -> {
                assertThat(asked(operator, 1)).isEqualTo("operator");
                assertDenied(visitor, 1);
                assertThat(asked(operator, 2)).isEqualTo("operator");
                assertDenied(visitor, 2);
            });
        });
    }

    @Test
    void shouldForgetOnTheThreadWhoAskedWhenTheMethodHasReturned() {
        serve(application(Blocking.class).withBean(NetioAuthenticator.class, SpringSecurityTest::operators), client -> {
            NetioConnection operator = connection(client, "operator");
            assertThat(asked(operator, 3)).isEqualTo("operator, then nobody");
            assertThat(asked(operator, 4)).isEqualTo("operator");
            assertThat(asked(operator, 4)).isEqualTo("operator");
            assertThat(asked(connection(client, "visitor"), 3)).isEqualTo("visitor, then nobody");
        });
    }

    /** A principal of the application's own. */
    public record User(String name, int level) implements Principal {
        @Override
        public String getName() {
            return name;
        }
    }

    /** Has a parameter that its subclass says the type of. */
    public static class Generic<P> {
        @NetioMapping("1")
        public ByteBuffer own(P asking) {
            return text(asking instanceof User user ? user.name() + " " + user.level() : "" + asking);
        }
    }

    /** Methods that take a principal of a kind. */
    public static class Kinds extends Generic<User> {
        @NetioMapping("2")
        public ByteBuffer other(ByteBuffer request, X500Principal asking) {
            return text(asking.getName());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.springframework.security", "none"})
    void shouldGiveMethodsThePrincipalOfTheirKind(String hidden) {
        serve(application(Kinds.class).withClassLoader(new FilteredClassLoader(hidden)).withBean(NetioAuthenticator.class,
                () -> shown -> shown.proves(SECRET) ? Mono.just(new User(shown.name(), 7)) : Mono.empty()), client -> {
                    NetioConnection operator = connection(client, "operator");
                    assertThat(asked(operator, 1)).isEqualTo("operator 7");
                    assertThatThrownBy(() -> asked(operator, 2)).hasMessageContaining("the peer is a ")
                            .hasMessageContaining("and the method takes a javax.security.auth.x500.X500Principal");
                });
    }

    @Test
    void shouldHaveAnAuthenticationForTheSecretOfAProperty() {
        serve(application(Blocking.class).withPropertyValues("netio.server.secrets.operator="
                + Base64.getEncoder().encodeToString(SECRET)), client -> {
                    NetioConnection operator = connection(client, "operator");
                    assertThat(asked(operator, 4)).isEqualTo("operator");
                    assertDenied(operator, 1);
                });
    }

    @ParameterizedTest
    @ValueSource(classes = {Blocking.class, Reactive.class})
    void shouldDenyWhereNobodyKnowsWhoAsks(Class<?> methods) {
        serve(application(methods), client -> assertThatThrownBy(() -> asked(client.connectNow(PATIENCE), 1)).isNotNull());
    }

    @Test
    void shouldTellHandlers() {
        NetioServerHandler handler = (in, out) -> out.send(ReactiveSecurityContextHolder.getContext()
                .map(context -> text(name(context))));
        serve(Detector.application("netio.server.port=0", "netio.backend=tcp")
                .withBean(NetioAuthenticator.class, SpringSecurityTest::operators)
                .withBean(NetioServerHandler.class, () -> handler), client -> assertThat(StandardCharsets.UTF_8.decode(
                        Flux.from(connection(client, "operator").receive()).blockFirst(PATIENCE)).toString())
                        .isEqualTo("operator"));
    }

    @Test
    void shouldNotNeedSpringSecurity() {
        Detector.application("netio.server.port=0", "netio.backend=tcp")
                .withClassLoader(new FilteredClassLoader("org.springframework.security")).run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean("netioPeerScopes"));
    }
}
