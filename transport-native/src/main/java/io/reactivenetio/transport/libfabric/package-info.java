// SPDX-License-Identifier: Apache-2.0

/** Internal. The network backend over libfabric FI_EP_MSG endpoints. */
@NullMarked
package io.reactivenetio.transport.libfabric;

import org.jspecify.annotations.NullMarked;

