// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Has a public method of a singleton bean answer the requests of a tag, on each connection of the server.
 *
 * <p>It takes nothing, a {@link java.nio.ByteBuffer} or a type that {@link io.reactivenetio.spring.NetioCodecs} can decode, and
 * behind that, if it likes, a {@link java.security.Principal}, who asks: null if nobody knows. With Spring Security that is an
 * {@code Authentication}, which {@code @PreAuthorize} and the like see, too. It returns the answer: a {@code ByteBuffer} or a
 * type that NetioCodecs can encode, or a {@code Mono} or future of one. Nothing, null and an empty Mono make an empty answer.
 * What it throws, or its Mono fails with, is told the requester as text.
 *
 * <p>All texts may have placeholders: {@code ${name:default}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface NetioMapping {

    /** The tag: a number, {@code 7} or {@code 0x1f}. */
    String value();

    /**
     * Answers on the connections of this client instead, which is configured as {@code netio.clients.<name>}: the server at the
     * other end asks.
     */
    String client() default "";

    /** How many requests of each connection are worked on at a time; 1 to 65,536. Others wait with the requester. */
    String concurrency() default "256";

    /** On which threads the method is called. */
    BlockingMode blocking() default BlockingMode.BY_RETURN_TYPE;
}
