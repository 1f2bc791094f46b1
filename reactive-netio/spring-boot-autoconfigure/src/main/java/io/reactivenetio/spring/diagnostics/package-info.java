// SPDX-License-Identifier: Apache-2.0

/** Says what to do when an application does not start. Internal: Spring Boot finds these by spring.factories. */
@NullMarked
package io.reactivenetio.spring.diagnostics;

import org.jspecify.annotations.NullMarked;
