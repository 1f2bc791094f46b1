// SPDX-License-Identifier: Apache-2.0

/**
 * The clients of {@code netio.clients}: their connections, how they are watched, and when they connect again. Internal;
 * applications see {@code NetioClients}.
 */
@NullMarked
package io.reactivenetio.spring.client;

import org.jspecify.annotations.NullMarked;
