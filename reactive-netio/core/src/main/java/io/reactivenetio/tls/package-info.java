// SPDX-License-Identifier: Apache-2.0

/** Internal. Keys and certificates: how they are read from files and again when those change, and the engines made with them. */
@NullMarked
package io.reactivenetio.tls;

import org.jspecify.annotations.NullMarked;
