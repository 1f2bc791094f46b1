// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A parameter of type {@code long} that is the tag: of the message, or the one that is subscribed to. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface NetioTag {
}
