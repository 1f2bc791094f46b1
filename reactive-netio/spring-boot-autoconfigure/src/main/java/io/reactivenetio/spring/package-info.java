// SPDX-License-Identifier: Apache-2.0

/**
 * Servers, clients, publishers and subscribers as beans of a Spring Boot application; docs/spring.md says how. Here are the
 * properties, and what applications name or implement; the packages below make the beans. Internal are {@code MethodThreads},
 * {@code NetioFigures} and {@code TagTexts}.
 */
@NullMarked
package io.reactivenetio.spring;

import org.jspecify.annotations.NullMarked;
