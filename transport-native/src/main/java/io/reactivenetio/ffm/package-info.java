// SPDX-License-Identifier: Apache-2.0

/**
 * Internal. The foreign functions of libc and libfabric: the only package with a Linker, symbol lookups, reinterpreted segments
 * and struct layouts.
 */
@NullMarked
package io.reactivenetio.ffm;

import org.jspecify.annotations.NullMarked;

