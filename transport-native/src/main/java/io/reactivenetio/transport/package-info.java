// SPDX-License-Identifier: Apache-2.0

/** What users say of the network: over which backend, and when a send is complete. */
@NullMarked
package io.reactivenetio.transport;

import org.jspecify.annotations.NullMarked;

