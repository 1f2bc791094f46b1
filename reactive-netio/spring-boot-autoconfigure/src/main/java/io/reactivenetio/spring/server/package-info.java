// SPDX-License-Identifier: Apache-2.0

/**
 * The server of {@code netio.server}: its auto-configuration, how it starts and stops, and the tags that it serves.
 * Internal, except for its auto-configuration and {@code NetioServerLifecycle}.
 */
@NullMarked
package io.reactivenetio.spring.server;

import org.jspecify.annotations.NullMarked;
