// SPDX-License-Identifier: Apache-2.0

/**
 * Internal. The foreign functions of libc, and the kernel's io_uring. This package and the one of libfabric below it are the only
 * ones with a Linker, symbol lookups, reinterpreted segments and struct layouts.
 */
@NullMarked
package io.reactivenetio.ffm;

import org.jspecify.annotations.NullMarked;

