// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.api.SlowPolicy;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Has a public method of a singleton bean receive the messages of some tags. It is called for each message, through the bean's
 * proxy if it has one.
 *
 * <p>It takes the message as one of
 * <ul>
 * <li>{@link java.nio.ByteBuffer}: a copy of its own;
 * <li>{@link io.reactivenetio.api.TaggedMessage}: likewise, with tag and status;
 * <li>{@link io.reactivenetio.api.Lease}: the message in its receive buffer, which is given back when the method has returned and
 *     the Publisher that it returned has ended; to keep it longer, {@code retain()} it;
 * <li>any other type that {@link io.reactivenetio.spring.NetioCodecs} knows: decoded on the loop;
 * </ul>
 * and beside it, if it likes, {@link NetioTag}, {@link NetioStatus} and a {@link java.security.Principal}, who has published it:
 * the subject of the certificate, or null without TLS. With Spring Security that is an {@code Authentication}. The Context of
 * what the method returns has it, too, and so has the thread while the method is called.
 *
 * <p>It returns nothing, a value, which is ignored, or a {@code Mono}, {@code Flux}, other Publisher or future. Its end is the
 * acknowledgement: at most {@link #concurrency} messages are worked on, and {@link #prefetch} more wait here. For what comes
 * beyond that the publisher is not asked, so a listener that is slow slows it down, or has it drop as {@link #whenSlow} says.
 * With a concurrency of 1 messages are worked on in the order in which they came.
 *
 * <p>A method may take a {@code Flux} of any of these types instead. It is called once for each subscription, and has to return
 * the Publisher that it makes of the Flux, which is then subscribed to, and cancelled when the listener stops. The demand is
 * what it requests. {@link #concurrency} and {@link #prefetch} do not count for it. It may also take a {@code Flux} of {@link
 * io.reactivenetio.api.MessageBatch}, the messages of a receive buffer where they lie, which the first operator of the method
 * reads. Such a listener has one number, range or pattern of tags, and its statistics count batches. A Flux goes on over
 * connections, so nothing says who has published its messages.
 *
 * <p>What goes wrong with a message is told the {@link #errorHandler}, and the listener goes on with the next one.
 *
 * <p>All texts may have placeholders: {@code ${name:default}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface NetioListener {

    /** The same as {@link #tags}. */
    @AliasFor("tags")
    String[] value() default {};

    /**
     * Which tags to subscribe to: numbers ({@code 7}, {@code 0x1f}), ranges ({@code 16-31}) and patterns ({@code 0x100/0xff00}:
     * the tag, and which of its bits count), one each or in a list with commas. Each number, range and pattern is a stream of its
     * own.
     */
    @AliasFor("value")
    String[] tags() default {};

    /** The name of the client, which is configured as {@code netio.clients.<name>}. Where there is one only, it is that. */
    String client() default "";

    /** The name of the listener for {@link NetioListenerRegistry} and logs. Unless set it is bean.method. */
    String id() default "";

    /**
     * What the publisher does when this listener is slow, as {@link io.reactivenetio.pubsub.NetioSubscriber#whenSlow} says: one
     * policy, or none, which leaves it to the publisher. Listeners with the same policy share the client's connection.
     */
    SlowPolicy[] whenSlow() default {};

    /** How many messages are worked on at a time at most; 1 or more. */
    String concurrency() default "1";

    /**
     * How many messages wait here at most, beyond those that are worked on; 0 or more. A listener with several streams asks for
     * at least one message of each. Unless set it is 32 for leases, which hold receive buffers. For others it follows the pace of
     * the listener then: 32 at first, twice as many when the listener has run out of messages, up to 4,096, and half as many when
     * they would last it for more than 100 ms. Messages other than leases are asked for as far as they fit into 16 MiB, if they
     * are as large as the largest so far.
     */
    String prefetch() default "";

    /**
     * What the listener does when the publisher has completed a subscription: one value, or none, which leaves it to the property
     * {@code netio.listeners.on-complete}, and that is {@link OnComplete#STAY} unless set.
     */
    OnComplete[] onComplete() default {};

    /** How often a message is tried again after its method has failed; 0 or more. Decoding is not tried again. */
    String retry() default "0";

    /** How long to wait before the first of these attempts, as in {@code 100ms}. The wait doubles with each of them. */
    String retryDelay() default "100ms";

    /** The name of the {@link NetioErrorHandler} bean that is told what has failed. */
    String errorHandler() default "";

    /**
     * The type of the {@link NetioErrorHandler} bean that is told, in place of its name. Unless a name or type is set, it is the
     * only such bean that there is; if there is none, failures are logged.
     */
    Class<? extends NetioErrorHandler> errorHandlerType() default NetioErrorHandler.class;

    /** On which threads the method is called. */
    BlockingMode blocking() default BlockingMode.BY_RETURN_TYPE;

    /** Whether the listener starts with the application. If not, {@link NetioListenerRegistry#start} starts it. */
    String autoStartup() default "true";
}
