// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.AccessRule;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.Tags;
import io.reactivenetio.spring.NetioClientProperties.Credentials;
import io.reactivenetio.spring.NetioServerProperties;
import io.reactivenetio.spring.NetioServerProperties.Grant;
import io.reactivenetio.spring.TagTexts;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import reactor.core.publisher.Mono;

/** Who may connect to a server and what they may do, and who a client says it is. Secrets are shown in no error. */
public final class AccessSettings {
    private static final String NOT_SHOWN = "******";

    private AccessSettings() {
    }

    /** Returns {@code server} with what {@code own} says. A bean of the application counts before properties. */
    public static NetioServer apply(NetioServer server, NetioServerProperties own, @Nullable NetioAuthenticator authenticator,
            @Nullable NetioAuthorizer authorizer) {
        String prefix = "netio.server.";
        NetioAuthenticator asking = authenticator == null ? authenticator(own.secrets()) : authenticator;
        NetioAuthorizer deciding = authorizer == null ? authorizer(own.rights()) : authorizer;
        return TransportSettings.valid(prefix, new Setter<>(prefix, server)
                .set("allow", own.allow(), (made, networks) -> made.allow(networks.toArray(String[]::new)))
                .set("secrets", asking, NetioServer::authenticate)
                .set("rights", deciding, NetioServer::authorize)
                .get());
    }

    /** Returns {@code client} with what {@code own} says. */
    public static NetioClient apply(NetioClient client, String prefix, @Nullable Credentials own) {
        return TransportSettings.valid(prefix, new Setter<>(prefix, client)
                .set("credentials", own, (made, shown) -> made.credentials(credentials(shown))).get());
    }

    private static NetioCredentials credentials(Credentials shown) {
        if (shown.token() != null && shown.name() == null && shown.secret() == null) {
            return NetioCredentials.token(Mono.just(shown.token()));
        }
        if (shown.token() != null || shown.name() == null || shown.secret() == null) {
            throw new IllegalArgumentException("a name and its secret are needed, or a token and neither of them");
        }
        return NetioCredentials.secret(shown.name(), decoded(shown.secret()));
    }

    private static @Nullable NetioAuthenticator authenticator(@Nullable Map<String, String> secrets) {
        if (secrets == null || secrets.isEmpty()) {
            return null;
        }
        Map<String, byte[]> decoded = new HashMap<>();
        secrets.forEach((name, secret) -> {
            try {
                byte[] bytes = decoded(secret);
                NetioCredentials.secret(name, bytes); // refuses what no client could have
                decoded.put(name, bytes);
            } catch (IllegalArgumentException e) {
                throw new InvalidConfigurationPropertyValueException("netio.server.secrets." + name, NOT_SHOWN, e.getMessage());
            }
        });
        return NetioAuthenticator.secrets(decoded);
    }

    private static byte[] decoded(String secret) {
        try {
            return Base64.getDecoder().decode(secret);
        } catch (IllegalArgumentException e) { // its message has a part of the secret
            throw new IllegalArgumentException("the secret is not Base64; openssl rand -base64 32 makes one");
        }
    }

    private static @Nullable NetioAuthorizer authorizer(@Nullable List<Grant> rights) {
        if (rights == null) {
            return null;
        }
        List<AccessRule> rules = new ArrayList<>();
        for (int i = 0; i < rights.size(); i++) {
            Grant grant = rights.get(i);
            String name = "netio.server.rights[" + i + "]";
            try {
                if (grant.principal() == null || grant.tags() == null || grant.may() == null) {
                    throw new IllegalArgumentException("principal, tags and may are all needed");
                }
                for (Tags tags : TagTexts.parse(List.of(grant.tags()))) {
                    rules.add(new AccessRule(grant.principal(), tags, grant.may()));
                }
            } catch (IllegalArgumentException e) {
                throw new InvalidConfigurationPropertyValueException(name, grant, e.getMessage());
            }
        }
        return NetioAuthorizer.of(rules);
    }
}
