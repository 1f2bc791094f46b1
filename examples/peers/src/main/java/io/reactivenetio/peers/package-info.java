// SPDX-License-Identifier: Apache-2.0

/** What else brings messages from one JVM to another, beside this library and in the same minutes. */
@NullMarked
package io.reactivenetio.peers;

import org.jspecify.annotations.NullMarked;

