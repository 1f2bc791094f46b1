// SPDX-License-Identifier: Apache-2.0

/** Internal. Where the messages of endpoints arrive: pools of receive buffers, and who shares them. */
@NullMarked
package io.reactivenetio.transport.base.receive;

import org.jspecify.annotations.NullMarked;
