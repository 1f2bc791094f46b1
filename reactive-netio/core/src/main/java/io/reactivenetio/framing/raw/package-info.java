// SPDX-License-Identifier: Apache-2.0

/** Internal: RAW framing. One message in each buffer. */
@NullMarked
package io.reactivenetio.framing.raw;

import org.jspecify.annotations.NullMarked;
