// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Publishes what a public method of a singleton bean returns, a {@code Flux} or other Publisher, on each connection of the
 * server. Its elements are {@link java.nio.ByteBuffer}s, {@link io.reactivenetio.api.TaggedMessage}s, or of a type that
 * {@link io.reactivenetio.spring.NetioCodecs} can encode.
 *
 * <p>The method is called once, when the application starts, and all subscribers share its Publisher, as
 * {@link io.reactivenetio.pubsub.NetioPublisher#publish(long, org.reactivestreams.Publisher)} says. It is published under one
 * tag; or under a range or pattern, if its elements are TaggedMessages, which say their tags.
 *
 * <p>With {@link #each}, it is called for each subscription, as
 * {@link io.reactivenetio.pubsub.NetioPublisher#publishEach} says: on the loop, so that it must not block. It may then have
 * several tags, and take the one that is subscribed to as {@link NetioTag}.
 *
 * <p>All texts may have placeholders: {@code ${name:default}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface NetioPublish {

    /** The same as {@link #tags}. */
    @AliasFor("tags")
    String[] value() default {};

    /** The tags, as those of {@link NetioListener#tags}. */
    @AliasFor("value")
    String[] tags() default {};

    /** Whether each subscription gets a Publisher of its own. */
    boolean each() default false;

    /**
     * Whether who subscribes later gets the last message of each tag at once, as
     * {@link io.reactivenetio.pubsub.NetioPublisher#retainLast(io.reactivenetio.api.Tags)} says: for tags that are states. Not
     * together with {@link #each}, whose Publishers begin as they like.
     */
    boolean retainLast() default false;
}
