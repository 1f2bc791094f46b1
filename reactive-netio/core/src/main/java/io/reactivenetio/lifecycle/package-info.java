// SPDX-License-Identifier: Apache-2.0

/** Internal: what servers and clients do as they and their connections come and go. It does not know the classes of users. */
@NullMarked
package io.reactivenetio.lifecycle;

import org.jspecify.annotations.NullMarked;
