// SPDX-License-Identifier: Apache-2.0

/** Internal. The objects and functions of libfabric, under libfabric's names, over the foreign functions of libc. */
@NullMarked
package io.reactivenetio.ffm.fabric;

import org.jspecify.annotations.NullMarked;
