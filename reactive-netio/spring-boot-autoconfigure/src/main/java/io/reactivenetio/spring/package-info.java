// SPDX-License-Identifier: Apache-2.0

/** Servers, clients, publishers and subscribers as beans of a Spring Boot application; docs/spring.md says how. */
@NullMarked
package io.reactivenetio.spring;

import org.jspecify.annotations.NullMarked;
