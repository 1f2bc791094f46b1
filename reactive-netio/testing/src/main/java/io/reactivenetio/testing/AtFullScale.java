// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What the ordinary run leaves out, because it repeats another test under one more condition, or because a command of {@code
 * .ci/run} does the same: {@code -Dnetio.test.scale=1} runs it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = "netio.test.scale", matches = "1",
        disabledReason = AtFullScale.REASON)
public @interface AtFullScale {
    /** Why it is left out. */
    String REASON = "left to the full run: ./netio test -Dnetio.test.scale=1";
}
