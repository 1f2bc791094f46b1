// SPDX-License-Identifier: Apache-2.0

/** Who may connect, and what they may do: clients show who they are before anything else is said on a connection. */
@NullMarked
package io.reactivenetio.access;

import org.jspecify.annotations.NullMarked;
