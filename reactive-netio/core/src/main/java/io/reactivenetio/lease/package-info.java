// SPDX-License-Identifier: Apache-2.0

/** Internal: messages that stay in their receive buffers, who holds them, and what is said when one is lost. */
@NullMarked
package io.reactivenetio.lease;

import org.jspecify.annotations.NullMarked;
