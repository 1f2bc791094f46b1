// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A suite that is run unchanged over every backend, thread model and kind of buffers. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CombinationInFailures.class)
@ParameterizedClass(name = "{0}")
@MethodSource("io.reactivenetio.transport.backend.Combination#all")
@interface OverEveryCombination {
}
