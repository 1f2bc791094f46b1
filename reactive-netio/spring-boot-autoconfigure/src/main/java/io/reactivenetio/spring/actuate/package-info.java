// SPDX-License-Identifier: Apache-2.0

/**
 * What Spring Boot's actuator shows of servers, clients, listeners and Kafka: health and info. Internal, except for the
 * auto-configurations.
 */
@NullMarked
package io.reactivenetio.spring.actuate;

import org.jspecify.annotations.NullMarked;
