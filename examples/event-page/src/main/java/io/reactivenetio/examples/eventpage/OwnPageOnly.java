// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Answers with 403 what another site has a browser of this machine send: a request for a name that is not this page's, which is
 * how rebinding of DNS shows, and one that changes something and comes from a page that is not this one.
 */
@Component
class OwnPageOnly implements WebFilter {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");
    private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final Set<String> names;

    /** {@code names} are further ones, for a page that listens on more than 127.0.0.1. */
    OwnPageOnly(@Value("${page.names:}") Set<String> names, @Value("${server.address:}") String bound) {
        this.names = Set.copyOf(Stream.concat(names.stream(), Stream.of(bound)).map(OwnPageOnly::lower).toList());
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        List<String> hosts = request.getHeaders().getOrEmpty(HttpHeaders.HOST);
        if (hosts.size() != 1 || !isOwn(name(hosts.getFirst()), request.getLocalAddress())) {
            return refuse(exchange, "this page is not at " + hosts + ": --page.names=NAME adds a name");
        }
        if (!READING.contains(request.getMethod()) && !isFromThisPage(request.getHeaders(), hosts.getFirst())) {
            return refuse(exchange, "this comes from another page");
        }
        return chain.filter(exchange);
    }

    /** Without the port. */
    private static String name(String host) {
        int colon = host.indexOf(':', host.lastIndexOf(']') + 1);
        return lower(colon < 0 ? host : host.substring(0, colon));
    }

    private static String lower(String text) {
        return text.strip().toLowerCase(Locale.ROOT);
    }

    private boolean isOwn(String name, @Nullable InetSocketAddress local) {
        String address = local == null || local.getAddress() == null ? "" : local.getAddress().getHostAddress();
        return LOOPBACK.matcher(name).matches() || !name.isEmpty()
                && (names.contains(name) || name.equals(address) || name.equals("[" + address + "]"));
    }

    /** Browsers say where a request comes from. Programs such as curl do not, and no other site makes them. */
    private static boolean isFromThisPage(HttpHeaders headers, String host) {
        String site = headers.getFirst("Sec-Fetch-Site");
        String origin = headers.getFirst(HttpHeaders.ORIGIN);
        return (site == null || site.equals("same-origin") || site.equals("none"))
                && (origin == null || origin.equals("http://" + host) || origin.equals("https://" + host));
    }

    private static Mono<Void> refuse(ServerWebExchange exchange, String reason) {
        exchange.getResponse().setStatusCode(HttpStatus.FORBIDDEN);
        return exchange.getResponse().writeWith(Mono.fromSupplier(() ->
                exchange.getResponse().bufferFactory().wrap(reason.getBytes(StandardCharsets.UTF_8))));
    }
}
