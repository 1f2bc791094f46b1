// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code netio.listeners.*} configures: methods that are annotated with {@link NetioListener}.
 *
 * @param onComplete what they do when the publisher has completed what they are subscribed to, unless the annotation says it
 */
@ConfigurationProperties("netio.listeners")
public record NetioListenersProperties(@DefaultValue("stay") OnComplete onComplete) {
}
