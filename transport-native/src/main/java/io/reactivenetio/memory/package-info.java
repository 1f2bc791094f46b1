// SPDX-License-Identifier: Apache-2.0

/** Internal. Slabs: fixed pools of registered slots, with one owner per slot and a generation check. */
@NullMarked
package io.reactivenetio.memory;

import org.jspecify.annotations.NullMarked;

