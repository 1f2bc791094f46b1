// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.annotation.NetioMethodException;
import io.reactivenetio.spring.annotation.NetioStatus;
import io.reactivenetio.spring.annotation.NetioTag;
import io.reactivenetio.spring.annotation.method.BeanMethod;
import io.reactivenetio.spring.annotation.method.Results;
import io.reactivenetio.spring.security.PeerScope;
import java.lang.reflect.Parameter;
import java.security.Principal;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ResolvableType;
import reactor.core.publisher.Flux;

/** A method that takes messages: what it takes, and what it returns. */
public final class ListenerMethod {
    /** What a parameter is given. */
    enum Role {
        MESSAGE,
        TAG,
        STATUS,
        PRINCIPAL
    }

    private static final String TAKES = "Let it take one ByteBuffer, TaggedMessage, Lease or value, or a Flux of these, and"
            + " beside it, if you like, @NetioTag long, @NetioStatus int and a Principal";

    private final BeanMethod method;
    private final Role[] roles;
    private final Class<?>[] types;
    private final Content content;
    private final Results results;
    private final boolean flux;

    /** @throws NetioMethodException if the method is none that can take messages, or there is nothing to decode them */
    ListenerMethod(BeanMethod method, NetioCodecs codecs) {
        this.method = method;
        this.types = IntStream.range(0, method.method().getParameterCount()).mapToObj(i -> method.parameter(i).toClass())
                .toArray(Class<?>[]::new);
        this.roles = roles(method, types);
        this.results = new Results(method.returned());
        ResolvableType taken = ResolvableType.NONE;
        for (int i = 0; i < roles.length; i++) {
            if (roles[i] == Role.MESSAGE) {
                taken = method.parameter(i);
            }
        }
        this.flux = Publisher.class.isAssignableFrom(taken.toClass());
        if (flux) {
            checkFlux(taken);
            taken = taken.getGeneric(0);
            if (taken.resolve() == null) {
                throw method.refused("it takes a Flux, and does not say of what", "Take a Flux<ByteBuffer>, say, or of another"
                        + " type that can be decoded");
            }
        }
        try {
            this.content = Content.of(taken, codecs);
        } catch (IllegalArgumentException e) {
            throw method.refused("nothing decodes " + taken, "Take a ByteBuffer, or declare a bean of NetioCodec<"
                    + taken.toClass().getSimpleName() + ">", e);
        }
        if (content.isBatch() && !flux) {
            throw method.refused("it takes a MessageBatch, which is valid only within the onNext of a Flux",
                    "Take a Flux<MessageBatch>, and read each batch in its first operator");
        }
    }

    private static Role[] roles(BeanMethod method, Class<?>[] types) {
        Parameter[] parameters = method.method().getParameters();
        Role[] roles = new Role[parameters.length];
        int messages = 0;
        for (int i = 0; i < parameters.length; i++) {
            Class<?> type = types[i];
            if (parameters[i].isAnnotationPresent(NetioTag.class)) {
                method.checkType("@NetioTag", type, long.class, Long.class);
                roles[i] = Role.TAG;
            } else if (parameters[i].isAnnotationPresent(NetioStatus.class)) {
                method.checkType("@NetioStatus", type, int.class, Integer.class);
                roles[i] = Role.STATUS;
            } else if (Principal.class.isAssignableFrom(type)) {
                roles[i] = Role.PRINCIPAL;
            } else {
                roles[i] = Role.MESSAGE;
                messages++;
            }
        }
        if (messages != 1) {
            throw method.refused(messages == 0 ? "it takes no message" : "it takes " + messages
                    + " parameters that could be the message", TAKES);
        }
        return roles;
    }

    private void checkFlux(ResolvableType taken) {
        if (taken.toClass() != Flux.class && taken.toClass() != Publisher.class) {
            throw method.refused("it takes a " + taken.toClass().getSimpleName() + ", and there is more than one message",
                    "Take a Flux, or one message at a time");
        }
        if (roles.length > 1) {
            throw method.refused("beside a Flux it takes a tag, status or Principal, which is another for each message",
                    "Take a Flux<TaggedMessage>, which has tag and status, or one message at a time");
        }
        if (!results.isAsynchronous()) {
            throw method.refused("it takes a Flux and returns " + results.values().toClass().getSimpleName()
                            + ", so nobody could tell when it is done, or stop it",
                    "Return the Mono or Flux that it makes of the Flux, without subscribing to it");
        }
    }

    /** Whether it takes all messages at once, and not each. */
    boolean takesFlux() {
        return flux;
    }

    Content content() {
        return content;
    }

    /** Whether it may be called on a loop, going by what it returns. */
    boolean isAsynchronous() {
        return results.isAsynchronous();
    }

    void resolve() {
        method.resolve();
    }

    /** Calls it with one message of {@code peer}. Returns the Publisher to wait for; null if it is done. */
    @Nullable Publisher<?> call(Message message, @Nullable Object content, PeerScope peer) throws Throwable {
        @Nullable Object[] arguments = new @Nullable Object[roles.length];
        for (int i = 0; i < roles.length; i++) {
            arguments[i] = switch (roles[i]) {
                case MESSAGE -> content;
                case TAG -> message.tag();
                case STATUS -> message.status();
                case PRINCIPAL -> peer.as(types[i]);
            };
        }
        return results.publisher(peer.call(() -> method.invoke(arguments)));
    }

    /** Calls it with all messages. Returns the Publisher to subscribe to. */
    Publisher<?> call(Flux<?> messages) throws Throwable {
        Publisher<?> result = results.publisher(method.invoke(messages));
        if (result == null) {
            throw new NullPointerException(method + " has returned null");
        }
        return result;
    }

    @Override
    public String toString() {
        return method.toString();
    }
}
